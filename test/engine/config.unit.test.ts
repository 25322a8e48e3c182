import assert from 'node:assert/strict';
import { z } from 'zod';
import { type Config, ConfigFile } from '../../src/contract/config.ts';
import { otherTables } from '../../src/contract/config-others.ts';
import { checkConfig } from '../../src/engine/config/index.ts';

/** The config of a text that must have no problem and no note. */
function read(text: string): Config {
  const { config, problems, notes } = checkConfig(text, 'discern.toml');
  assert.deepEqual({ problems, notes }, { problems: [], notes: [] });
  assert.ok(config);
  return config;
}

const defaults: Config = {
  project: { name: '', slug: '' },
  repository: { branch_prefix: 'agent/', ensure: [] },
  jobs: [],
  scopes: [],
  standards: [],
  generated: [],
  acceptance: { pre_authorized: [] },
  checkpoints: [],
  gate: { fail_fast: true, timeout: 600, concurrent_test_runs: 1 },
  worktree: {
    root: '',
    export_port: false,
    inherit_env: [],
    env_files: ['.env', '.env.local'],
    setup: { steps: [], ensure: [] },
    resources: [],
  },
};

const standardDefaults = { scale: 1, margin: 0 };
const resourceDefaults = { create: '', destroy: '', ensure: '', required: true, retries: 0, prunable: true };

interface Feature {
  title: string;
  text: string;
  reads: Partial<Config>;
}

