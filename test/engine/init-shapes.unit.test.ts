import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkConfig } from '../../src/engine/config/check.ts';
import { usesOf } from '../../src/engine/init/ecosystems/go.ts';
import { recipesOf, tasksOf } from '../../src/engine/init/ecosystems/make.ts';
import { packagesOf } from '../../src/engine/init/ecosystems/node-members.ts';
import { ProjectFiles } from '../../src/engine/init/project-files.ts';
import { propose } from '../../src/engine/init/propose.ts';
import { writeToml } from '../../src/engine/init/write-toml.ts';

/** A project as it is found: its files, what a maintainer would have proposed, and what has to be said. */
interface Shape {
  files: Record<string, string>;
  jobs: string[];
  setup?: string[];
  notes?: RegExp[];
}

const json = (value: unknown) => JSON.stringify(value);
const pack = (scripts: Record<string, string>, more: Record<string, unknown> = {}) =>
  json({ scripts, ...more });
const run = '#!/bin/sh\n';

const shapes: Record<string, Shape> = {
  'npm workspaces whose root has no scripts': {
    files: {
      'package.json': json({ name: 'all', workspaces: ['packages/*', 'apps/web'] }),
      'package-lock.json': '{}',
      'packages/a/package.json': pack({ test: 'node --test', build: 'tsc' }),
      'packages/b/package.json': pack({ test: 'node --test', lint: 'eslint .' }),
      'apps/web/package.json': pack({ lint: 'eslint .', dev: 'vite' }),
      'apps/other/package.json': pack({ typecheck: 'tsc' }),
    },
    jobs: [
      'build build: npm run build --workspaces --if-present',
      'check lint: npm run lint --workspaces --if-present',
      'test test: npm test --workspaces --if-present',
    ],
    setup: ['npm ci'],
  },
  'npm workspaces of which one watches and one fixes': {
    files: {
      'package.json': json({ workspaces: { packages: ['p/**', '!p/old'] } }),
      'package-lock.json': '{}',
      'p/a/package.json': pack({ test: 'node --test', lint: 'eslint .' }),
      'p/b/package.json': pack({ test: 'jest --watch', lint: 'eslint --fix .' }),
      'p/old/package.json': pack({ smoke: 'x' }),
    },
    jobs: ['check lint: npm run lint --workspace=p/a', 'test test: npm test --workspace=p/a'],
    setup: ['npm ci'],
    notes: [/lint script of p\/b is not taken as a job/, /test script of p\/b is not taken as a job/],
  },
  'npm workspaces whose root tests only itself': {
    files: {
      'package.json': pack({ test: 'node --test tools' }, { workspaces: ['packages/*'] }),
      'package-lock.json': '{}',
      'packages/a/package.json': pack({ test: 'node --test' }),
    },
    jobs: ['test test: npm test'],
    setup: ['npm ci'],
    notes: [/scripts\.test does not run the tests of packages\/a/],
  },
  'a pnpm workspace': {
    files: {
      'package.json': pack(
        { lint: 'pnpm -r lint' },
        { packageManager: 'pnpm@9.0.0', devDependencies: { x: '1' } },
      ),
      'pnpm-lock.yaml': '',
      'pnpm-workspace.yaml': 'packages:\n  # ours\n  - "packages/*"\n  - apps/** # all\nother: 1\n',
      'packages/core/package.json': pack({ test: 'vitest', lint: 'x', 'check-types': 'tsc --noEmit' }),
      'apps/site/package.json': pack({ build: 'vite build' }),
    },
    jobs: [
      'build build: pnpm -r run --if-present build',
      'check lint: pnpm run lint',
      'check typecheck: pnpm -r run --if-present check-types',
      'test test: pnpm -r run --if-present test',
    ],
    setup: ['pnpm install --frozen-lockfile'],
  },
  'yarn berry workspaces': {
    files: {
      'package.json': json({ packageManager: 'yarn@4.5.0', workspaces: ['packages/*'] }),
      'yarn.lock': '',
      '.yarnrc.yml': '',
      'packages/a/package.json': pack({ build: 'tsc', test: 'jest' }),
    },
    jobs: [
      'build build: yarn workspaces foreach --all --topological run build',
      'test test: yarn workspaces foreach --all run test',
    ],
    setup: ['yarn install --immutable'],
  },
  'a bun workspace': {
    files: {
      'package.json': json({ workspaces: ['packages/*'] }),
      'bun.lock': '',
      'packages/a/package.json': pack({ test: 'bun test' }),
    },
    jobs: ['test test: bun run --filter "*" test'],
    setup: ['bun install --frozen-lockfile'],
  },
  Turborepo: {
    files: {
      'package.json': pack(
        { dev: 'turbo watch dev' },
        { packageManager: 'pnpm@9.1.0', devDependencies: { turbo: '2' } },
      ),
      'pnpm-lock.yaml': '',
      'pnpm-workspace.yaml': "packages: ['apps/*']\n",
      'turbo.json':
        '{ // tasks\n "tasks": { "build": {}, "lint": {}, "check-types": {}, "test": {}, "dev": {} } }',
      'apps/a/package.json': pack({ test: 'x' }),
    },
    jobs: [
      'build build: pnpm exec turbo run build',
      'check lint: pnpm exec turbo run lint',
      'check typecheck: pnpm exec turbo run check-types',
      'test test: pnpm exec turbo run test',
    ],
    setup: ['pnpm install --frozen-lockfile'],
  },
  Nx: {
    files: {
      'package.json': json({ workspaces: ['libs/*'], devDependencies: { nx: '20' } }),
      'package-lock.json': '{}',
      'nx.json': '{"targetDefaults": {"build": {}, "test": {}, "lint": {}}}',
      'libs/a/package.json': pack({ test: 'x' }),
    },
    jobs: [
      'build build: npx nx run-many --target=build',
      'check lint: npx nx run-many --target=lint',
      'test test: npx nx run-many --target=test',
    ],
    setup: ['npm ci'],
  },
  'jest with nothing but a script that watches': {
    files: {
      'package.json': pack({ test: 'jest --watch' }, { devDependencies: { jest: '30' } }),
      'package-lock.json': '{}',
    },
    jobs: ['test test: npx jest'],
    setup: ['npm ci'],
    notes: [/scripts\.test watches/],
  },
  'a lint script that calls one that fixes': {
    files: {
      'package.json': pack({
        lint: 'npm run lint:all',
        'lint:all': 'eslint . --fix && prettier -w .',
        test: 'x',
      }),
    },
    jobs: ['fix lint-fix: npm run lint', 'test test: npm test'],
  },
  'karma, told to run once': {
    files: { 'package.json': pack({ test: 'karma start karma.conf.js' }) },
    jobs: ['test test: npm test -- --single-run'],
  },
  'a workspace of uv': {
    files: {
      'pyproject.toml':
        '[project]\nname = "u"\n[tool.uv.workspace]\nmembers = ["packages/*"]\n[dependency-groups]\ndev = ["pytest", "ruff"]\n',
      'uv.lock': '',
    },
    jobs: ['check lint: uv run --no-sync ruff check .', 'test test: uv run --no-sync pytest'],
    setup: ['uv sync --locked'],
  },
  Poetry: {
    files: {
      'pyproject.toml':
        '[tool.poetry]\nname = "p"\n[tool.poetry.group.test.dependencies]\npytest = "*"\nmypy = "*"\n',
      'poetry.lock': '',
    },
    jobs: ['check typecheck: poetry run mypy .', 'test test: poetry run pytest'],
    setup: ['poetry install --no-interaction'],
  },
  Hatch: {
    files: {
      'pyproject.toml':
        '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "h"\n[tool.hatch.envs.default]\ndependencies = ["pytest", "mypy"]\n[tool.hatch.envs.default.scripts]\ntest = "pytest {args}"\n[tool.hatch.envs.style.scripts]\nlint = ["ruff check .", "black --check ."]\n',
    },
    jobs: [
      'check lint: hatch run style:lint',
      'check typecheck: hatch run mypy .',
      'test test: hatch run test',
    ],
  },
  'dependency groups for pip': {
    files: { 'pyproject.toml': '[project]\nname = "g"\n[dependency-groups]\ntest = ["pytest"]\n' },
    jobs: ['test test: .venv/bin/python -m pytest'],
    setup: [
      'python3 -m venv .venv',
      '.venv/bin/python -m pip install --upgrade "pip>=25.1"',
      '.venv/bin/python -m pip install -e "." --group test',
    ],
  },
  'a Go workspace': {
    files: {
      'go.work': 'go 1.22\n\nuse (\n\t./api // the server\n\t./lib\n)\nuse ./tools\n',
      'api/go.mod': 'module a\n',
      'lib/go.mod': 'module l\n',
    },
    jobs: [
      'fix format: go fmt ./api/... ./lib/... ./tools/...',
      'check lint: go vet ./api/... ./lib/... ./tools/...',
      'test test: go test ./api/... ./lib/... ./tools/...',
    ],
  },
  'a Cargo workspace': {
    files: { 'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n', 'Cargo.lock': '' },
    jobs: [
      'fix format: cargo fmt --all',
      'check typecheck: cargo check --all-targets --workspace --locked',
      'test test: cargo test --workspace --locked',
    ],
  },
  'a Maven wrapper': {
    files: { 'pom.xml': '<project></project>', mvnw: run },
    jobs: ['test test: ./mvnw --batch-mode verify'],
  },
  'a Gradle wrapper without its mode bit': {
    files: { 'settings.gradle.kts': '', 'build.gradle.kts': '', gradlew: '' },
    jobs: ['build build: sh ./gradlew assemble', 'test test: sh ./gradlew check'],
  },
  'a .NET solution below the root': {
    files: { 'src/App.sln': '', 'README.md': '' },
    jobs: ['build build: dotnet build src/App.sln', 'test test: dotnet test src/App.sln --no-build'],
  },
  'Rails with rubocop': {
    files: {
      Gemfile: 'source "x"\ngem "rails", "~> 8"\ngem "rubocop-rails-omakase", require: false\n',
      'Gemfile.lock': '',
      'bin/rails': run,
      'test/models/a_test.rb': '',
      'db/schema.rb': '',
    },
    jobs: ['check lint: bundle exec rubocop', 'test test: bin/rails test'],
    setup: ['bundle install', 'bin/rails db:test:prepare'],
  },
  Elixir: {
    files: {
      'mix.exs':
        'defmodule A do\n def project, do: [app: :shop]\n defp deps do\n [{:credo, "~> 1.7", only: [:dev]}]\n end\nend\n',
      '.formatter.exs': '[]',
      'mix.lock': '',
    },
    jobs: [
      'fix format: mix format',
      'build build: mix compile',
      'check lint: mix credo',
      'test test: mix test',
    ],
    setup: ['mix deps.get'],
  },
  'PHP with psalm.dist.xml': {
    files: {
      'composer.json': json({ 'require-dev': { 'vimeo/psalm': '*', 'phpunit/phpunit': '*' } }),
      'psalm.dist.xml': '',
      'phpunit.xml.dist': '',
    },
    jobs: ['check typecheck: vendor/bin/psalm', 'test test: vendor/bin/phpunit'],
    setup: ['composer install --no-interaction'],
  },
  Deno: {
    files: {
      'deno.json': '{"tasks": {"test": "deno test -A", "dev": "deno run --watch main.ts"}, "lint": {}}',
    },
    jobs: ['check lint: deno lint', 'test test: deno task test'],
  },
  CMake: {
    files: {
      'CMakeLists.txt': 'project(shop CXX)\nenable_testing()\nadd_test(NAME a COMMAND a)\n',
      '.gitignore': '/build/\n',
    },
    jobs: [
      'build build: cmake -S . -B build && cmake --build build',
      'test test: ctest --test-dir build --output-on-failure',
    ],
  },
  'CMake whose build directory git does not ignore': {
    files: { 'CMakeLists.txt': 'project(shop)\n# enable_testing()\n' },
    jobs: ['build build: cmake -S . -B build && cmake --build build'],
    notes: [/git does not ignore/, /No test job was found/],
  },
  Swift: {
    files: {
      'Package.swift':
        'let package = Package(\n  name: "shop",\n  targets: [.target(name: "S"), .testTarget(name: "T")])\n',
      '.swiftlint.yml': '',
    },
    jobs: ['build build: swift build', 'check lint: swiftlint lint --strict', 'test test: swift test'],
  },
  'a justfile': {
    files: {
      justfile:
        'set shell := ["sh", "-c"]\n\ndefault:\n  just --list\n\n@test *args:\n  ./t\n\nlint:\n  ./l\n\nbuild target:\n  ./b\n',
    },
    jobs: ['check lint: just lint', 'test test: just test'],
  },
  'a Taskfile': {
    files: {
      'Taskfile.yml':
        "version: '3'\n\ntasks:\n  # what lands\n  test:\n    cmds:\n      - ./t\n  lint: ./l\n  'build':\n    deps: [gen]\n",
    },
    jobs: ['build build: task build', 'check lint: task lint', 'test test: task test'],
  },
  'a makefile alone': {
    files: { Makefile: 'check: all\n\t./t\nall:\n\t./b\n' },
    jobs: ['test test: make check'],
  },
  'a makefile that calls what a manifest sets up': {
    files: {
      'package.json': json({ devDependencies: { x: '1' } }),
      'package-lock.json': '{}',
      Makefile: 'test:\n\tnpx x\n',
    },
    jobs: ['test test: make test'],
    setup: ['npm ci'],
  },
  'dependencies that no job needs': {
    files: { 'package.json': json({ dependencies: { x: '1' } }), 'go.mod': 'module m\n' },
    jobs: ['fix format: go fmt ./...', 'check lint: go vet ./...', 'test test: go test ./...'],
  },
};

