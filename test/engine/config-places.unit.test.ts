import assert from 'node:assert/strict';
import { checkConfig } from '../../src/engine/config/index.ts';

interface Wrong {
  title: string;
  text: string;
  /** `line:column-line:column key: message`, in file order. */
  problems: string[];
}

const needsBoth = [
  '1:7-1:8 jobs.x.stage: [jobs.x] needs stage ("fix" or "build" or "check" or "test")',
  '1:7-1:8 jobs.x.run: [jobs.x] needs run (a command or a list of commands)',
];

const wrongs: Wrong[] = [
  // Unknown keys, at the key.
  {
    title: 'an unknown key of a custom job, with the nearest known one',
    text: '[jobs.x]\nstage = "fix"\nrun = "r"\n  provids = "p"',
    problems: ['4:3-4:10 jobs.x.provids: unknown key "provids" in [jobs.x]; did you mean "provides"?'],
  },
  {
    title: 'an unknown key that is near to none, with all there are',
    text: '[gate]\nretry = 1',
    problems: [
      '2:1-2:6 gate.retry: unknown key "retry" in [gate]; it takes fail_fast, timeout, stream_output, concurrent_test_runs',
    ],
  },
  {
    title: 'an unknown key of an inline table',
    text: '[jobs]\ntest = { run = "t", timeot = 3 }',
    problems: ['2:21-2:27 jobs.test.timeot: unknown key "timeot" in [jobs.test]; did you mean "timeout"?'],
  },
  {
    title: 'an unknown key that is quoted and dotted',
    text: '[gate]\n"fail fast".now = true',
    problems: ['2:1-2:12 gate."fail fast": unknown key "fail fast" in [gate]; did you mean "fail_fast"?'],
  },
  {
    title: 'an unknown sub-table',
    text: '[worktree]\n[worktree.resource.db]',
    problems: [
      '2:11-2:19 worktree.resource: unknown key "resource" in [worktree]; did you mean "resources"?',
    ],
  },
  {
    title: 'an older key is never what was meant',
    text: '[project]\nmain_branc = "m"',
    problems: [
      '2:1-2:11 project.main_branc: unknown key "main_branc" in [project]; it takes name, slug, gotchas_doc, todo, record_logbook, agents',
    ],
  },
  {
    title: 'an unknown key in each of the other tables',
    text: '[project]\nslog = ""\n[repository]\ntrunc = ""\n[scopes.s]\npaths = ["p"]\npath = ""\n[standards.s]\ndirection = "up"\nlimit = 1\nrun = "r"\nlimits = 2\nper = { line = "x" }\n[generated.g]\npaths = []\nrun = "r"\nruns = ""\n[worktree]\nports = 1\n[worktree.setup]\nstep = []\n[worktree.resources.r]\ncreat = ""',
    problems: [
      '2:1-2:5 project.slog: unknown key "slog" in [project]; did you mean "slug"?',
      '4:1-4:6 repository.trunc: unknown key "trunc" in [repository]; did you mean "trunk"?',
      '7:1-7:5 scopes.s.path: unknown key "path" in [scopes.s]; did you mean "paths"?',
      '12:1-12:7 standards.s.limits: unknown key "limits" in [standards.s]; did you mean "limit"?',
      '13:9-13:13 standards.s.per.line: unknown key "line" in [standards.s.per]; did you mean "lines"?',
      '17:1-17:5 generated.g.runs: unknown key "runs" in [generated.g]; did you mean "run"?',
      '19:1-19:6 worktree.ports: unknown key "ports" in [worktree]; it takes root, export_port, inherit_env, env_files, track_ignored_drift, setup, resources',
      '21:1-21:5 worktree.setup.step: unknown key "step" in [worktree.setup]; did you mean "steps"?',
      '23:1-23:6 worktree.resources.r.creat: unknown key "creat" in [worktree.resources.r]; did you mean "create"?',
    ],
  },
  {
    title: 'names that JavaScript keeps for itself are unknown keys like any other',
    text: '[gate]\n__proto__ = 1\nconstructor = 2\ntoString = 3',
    problems: ['__proto__', 'constructor', 'toString'].map(
      (name, index) =>
        `${index + 2}:1-${index + 2}:${name.length + 1} gate.${name}: unknown key "${name}" in [gate]; it takes fail_fast, timeout, stream_output, concurrent_test_runs`,
    ),
  },
  // Jobs.
  {
    title: 'an unknown job that is only a command',
    text: '[jobs]\nlnt = "eslint"',
    problems: [
      '2:1-2:4 jobs.lnt: unknown job "lnt" in [jobs]; did you mean "lint"? A custom job needs a table with stage and run, not a string',
    ],
  },
  {
    title: 'an unknown job that is a list and near to none',
    text: '[jobs]\ndeploy = ["a"]',
    problems: [
      '2:1-2:7 jobs.deploy: unknown job "deploy" in [jobs]; known are format, build, lint, typecheck, test, smoke. A custom job needs a table with stage and run, not a list',
    ],
  },
  {
    title: 'a known job that declares its stage',
    text: '[jobs.lint]\nrun = "l"\nstage = "check"',
    problems: [
      '3:1-3:6 jobs.lint.stage: [jobs.lint].stage must not be declared: the stage of a known job follows from its name',
    ],
  },
  { title: 'a custom job without stage and run', text: '[jobs.x]\nprovides = "p"', problems: needsBoth },
  {
    title: 'a stage there is none of',
    text: '[jobs.x]\nrun = "r"\nstage = "chek"',
    problems: [
      '3:9-3:15 jobs.x.stage: [jobs.x].stage must be "fix" or "build" or "check" or "test", not "chek"; did you mean "check"?',
    ],
  },
  {
    title: 'a scope gate is no stage a job may declare',
    text: '[jobs.x]\nrun = "r"\nstage = "scope"',
    problems: [
      '3:9-3:16 jobs.x.stage: [jobs.x].stage must be "fix" or "build" or "check" or "test", not "scope"',
    ],
  },
  {
    title: 'a name with other characters than letters, digits, - and _',
    text: '[jobs."a b"]\n[scopes."ä"]\n[standards."a.b"]\n[worktree.resources.""]',
    problems: [
      '1:7-1:12 jobs."a b": the name "a b" in [jobs] may have only letters, digits, "-" and "_"',
      '2:9-2:12 scopes."ä": the name "ä" in [scopes] may have only letters, digits, "-" and "_"',
      '3:12-3:17 standards."a.b": the name "a.b" in [standards] may have only letters, digits, "-" and "_"',
      '4:21-4:23 worktree.resources."": the name "" in [worktree.resources] may have only letters, digits, "-" and "_"',
    ],
  },
  {
    title: 'commands that are empty, blank, or hold a NUL',
    text: '[jobs]\nlint = ""\ntypecheck = "  \\t"\nbuild = []\ntest = { run = ["a", ""] }\nsmoke = "a\\u0000b"\n[repository]\nensure = ["a", " "]\n[scopes.s]\npaths = ["a", ""]\ngate = ""',
    problems: [
      '2:8-2:10 jobs.lint: [jobs].lint is empty',
      '3:13-3:19 jobs.typecheck: [jobs].typecheck is empty',
      '4:9-4:11 jobs.build: [jobs].build is empty',
      '5:22-5:24 jobs.test.run.1: [jobs.test].run[1] is empty',
      '6:9-6:19 jobs.smoke: [jobs].smoke holds a NUL character',
      '8:16-8:19 repository.ensure.1: [repository].ensure[1] is empty',
      '10:15-10:17 scopes.s.paths.1: [scopes.s].paths[1] is empty',
      '11:8-11:10 scopes.s.gate: [scopes.s].gate is empty',
    ],
  },
  {
    title: 'commands of which a reference leaves nothing',
    text: `[jobs]\nlint = "\${project.gotchas_doc}"\n[jobs.x]\nstage = "fix"\nrun = ["a", " \${project.gotchas_doc} "]\n[scopes.s]\npaths = ["p"]\ngate = "\${project.gotchas_doc}"\n[standards.s]\ndirection = "up"\nlimit = 1\nrun = "\${project.gotchas_doc}"`,
    problems: [
      '2:1-2:5 jobs.lint: [jobs].lint has a command that is empty once its references are resolved',
      '3:7-3:8 jobs.x: [jobs].x has a command that is empty once its references are resolved',
      '8:1-8:5 scopes.s.gate: [scopes.s].gate has a command that is empty once its references are resolved',
      '12:1-12:4 standards.s.run: [standards.s].run has a command that is empty once its references are resolved',
    ],
  },
  // Wrong types, at the value.
  {
    title: 'tables that are none',
    text: 'jobs = 3\nproject = []\ngate = "g"\nworktree = true\nscopes = 1.5\n[repository]\n[[standards]]\n[[generated]]',
    problems: [
      '1:8-1:9 jobs: [jobs] must be a table, not a number',
      '2:11-2:13 project: [project] must be a table, not a list',
      '3:8-3:11 gate: [gate] must be a table, not a string',
      '4:12-4:16 worktree: [worktree] must be a table, not true',
      '5:10-5:13 scopes: [scopes] must be a table, not a number',
      '7:3-7:12 standards: [standards] must be a table, not a list',
      '8:3-8:12 generated: [generated] must be a table, not a list',
    ],
  },
  {
    title: 'named tables that are none',
    text: '[scopes]\ns = ["a"]\n[standards]\nt = 1\n[generated]\ng = "x"\n[worktree]\nsetup = 1\nresources = 2',
    problems: [
      '2:5-2:10 scopes.s: [scopes].s must be a table, not a list',
      '4:5-4:6 standards.t: [standards].t must be a table, not a number',
      '6:5-6:8 generated.g: [generated].g must be a table, not a string',
      '8:9-8:10 worktree.setup: [worktree].setup must be a table, not a number',
      '9:13-9:14 worktree.resources: [worktree.resources] must be a table, not a number',
    ],
  },
  {
    title: 'jobs of the wrong type',
    text: '[jobs]\nlint = 3\ntest = ["a", 4, ["b"]]\nbuild = { run = true }\nformat = {}\nsmoke = 1979-05-27',
    problems: [
      '2:8-2:9 jobs.lint: [jobs].lint must be a command, a list of commands or { run, timeout }, not a number',
      '3:14-3:15 jobs.test.1: [jobs].test[1] must be a string, not a number',
      '3:17-3:22 jobs.test.2: [jobs].test[2] must be a string, not a list',
      '4:17-4:21 jobs.build.run: [jobs.build].run must be a command or a list of commands, not true',
      '5:1-5:7 jobs.format.run: [jobs.format] needs run (a command or a list of commands)',
      '6:9-6:19 jobs.smoke: [jobs].smoke must be a command, a list of commands or { run, timeout }, not a date',
    ],
  },
  {
    title: 'time limits that are negative, infinite, no number, or a string',
    text: '[gate]\ntimeout = -1\n[jobs]\nlint = { run = "l", timeout = inf }\n[scopes.s]\npaths = ["p"]\ntimeout = -inf\n[standards.s]\ndirection = "up"\nlimit = nan\nrun = "r"\nmargin = -0.5\ntimeout = "60"',
    problems: [
      '2:11-2:13 gate.timeout: [gate].timeout must be 0 or more',
      '4:31-4:34 jobs.lint.timeout: [jobs.lint].timeout must be a number, not inf',
      '7:11-7:15 scopes.s.timeout: [scopes.s].timeout must be a number, not -inf',
      '10:9-10:12 standards.s.limit: [standards.s].limit must be a number, not nan',
      '12:10-12:14 standards.s.margin: [standards.s].margin must be 0 or more',
      '13:11-13:15 standards.s.timeout: [standards.s].timeout must be a number, not a string',
    ],
  },
  {
    title: 'dates and times, which are never wanted',
    text: '[project]\nname = 1979-05-27T07:32:00Z\nslug = 07:32:00\n[gate]\nfail_fast = 1979-05-27\ntimeout = 1979-05-27T07:32:00',
    problems: [
      '2:8-2:28 project.name: [project].name must be a string, not a date',
      '3:8-3:16 project.slug: [project].slug must be a string, not a date',
      '5:13-5:23 gate.fail_fast: [gate].fail_fast must be true or false, not a date',
      '6:11-6:30 gate.timeout: [gate].timeout must be a number, not a date',
    ],
  },
  {
    title: 'counts that are no whole number',
    text: '[gate]\nconcurrent_test_runs = 1.5\n[worktree.resources.r]\nretries = -1\nrequired = "yes"\ncreate = ["c"]',
    problems: [
      '2:24-2:27 gate.concurrent_test_runs: [gate].concurrent_test_runs must be a whole number, not 1.5',
      '4:11-4:13 worktree.resources.r.retries: [worktree.resources.r].retries must be 0 or more',
      '5:12-5:17 worktree.resources.r.required: [worktree.resources.r].required must be true or false, not a string',
      '6:10-6:15 worktree.resources.r.create: [worktree.resources.r].create must be a string, not a list',
    ],
  },
  {
    title: 'env files that lie elsewhere',
    text: '[worktree]\nenv_files = [".env", "../.env", "/etc/app", "a/../../b", "~/x", ".git/config", "..env", ""]',
    problems: [
      ['22', '../.env', 1],
      ['33', '/etc/app', 2],
      ['45', 'a/../../b', 3],
      ['58', '~/x', 4],
      ['65', '.git/config', 5],
    ]
      .map(([at, text, index]) => {
        const end = Number(at) + String(text).length + 2;
        return `2:${at}-2:${end} worktree.env_files.${index}: [worktree].env_files[${index}] must be a file inside the project`;
      })
      .concat('2:89-2:91 worktree.env_files.7: [worktree].env_files[7] is empty'),
  },
  {
    title: 'scopes without paths',
    text: '[scopes.a]\nneutral = true\n[scopes.b]\npaths = []\n[scopes.c]\npaths = "c"',
    problems: [
      '1:9-1:10 scopes.a.paths: [scopes.a] needs paths (a list)',
      '4:9-4:11 scopes.b.paths: [scopes.b].paths is empty',
      '6:9-6:12 scopes.c.paths: [scopes.c].paths must be a list, not a string',
    ],
  },
  {
    title: 'standards that lack what they need or say it wrongly',
    text: '[standards.a]\n[standards.b]\ndirection = "upp"\nlimit = "9"\nrun = { }\nper = { files = "f", words = "w" }\nmeasure = "never"\n[standards.c]\ndirection = "up"\nlimit = 1\nrun = "r"\nper = {}\n[standards.d]\ndirection = "up"\nlimit = 1\nrun = "r"\nper = { files = [] }\n[standards.e]\ndirection = "up"\nlimit = 1\nrun = "r"\nper = 3',
    problems: [
      '1:12-1:13 standards.a.direction: [standards.a] needs direction ("up" or "down")',
      '1:12-1:13 standards.a.limit: [standards.a] needs limit (a number)',
      '1:12-1:13 standards.a.run: [standards.a] needs run (a command or a list of commands, or else producer)',
      '3:13-3:18 standards.b.direction: [standards.b].direction must be "up" or "down", not "upp"; did you mean "up"?',
      '4:9-4:12 standards.b.limit: [standards.b].limit must be a number, not a string',
      '5:7-5:10 standards.b.run: [standards.b].run must be a command or a list of commands, not a table',
      '6:7-6:35 standards.b.per: [standards.b].per must name exactly one of files, lines, words, bytes',
      '7:11-7:18 standards.b.measure: [standards.b].measure must be "gate" or "on-demand", not "never"',
      '12:7-12:9 standards.c.per: [standards.c].per must name exactly one of files, lines, words, bytes',
      '17:17-17:19 standards.d.per.files: [standards.d.per].files is empty',
      '22:7-22:8 standards.e.per: [standards.e].per must be a metric or a table with one of files, lines, words, bytes, not a number',
    ],
  },
  {
    title: 'a generated group without paths or run',
    text: '[generated.g]',
    problems: [
      '1:12-1:13 generated.g.paths: [generated.g] needs paths (a list)',
      '1:12-1:13 generated.g.run: [generated.g] needs run (a command or a list of commands)',
    ],
  },
  {
    title: 'types that other tools would mind too',
    text: '[project]\nlogbook = "on"\nagents = "codex"\n[repository]\nensure = "npm ci"\n[worktree]\nenv_files = ".env"',
    problems: [
      '2:11-2:15 project.logbook: [project].logbook must be true or false, not a string',
      '3:10-3:17 project.agents: [project].agents must be a list, not a string',
      '5:10-5:18 repository.ensure: [repository].ensure must be a list, not a string',
      '7:13-7:19 worktree.env_files: [worktree].env_files must be a list, not a string',
    ],
  },
  {
    title: 'values nested far too deep',
    text: `[jobs]\nlint = ${'['.repeat(500)}${']'.repeat(500)}\n[jobs${'.a'.repeat(500)}]`,
    problems: [
      '2:9-2:1007 jobs.lint.0: [jobs].lint[0] must be a string, not a list',
      '3:7-3:8 jobs.a.stage: [jobs.a] needs stage ("fix" or "build" or "check" or "test")',
      '3:7-3:8 jobs.a.run: [jobs.a] needs run (a command or a list of commands)',
      '3:9-3:10 jobs.a.a: unknown key "a" in [jobs.a]; it takes stage, run, inputs, needs, artifacts, environment, toolchain, provides, timeout',
    ],
  },
  {
    title: 'places behind a BOM, CRLF, tabs and wide characters',
    text: '\uFEFF[gate] # 😀\r\n\ttimeout = "é😀" # x\r\n\ttimeot = 1\r\n',
    problems: [
      '2:12-2:17 gate.timeout: [gate].timeout must be a number, not a string',
      '3:2-3:8 gate.timeot: unknown key "timeot" in [gate]; did you mean "timeout"?',
    ],
  },
  {
    title: 'a value over several lines',
    text: '[gate]\ntimeout = [\n  1,\n  2,\n]',
    problems: ['2:11-5:2 gate.timeout: [gate].timeout must be a number, not a list'],
  },
  // Syntax, at the word the parser stops at.
  {
    title: 'a key given twice',
    text: '[jobs]\nlint = "a"\ntest = "t"\n  lint = "b"',
    problems: ['4:3-4:7 : lint is given twice; keep one of the two'],
  },
  {
    title: 'a table given twice',
    text: '[gate]\ntimeout = 1\n\n[gate]',
    problems: ['4:2-4:6 : gate is given twice; keep one of the two'],
  },
  {
    title: 'a dotted key that repeats a table',
    text: '[worktree.setup]\n[worktree]\nsetup.steps = []',
    problems: ['3:1-3:6 : setup is given twice; keep one of the two'],
  },
  {
    title: 'an unquoted string',
    text: '[jobs]\nlint = eslint .',
    problems: ['2:8-2:14 : not valid TOML: unexpected character at "eslint"'],
  },
  {
    title: 'a string without end',
    text: '[jobs]\nlint = "eslint\ntest = "t"',
    problems: ['2:15-2:15 : not valid TOML: unterminated string constant'],
  },
  {
    title: 'a table header without end',
    text: '[jobs\nlint = "l"',
    problems: [
      '2:1-2:5 : not valid TOML: the key, equals sign, and value must be on the same line at "lint"',
    ],
  },
  {
    title: 'a key without a value at the end of the text',
    text: '[jobs]\nlint =',
    problems: ['2:7-2:7 : not valid TOML: unspecified values are invalid'],
  },
  {
    title: 'another language',
    text: '{ "jobs": 1 }',
    problems: ['1:1-1:2 : not valid TOML: unexpected token at "{"'],
  },
  {
    title: 'a NUL byte',
    text: 'a = 1\n\0',
    problems: ['2:1-2:2 : not valid TOML: unexpected character at "\\u0000"'],
  },
  {
    title: 'brackets without number',
    text: `a = ${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    problems: ['1:1-1:1 : nested too deeply, or with too long a string, to be read'],
  },
  {
    title: 'a string without measure',
    text: `[jobs]\nlint = "${'x'.repeat(600_000)}"`,
    problems: ['1:1-1:1 : nested too deeply, or with too long a string, to be read'],
  },
];

describe('a problem in the config', function () {
  // The huge texts take seconds on a busy machine.
  this.timeout(60_000);

  for (const { title, text, problems } of wrongs) {
    it(`has its place: ${title}`, () => {
      const checked = checkConfig(text, 'discern.toml');
      assert.deepEqual(
        checked.problems.map(
          ({ line, column, endLine, endColumn, key, message }) =>
            `${line}:${column}-${endLine}:${endColumn} ${key}: ${message}`,
        ),
        problems,
      );
      assert.equal(checked.config, undefined);
    });
  }

  it('is found beside all others of the file, in file order', () => {
    const { problems } = checkConfig(
      '[worktree]\nrot = 1\n[gate]\ntimeout = "x"\n[jobs]\nlnt = "l"\n[project]\nname = 1',
      'f',
    );
    assert.deepEqual(
      problems.map(({ key }) => key),
      ['worktree.rot', 'gate.timeout', 'jobs.lnt', 'project.name'],
    );
  });

  it('of a file that is nothing but problems is one of at most a thousand', () => {
    const text = `[gate]\n${Array.from({ length: 20_000 }, (_, index) => `k${index} = 1`).join('\n')}`;
    const { config, problems } = checkConfig(text, 'discern.toml');
    assert.equal(config, undefined);
    assert.equal(problems.length, 1000);
    assert.deepEqual([problems[0]?.line, problems[999]?.line], [2, 1001]);
  });

  it('is none in a file of fifty thousand lines that is right', () => {
    const text = Array.from(
      { length: 16_700 },
      (_, index) => `[jobs.j${index}]\nstage = "check"\nrun = "r"`,
    ).join('\n');
    const { config, problems } = checkConfig(text, 'discern.toml');
    assert.deepEqual(problems, []);
    assert.equal(config?.jobs.length, 16_700);
  });
});