const features: Feature[] = [
  { title: 'an empty file is all defaults', text: '', reads: {} },
  { title: 'a file of comments and blank lines is all defaults', text: '# nothing\n\n  # here\n', reads: {} },
  { title: 'a BOM alone is all defaults', text: '\uFEFF', reads: {} },
  {
    title: 'empty tables are all defaults',
    text: '[project]\n[repository]\n[jobs]\n[scopes]\n[standards]\n[generated]\n[gate]\n[worktree]\n[worktree.setup]\n[worktree.resources]\n',
    reads: {},
  },
  {
    title: 'a project has a name and a slug, and keeps what other tools read',
    text: '[project]\nname = "A Shop"\nslug = "shop"\ngotchas_doc = "g.md"\ntodo = "T.md"\nrecord_logbook = false\nagents = ["codex"]',
    reads: {
      project: {
        name: 'A Shop',
        slug: 'shop',
        gotchas_doc: 'g.md',
        todo: 'T.md',
        record_logbook: false,
        agents: ['codex'],
      },
    },
  },
  {
    title: 'a repository has a trunk, a branch prefix and commands that make it ready',
    text: '[repository]\ntrunk = "develop"\nbranch_prefix = ""\nensure = ["npm ci", "npm run gen"]\nproof_notes_mode = "fetch"',
    reads: {
      repository: {
        trunk: 'develop',
        branch_prefix: '',
        ensure: ['npm ci', 'npm run gen'],
        proof_notes_mode: 'fetch',
      },
    },
  },
  {
    title: 'a blank trunk is none',
    text: '[repository]\ntrunk = " "',
    reads: { repository: { branch_prefix: 'agent/', ensure: [] } },
  },
  {
    title: 'known jobs take their stage from their name, and stand in gate order',
    text: '[jobs]\nsmoke = "s"\ntest = "t"\ntypecheck = "c"\nlint = "l"\nbuild = "b"\nformat = "f"',
    reads: {
      jobs: [
        { name: 'format', stage: 'fix', commands: ['f'] },
        { name: 'build', stage: 'build', commands: ['b'] },
        { name: 'typecheck', stage: 'check', commands: ['c'] },
        { name: 'lint', stage: 'check', commands: ['l'] },
        { name: 'smoke', stage: 'test', commands: ['s'] },
        { name: 'test', stage: 'test', commands: ['t'] },
      ],
    },
  },
  {
    title: 'a known job is a command, a list or a table',
    text: '[jobs]\nlint = ["a", "b"]\ntest = { run = "t", timeout = 1200 }\n[jobs.build]\nrun = ["x", "y"]\ntimeout = 0',
    reads: {
      jobs: [
        { name: 'build', stage: 'build', commands: ['x', 'y'], timeout: 0 },
        { name: 'lint', stage: 'check', commands: ['a', 'b'] },
        { name: 'test', stage: 'test', commands: ['t'], timeout: 1200 },
      ],
    },
  },
  {
    title: 'a custom job declares its stage and its command',
    text: '[jobs.licences]\nstage = "check"\nrun = "l"\nprovides = "licence audit"\ntimeout = 2.5\n[jobs.codegen]\nstage = "fix"\nrun = ["g"]',
    reads: {
      jobs: [
        { name: 'codegen', stage: 'fix', commands: ['g'] },
        { name: 'licences', stage: 'check', commands: ['l'], timeout: 2.5, provides: 'licence audit' },
      ],
    },
  },
  {
    title: 'a custom job may be an inline table or dotted keys',
    text: 'jobs.a.stage = "test"\njobs.a.run = "x"\njobs.b = { stage = "build", run = "y" }',
    reads: {
      jobs: [
        { name: 'b', stage: 'build', commands: ['y'] },
        { name: 'a', stage: 'test', commands: ['x'] },
      ],
    },
  },
  {
    title: 'a time limit longer than a timer can hold is the longest one',
    text: '[gate]\ntimeout = 1e12\n[jobs]\ntest = { run = "t", timeout = 9999999999 }',
    reads: {
      gate: { fail_fast: true, timeout: 2_147_483, concurrent_test_runs: 1 },
      jobs: [{ name: 'test', stage: 'test', commands: ['t'], timeout: 2_147_483 }],
    },
  },
  {
    title: 'scopes have paths, flags, a gate and a time limit, in file order',
    text: '[scopes.docs]\npaths = ["docs/**"]\nneutral = true\n[scopes.app]\npaths = ["app/**", "*.css"]\npreview = ["p", "q"]\ngate = ["a", "b"]\ntimeout = 30\n[scopes.1]\npaths = ["x"]\ngate = "c"',
    reads: {
      scopes: [
        { name: 'docs', paths: ['docs/**'], neutral: true, previewable: false },
        {
          name: 'app',
          paths: ['app/**', '*.css'],
          neutral: false,
          previewable: true,
          preview: ['p', 'q'],
          gate: ['a', 'b'],
          timeout: 30,
        },
        { name: '1', paths: ['x'], neutral: false, previewable: false, gate: ['c'] },
      ],
    },
  },
  {
    title: 'a scope with a preview command is previewable',
    text: '[scopes.site]\npaths = ["site/**"]\npreview = "npm run serve"',
    reads: {
      scopes: [
        {
          name: 'site',
          paths: ['site/**'],
          neutral: false,
          previewable: true,
          preview: ['npm run serve'],
        },
      ],
    },
  },
  {
    title: 'a standard names its metric after itself, and its divisor is a metric or an extent',
    text: '[standards.coverage]\ndirection = "up"\nlimit = 91.7\nrun = "cov"\n[standards.alerts]\nmetric = "a"\ndirection = "down"\nlimit = 0\nrun = ["x", "y"]\nper = "words"\nscale = 1000\nmargin = 0.5\ninputs = ["src/**"]\ntimeout = 9\n[standards.density]\ndirection = "down"\nlimit = -1\nrun = "d"\nper = { lines = ["a/**", "b/**"] }',
    reads: {
      standards: [
        {
          ...standardDefaults,
          name: 'coverage',
          metric: 'coverage',
          direction: 'up',
          limit: 91.7,
          run: ['cov'],
        },
        {
          name: 'alerts',
          metric: 'a',
          direction: 'down',
          limit: 0,
          run: ['x', 'y'],
          per: { metric: 'words' },
          scale: 1000,
          margin: 0.5,
          inputs: ['src/**'],
          timeout: 9,
        },
        {
          ...standardDefaults,
          name: 'density',
          metric: 'density',
          direction: 'down',
          limit: -1,
          run: ['d'],
          per: { extent: 'lines', paths: ['a/**', 'b/**'] },
        },
      ],
    },
  },
  {
    title: 'a generated group has paths and a command',
    text: '[generated.types]\npaths = ["types/**"]\nrun = "gen"\nlinguist_generated = true\ntimeout = 120\n[generated.none]\npaths = []\nrun = ["a", "b"]',
    reads: {
      generated: [
        { name: 'types', paths: ['types/**'], run: ['gen'], linguist_generated: true, timeout: 120 },
        { name: 'none', paths: [], run: ['a', 'b'] },
      ],
    },
  },
  {
    title: 'the gate has a fail-fast switch and a time limit',
    text: '[gate]\nfail_fast = false\ntimeout = 0\nstream_output = true\nconcurrent_test_runs = 2',
    reads: { gate: { fail_fast: false, timeout: 0, stream_output: true, concurrent_test_runs: 2 } },
  },
  {
    title: 'worktrees have a root, a port, env files, setup and resources, in file order',
    text: '[worktree]\nroot = "../wt"\nexport_port = true\ninherit_env = ["KEY"]\nenv_files = [".env"]\ntrack_ignored_drift = true\n[worktree.resources.9]\ncreate = "c"\n[worktree.resources.1]\ndestroy = "d"\nensure = "e"\nrequired = false\nretries = 3\nprunable = false\n[worktree.setup]\nsteps = ["s"]\nensure = ["e"]',
    reads: {
      worktree: {
        root: '../wt',
        export_port: true,
        inherit_env: ['KEY'],
        env_files: ['.env'],
        track_ignored_drift: true,
        setup: { steps: ['s'], ensure: ['e'] },
        resources: [
          { ...resourceDefaults, name: '9', create: 'c' },
          { name: '1', create: '', destroy: 'd', ensure: 'e', required: false, retries: 3, prunable: false },
        ],
      },
    },
  },
  {
    title: 'tables of other tools are left alone, whatever they hold',
    text: '[map]\nx = 1\n[skills]\n[instructions]\nsources = 4\n[meta]\nschema_version = 1\n[setup]\n[coupling]\nreport_in_gate = "perhaps"\n[scripts]\n[tool.mine]\na = 1979-05-27\n[[features]]\n[features.deep.er]',
    reads: {},
  },
  {
    title: 'a schema named at the top is left alone',
    text: '"$schema" = "https://x.test/s.json"',
    reads: {},
  },
  {
    title: 'names that JavaScript keeps for itself are ordinary names',
    text: '[jobs.__proto__]\nstage = "fix"\nrun = "p"\n[jobs.constructor]\nstage = "fix"\nrun = "c"\n[scopes.toString]\npaths = ["t"]\n[scopes.__proto__]\npaths = ["q"]\n[worktree.resources.hasOwnProperty]\n[__proto__]\npolluted = true\n[constructor.prototype]\npolluted = true',
    reads: {
      jobs: [
        { name: '__proto__', stage: 'fix', commands: ['p'] },
        { name: 'constructor', stage: 'fix', commands: ['c'] },
      ],
      scopes: [
        { name: 'toString', paths: ['t'], neutral: false, previewable: false },
        { name: '__proto__', paths: ['q'], neutral: false, previewable: false },
      ],
      worktree: { ...defaults.worktree, resources: [{ ...resourceDefaults, name: 'hasOwnProperty' }] },
    },
  },
  {
    title: 'CRLF lines and a BOM read like any other',
    text: '\uFEFF[jobs]\r\nlint = "l"\r\n\r\n[gate]\r\ntimeout = 5\r\n',
    reads: {
      jobs: [{ name: 'lint', stage: 'check', commands: ['l'] }],
      gate: { fail_fast: true, timeout: 5, concurrent_test_runs: 1 },
    },
  },
  {
    title: 'commands may be multi-line and literal strings',
    text: '[jobs]\nlint = \'\'\'\na \\\nb\'\'\'\ntest = """\na \\\n   b"""',
    reads: {
      jobs: [
        { name: 'lint', stage: 'check', commands: ['a \\\nb'] },
        { name: 'test', stage: 'test', commands: ['a b'] },
      ],
    },
  },
];