describe('What init proposes for', () => {
  const temps: string[] = [];
  after(() => Promise.all(temps.splice(0).map((root) => rm(root, { recursive: true }))));

  for (const [what, shape] of Object.entries(shapes)) {
    it(`${what} is what a maintainer would`, async () => {
      const root = await realpath(await mkdtemp(join(tmpdir(), 'discern-shape-')));
      temps.push(root);
      for (const [name, content] of Object.entries(shape.files)) {
        await mkdir(dirname(join(root, name)), { recursive: true });
        await writeFile(join(root, name), content, { mode: content.startsWith('#!') ? 0o755 : 0o644 });
      }
      const proposal = await propose(new ProjectFiles(root, root, await readdir(root)));
      const text = writeToml(proposal);
      const { config, problems } = checkConfig(text, 'discern.toml');
      assert.deepEqual(problems, [], text);
      assert.deepEqual(
        config?.jobs.map(({ name, stage, commands }) => `${stage} ${name}: ${commands.join('; ')}`),
        shape.jobs,
        text,
      );
      assert.deepEqual(config?.worktree.setup.steps, shape.setup ?? [], text);
      assert.equal(proposal.notes.length, shape.notes?.length ?? 0, proposal.notes.join('\n'));
      for (const note of shape.notes ?? [])
        assert.ok(
          proposal.notes.some((one) => note.test(one)),
          `${note} in ${proposal.notes.join('\n')}`,
        );
    });
  }
});

