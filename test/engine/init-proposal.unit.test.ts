import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { knownJobs } from '../../src/contract/config.ts';
import { checkConfig } from '../../src/engine/config/check.ts';
import { targetsOf } from '../../src/engine/init/ecosystems/make.ts';
import { ProjectFiles } from '../../src/engine/init/project-files.ts';
import { propose } from '../../src/engine/init/propose.ts';
import { unsuitable } from '../../src/engine/init/scripts.ts';
import { writeToml } from '../../src/engine/init/write-toml.ts';

interface Expected {
  /** `stage name: command`, in gate order. */
  jobs: string[];
  setup?: string[];
  notes?: RegExp[];
  name?: string;
}

const json = (value: unknown) => JSON.stringify(value);
const scripts = (bodies: Record<string, string>, more: Record<string, unknown> = {}) => ({
  'package.json': json({ scripts: bodies, ...more }),
});
const one = { devDependencies: { anything: '1' } };

/** What lies in a directory, and what is proposed for it. */
const table: [string, Record<string, string>, Expected][] = [
  [
    'an npm package with every kind of script',
    {
      ...scripts(
        {
          format: 'prettier --write .',
          build: 'tsc -b',
          lint: 'eslint .',
          typecheck: 'tsc --noEmit',
          test: 'node --test',
          smoke: 'node smoke.mjs',
          start: 'node .',
        },
        { name: '@acme/shop', ...one },
      ),
      'package-lock.json': '{}',
    },
    {
      name: 'shop',
      jobs: [
        'fix format: npm run format',
        'build build: npm run build',
        'check lint: npm run lint',
        'check typecheck: npm run typecheck',
        'test test: npm test',
        'test smoke: npm run smoke',
      ],
      setup: ['npm ci'],
    },
  ],
  [
    'an npm package without a lock file',
    scripts({ test: 'x' }, one),
    { jobs: ['test test: npm test'], setup: ['npm install --no-package-lock'] },
  ],
  [
    'an npm package without dependencies',
    { ...scripts({ test: 'x' }), 'package-lock.json': '{}' },
    { jobs: ['test test: npm test'] },
  ],
  [
    'a pnpm package',
    { ...scripts({ test: 'x' }, one), 'pnpm-lock.yaml': '' },
    { jobs: ['test test: pnpm run test'], setup: ['pnpm install --frozen-lockfile'] },
  ],
  [
    'a yarn 1 package',
    { ...scripts({ lint: 'x' }, one), 'yarn.lock': '' },
    { jobs: ['check lint: yarn run lint'], setup: ['yarn install --frozen-lockfile'] },
  ],
  [
    'a yarn 4 package',
    { ...scripts({ lint: 'x' }, { ...one, packageManager: 'yarn@4.1.0' }), 'yarn.lock': '' },
    { jobs: ['check lint: yarn run lint'], setup: ['yarn install --immutable'] },
  ],
  [
    'a bun package',
    { ...scripts({ test: 'bun test' }, one), 'bun.lock': '' },
    { jobs: ['test test: bun run test'], setup: ['bun install --frozen-lockfile'] },
  ],
  [
    'a package with two lock files',
    { ...scripts({ test: 'x' }, one), 'package-lock.json': '{}', 'pnpm-lock.yaml': '' },
    {
      jobs: ['test test: pnpm run test'],
      setup: ['pnpm install --frozen-lockfile'],
      notes: [/package-lock\.json too; pnpm was taken because of pnpm-lock/],
    },
  ],
  [
    'a package whose packageManager overrules the lock file that is left',
    { ...scripts({ test: 'x' }, { ...one, packageManager: 'npm@10.0.0' }), 'yarn.lock': '' },
    {
      jobs: ['test test: npm test'],
      setup: ['npm install --no-package-lock'],
      notes: [/yarn\.lock too; npm was taken/],
    },
  ],
  [
    'npm’s placeholder for tests',
    scripts({ test: 'echo "Error: no test specified" && exit 1' }),
    { jobs: [], notes: [/scripts\.test is the placeholder/] },
  ],
  [
    'scripts that only print',
    scripts({ lint: 'echo later', test: 'exit 0' }),
    { jobs: [], notes: [/scripts\.lint only prints/, /scripts\.test only prints/] },
  ],
  [
    'a test that watches, beside one that does not',
    scripts({ test: 'jest --watch', 'test:ci': 'jest --ci' }),
    { jobs: ['test test: npm run test:ci'] },
  ],
  [
    'a test that watches alone',
    scripts({ test: 'jest --watchAll' }),
    { jobs: [], notes: [/scripts\.test watches files/] },
  ],
  [
    'a test that calls one that watches',
    scripts({ test: 'npm run -s x', x: 'nodemon t.js' }),
    { jobs: [], notes: [/watches/] },
  ],
  [
    'a test that calls one that watches by name',
    scripts({ test: 'npm run w', w: 'nodemon t.js' }),
    { jobs: [], notes: [/watches/] },
  ],
  ['vitest, told to run once', scripts({ test: 'vitest' }), { jobs: ['test test: npm test -- --run'] }],
  [
    'vitest that runs once anyway',
    scripts({ test: 'vitest run --coverage' }),
    { jobs: ['test test: npm test'] },
  ],
  [
    'vitest with pnpm',
    { ...scripts({ test: 'vitest' }), 'pnpm-lock.yaml': '' },
    { jobs: ['test test: pnpm run test --run'] },
  ],
  [
    'react-scripts, told not to watch',
    scripts({ test: 'react-scripts test' }),
    { jobs: ['test test: npm test -- --watchAll=false'] },
  ],
  [
    'a build that watches',
    scripts({ build: 'tsc -w', test: 'x' }),
    { jobs: ['test test: npm test'], notes: [/scripts\.build watches/] },
  ],
  ['a lint that fixes', scripts({ lint: 'eslint --fix .' }), { jobs: ['fix lint-fix: npm run lint'] }],
  [
    'a lint that fixes beside one that checks',
    scripts({ lint: 'eslint --fix .', 'lint:check': 'eslint .' }),
    { jobs: ['check lint: npm run lint:check'] },
  ],
  [
    'a format that only looks',
    scripts({ format: 'prettier --check .' }),
    { jobs: ['check format-check: npm run format'] },
  ],
  [
    'a format:check alone',
    scripts({ 'format:check': 'prettier -c .' }),
    { jobs: ['check format-check: npm run format:check'] },
  ],
  [
    'a check script',
    scripts({ check: 'svelte-check', test: 'x' }),
    { jobs: ['check check: npm run check', 'test test: npm test'] },
  ],
  [
    'a test that runs discern',
    scripts({ test: 'discern done' }),
    { jobs: [], notes: [/runs discern itself/] },
  ],
  [
    'tools that package.json declares without scripts',
    {
      'package.json': json({ devDependencies: { eslint: '9', typescript: '5', vitest: '3' } }),
      'eslint.config.js': '',
      'tsconfig.json': '{ // comments\n "compilerOptions": {}, }',
      'pnpm-lock.yaml': '',
    },
    {
      jobs: [
        'check lint: pnpm exec eslint .',
        'check typecheck: pnpm exec tsc --noEmit',
        'test test: pnpm exec vitest run',
      ],
      setup: ['pnpm install --frozen-lockfile'],
    },
  ],
  [
    'a tsconfig that only names other projects',
    {
      'package.json': json({ devDependencies: { typescript: '5' } }),
      'tsconfig.json': '{"files": [], "references": []}',
    },
    { jobs: [] },
  ],
  [
    'a malformed package.json',
    { 'package.json': '{ "scripts": ' },
    { jobs: [], notes: [/package\.json is not valid JSON/] },
  ],
  ['a package.json that is a list', { 'package.json': '[]' }, { jobs: [], notes: [/holds no JSON object/] }],
  [
    'scripts that are no strings',
    { 'package.json': '{"scripts": {"test": ["a"], "lint": 3, "build": null}}' },
    { jobs: [] },
  ],
  ['scripts that are no table', { 'package.json': '{"scripts": "test"}' }, { jobs: [] }],
  [
    'a huge package.json',
    { 'package.json': `{"x": "${'y'.repeat(1024 * 1024)}"}` },
    { jobs: [], notes: [/package\.json has \d+ bytes, more than/] },
  ],
  [
    'a package.json with a byte order mark',
    { 'package.json': '\uFEFF{"scripts":{"test":"x"}}' },
    { jobs: ['test test: npm test'] },
  ],
  [
    'a Cargo package',
    { 'Cargo.toml': '[package]\nname = "crab"\n', 'Cargo.lock': '' },
    {
      name: 'crab',
      jobs: [
        'fix format: cargo fmt --all',
        'check typecheck: cargo check --all-targets --locked',
        'test test: cargo test --locked',
      ],
    },
  ],
  [
    'a Cargo workspace with clippy lints and no lock file',
    { 'Cargo.toml': '[workspace]\nmembers = ["a"]\n[workspace.lints.clippy]\nall = "deny"\n' },
    {
      jobs: [
        'fix format: cargo fmt --all',
        'check lint: cargo clippy --all-targets --workspace',
        'test test: cargo test --workspace',
      ],
      notes: [/no Cargo\.lock/],
    },
  ],
  [
    'a malformed Cargo.toml',
    { 'Cargo.toml': '[package\n' },
    { jobs: [], notes: [/Cargo\.toml cannot be read \(line 2/] },
  ],
  [
    'a Go module',
    { 'go.mod': 'module example.org/x\n\ngo 1.22\n' },
    { jobs: ['fix format: go fmt ./...', 'check lint: go vet ./...', 'test test: go test ./...'] },
  ],
  [
    'a Go module with golangci-lint',
    { 'go.mod': 'module x\n', '.golangci.yml': '' },
    { jobs: ['fix format: go fmt ./...', 'check lint: golangci-lint run', 'test test: go test ./...'] },
  ],
  ['a go.mod that is none', { 'go.mod': 'hello\n' }, { jobs: [], notes: [/go\.mod names no module/] }],
  [
    'a uv project',
    {
      'pyproject.toml':
        '[project]\nname = "snake"\ndependencies = ["httpx>=0.27"]\n[dependency-groups]\ndev = ["pytest>=8", "ruff", "MyPy"]\n[tool.ruff.format]\nquote-style = "single"\n',
      'uv.lock': '',
    },
    {
      name: 'snake',
      jobs: [
        'fix format: uv run --no-sync ruff format .',
        'check lint: uv run --no-sync ruff check .',
        'check typecheck: uv run --no-sync mypy .',
        'test test: uv run --no-sync pytest',
      ],
      setup: ['uv sync --locked'],
    },
  ],
  [
    'a poetry project',
    {
      'pyproject.toml':
        '[tool.poetry]\nname = "p"\n[tool.poetry.group.dev.dependencies]\npytest = "^8"\nblack = "*"\n',
      'poetry.lock': '',
    },
    {
      jobs: ['fix format: poetry run black .', 'test test: poetry run pytest'],
      setup: ['poetry install --no-interaction'],
    },
  ],
  [
    'a pyproject with an extra and no manager',
    { 'pyproject.toml': '[project]\nname = "p"\n[project.optional-dependencies]\ntest = ["pytest"]\n' },
    {
      jobs: ['test test: .venv/bin/python -m pytest'],
      setup: ['python3 -m venv .venv', '.venv/bin/python -m pip install -e ".[test]"'],
    },
  ],
  [
    'requirements files',
    { 'requirements.txt': 'flask==3\n', 'requirements-dev.txt': '# tests\npytest ~= 8.0\nflake8\n' },
    {
      jobs: ['check lint: .venv/bin/python -m flake8', 'test test: .venv/bin/python -m pytest'],
      setup: [
        'python3 -m venv .venv',
        '.venv/bin/python -m pip install -r requirements-dev.txt -r requirements.txt',
      ],
    },
  ],
  [
    'a tool that is configured and declared nowhere',
    { 'pyproject.toml': '[tool.pytest.ini_options]\nx = 1\n' },
    {
      jobs: [],
      notes: [/configures pytest but declares it nowhere/],
    },
  ],
  [
    'a makefile',
    { Makefile: 'CC := gcc\n.PHONY: test lint\ntest: build\n\t./t\nlint:\n\t./l\nbuild:\n\t./b\n' },
    { jobs: ['build build: make build', 'check lint: make lint', 'test test: make test'] },
  ],
  ['a makefile of the GNU kind', { GNUmakefile: 'check: all\n\t./t\n' }, { jobs: ['test test: make check'] }],
  [
    'a makefile beside scripts that do the same',
    { ...scripts({ test: 'x' }), Makefile: 'test:\n\tnpm test\nlint:\n\t./l\n' },
    { jobs: ['check lint: make lint', 'test test: npm test'] },
  ],
  [
    'a Maven project with its wrapper',
    { 'pom.xml': '<project></project>', mvnw: '#!/bin/sh\n' },
    { jobs: ['test test: ./mvnw --batch-mode verify'] },
  ],
  ['a pom.xml that is none', { 'pom.xml': 'x' }, { jobs: [], notes: [/pom\.xml has no <project>/] }],
  [
    'a Gradle build with spotless',
    { 'build.gradle.kts': 'plugins { id("com.diffplug.spotless") }', gradlew: '#!/bin/sh\n' },
    {
      jobs: [
        'fix format: ./gradlew spotlessApply',
        'build build: ./gradlew assemble',
        'test test: ./gradlew check',
      ],
    },
  ],
  [
    'Maven and Gradle together',
    { 'pom.xml': '<project/>', 'build.gradle': '', gradlew: '#!/bin/sh\n' },
    { jobs: ['build build: ./gradlew assemble', 'test test: ./gradlew check'], notes: [/maven build too/] },
  ],
  [
    'a .NET solution',
    { 'App.sln': '', '.editorconfig': '' },
    { jobs: ['fix format: dotnet format', 'build build: dotnet build', 'test test: dotnet test --no-build'] },
  ],
  ['a .NET project without tests', { 'App.csproj': '<Project/>' }, { jobs: ['build build: dotnet build'] }],
  [
    'two .NET projects',
    { 'A.csproj': '', 'B.csproj': '' },
    { jobs: [], notes: [/A\.csproj, B\.csproj: name the one/] },
  ],
  [
    'a Composer project',
    {
      'composer.json': json({
        scripts: { test: ['@lint', 'phpunit'], lint: 'php -l x' },
        'require-dev': { 'phpstan/phpstan': '*' },
      }),
      'phpstan.neon': '',
      'composer.lock': '',
    },
    {
      jobs: [
        'check lint: composer run-script lint',
        'check typecheck: vendor/bin/phpstan analyse',
        'test test: composer run-script test',
      ],
      setup: ['composer install --no-interaction'],
    },
  ],
  [
    'a Gemfile',
    { Gemfile: "source 'x'\ngem 'rubocop', '~> 1'\ngem \"rspec\"\n" },
    { jobs: ['check lint: bundle exec rubocop', 'test test: bundle exec rspec'], setup: ['bundle install'] },
  ],
  [
    'a Gemfile with a Rakefile',
    { Gemfile: 'gemspec\n', Rakefile: 'Rake::TestTask.new\n' },
    { jobs: ['test test: bundle exec rake test'], setup: ['bundle install'] },
  ],
  [
    'a Deno project',
    {
      'deno.jsonc':
        '{ // tasks\n "tasks": { "test": "deno test -A", "lint": { "command": "deno lint" } }, "fmt": {}, }',
    },
    { jobs: ['fix format: deno fmt', 'check lint: deno task lint', 'test test: deno task test'] },
  ],
  [
    'a malformed deno.json',
    { 'deno.json': '{ "tasks": ' },
    { jobs: [], notes: [/deno\.json is not a valid JSON object/] },
  ],
  [
    'several ecosystems in one directory',
    {
      ...scripts({ test: 'x', lint: 'y' }),
      'Cargo.toml': '[package]\nname = "r"\n',
      'Cargo.lock': '',
      'go.mod': 'module m\n',
    },
    {
      jobs: [
        'fix format: cargo fmt --all',
        'fix format-go: go fmt ./...',
        'check lint: npm run lint',
        'check typecheck: cargo check --all-targets --locked',
        'check lint-go: go vet ./...',
        'test test: npm test',
        'test test-rust: cargo test --locked',
        'test test-go: go test ./...',
      ],
    },
  ],
  ['nothing that is known', { 'README.md': '# Hello\n' }, { jobs: [] }],
];

const temps: string[] = [];

async function directory(files: Record<string, string>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'discern-init-')));
  temps.push(root);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content, { mode: content.startsWith('#!') ? 0o755 : 0o644 });
  }
  return root;
}