describe('the config', () => {
  for (const { title, text, reads } of features) {
    it(title, () => {
      assert.deepEqual(read(text), { ...defaults, ...reads });
    });
  }

  it('leaves no trace of a table named __proto__ on other objects', () => {
    read('[__proto__]\npolluted = true\n[jobs.__proto__]\nstage = "fix"\nrun = "p"');
    assert.equal('polluted' in {}, false);
    assert.equal('stage' in {}, false);
  });

  it('is described by a JSON Schema that knows every table and marks the older ones', () => {
    const schema = z.toJSONSchema(ConfigFile, { io: 'input' });
    const properties = schema.properties ?? {};
    assert.deepEqual(Object.keys(properties), [
      ...['project', 'repository', 'jobs', 'scopes', 'standards', 'generated'],
      ...['acceptance', 'checkpoints', 'gate', 'worktree'],
      ...['capabilities', 'checks', 'ratchets', ...Object.keys(otherTables)],
    ]);
    assert.equal(properties.ratchets instanceof Object && properties.ratchets.deprecated, true);
  });
});

describe('a reference', () => {
  const commands = (text: string) => read(text).jobs.flatMap((job) => job.commands);
  const all = ['map.dir', 'skills.dir', 'scripts.dir', 'project.todo', 'project.gotchas_doc'];
  const list = JSON.stringify(all.map((name) => `<\${${name}}>`));

  it('stands for its default where the file is silent', () => {
    assert.deepEqual(commands(`[jobs]\nlint = ${list}`), [
      '<discern/map/>',
      '<discern/skills>',
      '<discern/scripts>',
      '<discern/TODO.md>',
      '<>',
    ]);
  });

  it('stands for what the file says, directories in one shape', () => {
    const values =
      '[map]\ndir = "./docs//"\n[skills]\ndir = "skills/"\n[scripts]\ndir = "bin"\n[project]\ntodo = "./T.md"\ngotchas_doc = "g.md"';
    assert.deepEqual(commands(`${values}\n[jobs]\nlint = ${list}`), [
      '<docs/>',
      '<skills>',
      '<bin>',
      '<T.md>',
      '<g.md>',
    ]);
  });

  it('to the project root or to a path of any length is read like any other', () => {
    const slashes = '/'.repeat(90_000);
    const values = `[map]\ndir = "./"\n[skills]\ndir = "${slashes}x"\n[scripts]\ndir = "x${slashes}"`;
    assert.deepEqual(commands(`${values}\n[jobs]\nlint = ${list}`).slice(0, 3), [
      '<./>',
      `<${slashes}x>`,
      '<x>',
    ]);
  });

  it('is resolved wherever the published format allows it', () => {
    const { jobs, scopes, generated, standards } = read(
      [
        '[map]\ndir = "m"',
        `[jobs]\ntest = { run = "t \${map.dir}" }`,
        `[jobs.x]\nstage = "fix"\nrun = ["x \${map.dir}"]`,
        `[scopes.s]\npaths = ["\${map.dir}**"]\ngate = "g \${map.dir}"`,
        `[generated.g]\npaths = ["\${map.dir}g"]\nrun = "r \${map.dir}"`,
        `[standards.a]\ndirection = "up"\nlimit = 1\nrun = "a \${map.dir}"\ninputs = ["\${map.dir}i"]\nper = { words = "\${map.dir}w" }`,
        `[standards.b]\ndirection = "up"\nlimit = 1\nrun = "b"\nper = "\${map.dir}m"`,
      ].join('\n'),
    );
    assert.deepEqual(
      [
        ...jobs.flatMap((job) => job.commands),
        ...scopes.flatMap((scope) => [...scope.paths, ...(scope.gate ?? [])]),
        ...generated.flatMap((group) => [...group.paths, ...group.run]),
        ...standards.flatMap((one) => [...one.run, ...(one.inputs ?? []), JSON.stringify(one.per)]),
      ],
      [
        ...['x m/', 't m/', 'm/**', 'g m/', 'm/g', 'r m/', 'a m/', 'm/i'],
        ...['{"extent":"words","paths":["m/w"]}', 'b', '{"metric":"m/m"}'],
      ],
    );
  });

  it('is put in as it is, and only once', () => {
    assert.deepEqual(commands(`[project]\ntodo = '$& \${map.dir} $1'\n[jobs]\nlint = '\${project.todo}'`), [
      `$& \${map.dir} $1`,
    ]);
  });

  it('leaves every other brace to the shell', () => {
    const shell = `\${HOME} \${map.dirs} \${map} $map.dir \${PORT:-80} \${jobs.lint} \${ map.dir } \${MAP.DIR}`;
    assert.deepEqual(commands(`[jobs]\nlint = '${shell}'`), [shell]);
  });

  it('is not resolved in setup commands, which the published format leaves to the shell', () => {
    const { repository, worktree } = read(
      `[repository]\nensure = ['\${map.dir}']\n[worktree.setup]\nsteps = ['\${map.dir}']\n[worktree.resources.r]\ncreate = '\${map.dir}'`,
    );
    assert.deepEqual(
      [repository.ensure, worktree.setup.steps, worktree.resources[0]?.create],
      [[`\${map.dir}`], [`\${map.dir}`], `\${map.dir}`],
    );
  });

  it('to a value that is no string stands for the default, with a note', () => {
    const { config, notes } = checkConfig(`[map]\ndir = 3\n[jobs]\nlint = '\${map.dir}'`, 'f.toml');
    assert.deepEqual(config?.jobs[0]?.commands, ['discern/map/']);
    assert.deepEqual(notes, [`f.toml:2: [map].dir is not a string, so \${map.dir} stands for discern/map/.`]);
  });
});