describe('What init reads of', () => {
  it('a justfile are the recipes that need no argument', () => {
    const text =
      'a := "x"\nalias t := test\nexport B := "1"\ntest:\nlint *flags: test\nbuild target:\nrun port="80":\n  no:\n@quiet:\n';
    assert.deepEqual([...recipesOf(text)], ['test', 'lint', 'run', 'quiet']);
  });

  it('a Taskfile are the keys of its tasks, and no deeper ones', () => {
    assert.deepEqual(
      [...tasksOf('tasks:\n    a:\n      b:\n    "c:d":\n      - e\nvars:\n    f: 1\n')],
      ['a', 'c:d'],
    );
    assert.deepEqual([...tasksOf('version: 3\n')], []);
  });

  it('go.work are directories inside, as a shell takes them', () => {
    assert.deepEqual(usesOf('use ./a\nuse (\n  .\n  ../out\n  "./b"\n  ./c d\n)\n'), ['.', './b', './a']);
  });

  it('pnpm-workspace.yaml are its packages, whatever else stands there', () => {
    assert.deepEqual(packagesOf('catalog:\n  - no\npackages:\n- a\n- "b/*" # c\n\n- \'!d\'\nx:\n - e\n'), [
      'a',
      'b/*',
      '!d',
    ]);
    assert.deepEqual(packagesOf('packages: [\'a\', "b"]'), ['a', 'b']);
  });
});