/** What is proposed for files, read back from the text by the config's own reader. */
async function proposed(root: string) {
  const proposal = await propose(new ProjectFiles(root, root, await readdir(root)));
  const text = writeToml(proposal);
  const { config, problems, notes } = checkConfig(text, 'discern.toml');
  assert.deepEqual(problems, [], text);
  assert.deepEqual(notes, [], text);
  assert.ok(config);
  return { proposal, text, config };
}

describe('A proposed discern.toml', () => {
  after(() => Promise.all(temps.splice(0).map((root) => rm(root, { recursive: true }))));

  for (const [what, files, expected] of table) {
    it(`for ${what} says what is there and nothing else`, async () => {
      const { proposal, text, config } = await proposed(await directory(files));
      assert.deepEqual(
        config.jobs.map(({ name, stage, commands }) => `${stage} ${name}: ${commands.join('; ')}`),
        expected.jobs,
        text,
      );
      assert.deepEqual(config.worktree.setup.steps, expected.setup ?? [], text);
      if (expected.name !== undefined) assert.equal(config.project.name, expected.name);
      for (const note of expected.notes ?? []) {
        assert.ok(
          proposal.notes.some((one) => note.test(one)),
          `${note} in ${proposal.notes.join('\n')}`,
        );
      }
      const untested = proposal.notes.some((note) => note.startsWith('No test job was found'));
      assert.equal(untested, config.jobs.length > 0 && !config.jobs.some(({ stage }) => stage === 'test'));
      if (!expected.notes) assert.deepEqual(proposal.notes.slice(untested ? 1 : 0), []);
    });
  }

  it('is named for its directory where no manifest names it', async () => {
    const root = await directory({ 'my app/README.md': '' });
    assert.equal((await proposed(join(root, 'my app'))).config.project.name, 'my app');
  });

  it('finds a workspace’s lock file above the package, and not above the git top', async () => {
    const root = await directory({
      'pnpm-lock.yaml': '',
      'packages/a/package.json': json({ scripts: { test: 'x' }, ...one }),
    });
    const inside = join(root, 'packages/a');
    const propose_ = async (top: string) => propose(new ProjectFiles(inside, top, await readdir(inside)));
    assert.equal((await propose_(root)).jobs[0]?.run, 'pnpm run test');
    assert.equal((await propose_(inside)).jobs[0]?.run, 'npm test');
  });

  it('is readable whatever a package.json holds', async () => {
    const root = await directory({});
    const name = fc.oneof(
      fc.constantFrom(...Object.keys(knownJobs), 'check', 'fmt', 'test:ci', 'format:check', '__proto__'),
      fc.string(),
    );
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('x', 'vitest', 'eslint --fix', 'npm run lint'),
    );
    const member = fc.constantFrom(
      'scripts',
      'name',
      'packageManager',
      'devDependencies',
      'workspaces',
      'type',
    );
    const manifest = fc.oneof(
      fc.record(
        {
          name: fc.string({ unit: 'binary' }),
          scripts: fc.dictionary(name, fc.oneof(body, fc.jsonValue())),
          packageManager: fc.string(),
        },
        { requiredKeys: [] },
      ),
      fc.dictionary(member, fc.jsonValue()),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(manifest, async (value) => {
        await writeFile(join(root, 'package.json'), JSON.stringify(value));
        const { config } = await proposed(root);
        assert.ok(
          config.jobs.every(({ commands }) =>
            commands.every((one) => /^npm |^(?:pnpm|yarn|bun) run |^(?:npx|bunx) /.test(one)),
          ),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('is readable whatever bytes the manifests are', async () => {
    const root = await directory({});
    const names = [
      'package.json',
      'Cargo.toml',
      'pyproject.toml',
      'Makefile',
      'composer.json',
      'Gemfile',
      'deno.json',
      'go.mod',
      'pom.xml',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.uint8Array({ maxLength: 200 }), async (file, bytes) => {
        await writeFile(join(root, file), bytes);
        await proposed(root);
        await rm(join(root, file));
      }),
      { numRuns: 200 },
    );
  });

  it('survives manifests that are directories, or nested without end', async () => {
    const deep = '['.repeat(200_000);
    const root = await directory({
      'package.json/x': '',
      'composer.json': `{"scripts": ${deep}`,
      'deno.json': deep,
      'Cargo.toml': `a = ${deep}`,
    });
    const { proposal, config } = await proposed(root);
    assert.deepEqual(config.jobs, []);
    assert.equal(proposal.notes.length, 4, proposal.notes.join('\n'));
  });
});

describe('A script', () => {
  for (const [body, said] of [
    ['jest --watch=false', undefined],
    ['jest -w 2', undefined],
    ['karma start --single-run', undefined],
    ['karma start', 'watches'],
    ['cypress open', 'watches'],
    ['cypress run', undefined],
    ['vitest --ui', 'watches'],
    ['playwright test --ui', 'watches'],
    ['turbo watch test', 'watches'],
    ['npx nx watch --all -- nx test', 'watches'],
    ['cargo watch -x test', 'watches'],
    ['vite', 'watches'],
    ['vite build', undefined],
    ['next dev', 'watches'],
    ['dotnet watch test', 'watches'],
    ['jest --watchAll=false', undefined],
    ['npm run test -w packages/a', undefined],
    ['webpack -w', 'watches'],
    ['tsc && tsc -w', 'watches'],
    ['node --watch x.js', 'watches'],
    ['CI=1 react-scripts test', undefined],
    ['react-scripts test --env=jsdom', 'watches'],
    ['npx discern done', 'runs discern'],
    ['node tools/discern-like.js', undefined],
    ['echo "all good"', 'only prints'],
    ['echo start && jest', undefined],
    ['', 'only prints'],
  ] as const) {
    it(`"${body}" ${said === undefined ? 'may be a job' : `is not taken as a job: it ${said}`}`, () => {
      const why = unsuitable(body);
      if (said === undefined) assert.equal(why, undefined);
      else assert.ok(why?.startsWith(said), why);
    });
  }
});

describe('A makefile’s targets', () => {
  it('are its rules, not its assignments, recipes, patterns or special targets', () => {
    const text =
      'A := x\nB ::= y\nC=z\nD: E\n.PHONY: all\n%.o: %.c\n\ttest: no\nall lint:: x\nexport F := 1\n# note: x\nlint-fix:\n';
    assert.deepEqual([...targetsOf(text)], ['D', 'all', 'lint', 'lint-fix']);
  });
});
