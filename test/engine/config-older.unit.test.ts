import assert from 'node:assert/strict';
import type { Config } from '../../src/contract/config.ts';
import { checkConfig } from '../../src/engine/config/index.ts';

interface Older {
  title: string;
  text: string;
  reads: (config: Config) => unknown;
  as: unknown;
  notes: string[];
}

const named = (config: Config) => config.jobs.map(({ name, stage, commands }) => [name, stage, ...commands]);

const olders: Older[] = [
  {
    title: '[capabilities] is [jobs]',
    text: `\n[capabilities]\ntest = ["t", "\${map.dir}"]\nformat = { run = "f", timeout = 5 }`,
    reads: (config) => config.jobs,
    as: [
      { name: 'format', stage: 'fix', commands: ['f'], timeout: 5 },
      { name: 'test', stage: 'test', commands: ['t', 'discern/map/'] },
    ],
    notes: ['f:2: [capabilities] is the older spelling of [jobs]; rename it.'],
  },
  {
    title: '[capabilities] beside [jobs] adds what [jobs] does not give',
    text: '[jobs]\nlint = "new"\n[capabilities]\nlint = "old"\ntest = "t"',
    reads: named,
    as: [
      ['lint', 'check', 'new'],
      ['test', 'test', 't'],
    ],
    notes: [
      'f:3: [capabilities] is the older spelling of [jobs]; rename it. [jobs] wins where both give the same name: lint.',
    ],
  },
  {
    title: '[checks.<name>] is a custom job of the check stage, unless it says otherwise',
    text: '[checks.licences]\nrun = "l"\n[checks.e2e]\nrun = ["a", "b"]\nstage = "test"',
    reads: named,
    as: [
      ['licences', 'check', 'l'],
      ['e2e', 'test', 'a', 'b'],
    ],
    notes: ['f:1: [checks] is the older spelling of [jobs]; rename it and give each a stage (it was check).'],
  },
  {
    title: '[checks.<name>] gives way to [jobs.<name>]',
    text: '[checks.x]\nrun = "old"\n[jobs.x]\nstage = "fix"\nrun = "new"',
    reads: named,
    as: [['x', 'fix', 'new']],
    notes: [
      'f:1: [checks] is the older spelling of [jobs]; rename it and give each a stage (it was check). [jobs] wins where both give the same name: x.',
    ],
  },
  {
    title: '[ratchets.<name>] is [standards.<name>]',
    text: '[ratchets.coverage]\ndirection = "up"\nlimit = 89\nrun = "cov"',
    reads: (config) => config.standards,
    as: [
      { name: 'coverage', metric: 'coverage', direction: 'up', limit: 89, run: ['cov'], scale: 1, margin: 0 },
    ],
    notes: ['f:1: [ratchets] is the older spelling of [standards]; rename it.'],
  },
  {
    title: '[ratchets.<name>] gives way to [standards.<name>]',
    text: '[ratchets.a]\ndirection = "up"\nlimit = 1\nrun = "old"\n[ratchets.b]\ndirection = "up"\nlimit = 2\nrun = "b"\n[standards.a]\ndirection = "up"\nlimit = 3\nrun = "new"',
    reads: (config) => config.standards.map(({ name, limit }) => [name, limit]),
    as: [
      ['a', 3],
      ['b', 2],
    ],
    notes: [
      'f:1: [ratchets] is the older spelling of [standards]; rename it. [standards] wins where both give the same name: a.',
    ],
  },
  {
    title: '[project].main_branch is [repository].trunk',
    text: '[project]\nmain_branch = "develop"',
    reads: (config) => [config.repository.trunk, config.project],
    as: ['develop', { name: '', slug: '' }],
    notes: ['f:2: [project].main_branch is the older spelling of [repository].trunk; move it there.'],
  },
  {
    title: '[project].graduate_to is [repository].trunk',
    text: '[project]\ngraduate_to = "develop"',
    reads: (config) => config.repository.trunk,
    as: 'develop',
    notes: ['f:2: [project].graduate_to is the older spelling of [repository].trunk; move it there.'],
  },
  {
    title: 'the new trunk wins over both older ones',
    text: '[project]\nmain_branch = "a"\ngraduate_to = "b"\n[repository]\ntrunk = "c"',
    reads: (config) => config.repository.trunk,
    as: 'c',
    notes: [
      'f:2: [project].main_branch is the older spelling of [repository].trunk; move it there. [repository].trunk is given too, and wins.',
      'f:3: [project].graduate_to is the older spelling of [repository].trunk; move it there. [repository].trunk is given too, and wins.',
    ],
  },
  {
    title: 'main_branch wins over graduate_to, and a blank one gives way',
    text: '[project]\nmain_branch = ""\ngraduate_to = "b"\n[repository]\ntrunk = ""',
    reads: (config) => config.repository.trunk,
    as: 'b',
    notes: [
      'f:2: [project].main_branch is the older spelling of [repository].trunk; move it there.',
      'f:3: [project].graduate_to is the older spelling of [repository].trunk; move it there.',
    ],
  },
  {
    title: '[worktree].branch_prefix is [repository].branch_prefix',
    text: '[worktree]\nbranch_prefix = "bot/"\nexport_port = true',
    reads: (config) => [config.repository.branch_prefix, 'branch_prefix' in config.worktree],
    as: ['bot/', false],
    notes: [
      'f:2: [worktree].branch_prefix is the older spelling of [repository].branch_prefix; move it there.',
    ],
  },
  {
    title: '[worktree].branch_prefix gives way to [repository].branch_prefix',
    text: '[worktree]\nbranch_prefix = "old/"\n[repository]\nbranch_prefix = "new/"',
    reads: (config) => config.repository.branch_prefix,
    as: 'new/',
    notes: [
      'f:2: [worktree].branch_prefix is the older spelling of [repository].branch_prefix; move it there. The new one is given too, and wins.',
    ],
  },
  {
    title: '[project].branch_prefix is [repository].branch_prefix, after that of [worktree]',
    text: '[project]\nbranch_prefix = "bot/"\n[worktree]\nbranch_prefix = "wt/"',
    reads: (config) => [config.repository.branch_prefix, 'branch_prefix' in config.project],
    as: ['wt/', false],
    notes: [
      'f:2: [project].branch_prefix is the older spelling of [repository].branch_prefix; move it there. [worktree].branch_prefix is given too, and wins.',
      'f:4: [worktree].branch_prefix is the older spelling of [repository].branch_prefix; move it there.',
    ],
  },
  {
    title: '[project].branch_prefix alone is read',
    text: '[project]\nbranch_prefix = "bot/"',
    reads: (config) => config.repository.branch_prefix,
    as: 'bot/',
    notes: [
      'f:2: [project].branch_prefix is the older spelling of [repository].branch_prefix; move it there.',
    ],
  },
  {
    title: '[worktree].graduate_to has no effect',
    text: '[worktree]\ngraduate_to = "branch"\nexport_port = true',
    reads: (config) => [
      config.repository.trunk,
      config.worktree.export_port,
      'graduate_to' in config.worktree,
    ],
    as: [undefined, true, false],
    notes: [
      'f:2: [worktree].graduate_to is an older key without effect: accept lands on the trunk; remove it.',
    ],
  },
  {
    title: '[ratchets.<name>] without a direction goes up',
    text: '[ratchets.coverage]\nlimit = 89\nrun = "cov"',
    reads: (config) => config.standards.map(({ name, direction }) => [name, direction]),
    as: [['coverage', 'up']],
    notes: ['f:1: [ratchets] is the older spelling of [standards]; rename it.'],
  },
  ...(
    [
      ['project', 'logbook', 'record_logbook', 'false', false],
      ['repository', 'proof_notes', 'proof_notes_mode', '"fetch"', 'fetch'],
      ['repository', 'receipt_notes', 'proof_notes_mode', '"local"', 'local'],
      ['gate', 'stream', 'stream_output', 'true', true],
      ['worktree', 'port', 'export_port', 'true', true],
      ['worktree', 'ignored_file_drift', 'track_ignored_drift', 'false', false],
    ] as const
  ).flatMap(([table, was, now, value, read]): Older[] => [
    {
      title: `[${table}].${was} is ${now}`,
      text: `[${table}]\n${was} = ${value}`,
      reads: (config) => [(config[table] as Record<string, unknown>)[now], was in config[table]],
      as: [read, false],
      notes: [`f:2: [${table}].${was} is the older spelling of ${now}; rename it.`],
    },
    {
      title: `[${table}].${was} gives way to ${now}`,
      text: `[${table}]\n${was} = ${typeof read === 'boolean' ? !read : value}\n${now} = ${value}`,
      reads: (config) => (config[table] as Record<string, unknown>)[now],
      as: read,
      notes: [
        `f:2: [${table}].${was} is the older spelling of ${now}; rename it. The new one is given too, and wins.`,
      ],
    },
  ]),
  {
    title: '[worktree.resources.<name>].gc is prunable',
    text: '[worktree.resources.db]\ngc = false\n[worktree.resources.b]\ngc = false\nprunable = true',
    reads: (config) => config.worktree.resources.map(({ name, prunable }) => [name, prunable]),
    as: [
      ['db', false],
      ['b', true],
    ],
    notes: [
      'f:2: [worktree.resources.db].gc is the older spelling of prunable; rename it.',
      'f:4: [worktree.resources.b].gc is the older spelling of prunable; rename it. The new one is given too, and wins.',
    ],
  },
  {
    title: '[scopes.<name>].previewable still says that a change can be seen',
    text: '[scopes.a]\npaths = ["a"]\npreviewable = true\n[scopes.b]\npaths = ["b"]\npreviewable = false\npreview = "p"',
    reads: (config) => config.scopes.map(({ name, previewable, preview }) => [name, previewable, preview]),
    as: [
      ['a', true, undefined],
      ['b', true, ['p']],
    ],
    notes: [
      'f:3: [scopes.a].previewable is an older key: name the command that shows a change in preview; remove it.',
      'f:6: [scopes.b].previewable is an older key: preview says it; remove it.',
    ],
  },
  {
    title: '[standards.<name>].measure still leaves an on-demand standard out',
    text: '[standards.a]\ndirection = "up"\nlimit = 1\nrun = "r"\nmeasure = "on-demand"\n[standards.b]\ndirection = "up"\nlimit = 1\nrun = "r"\nmeasure = "gate"',
    reads: (config) => config.standards.map(({ name, measure }) => [name, measure]),
    as: [
      ['a', 'on-demand'],
      ['b', 'gate'],
    ],
    notes: [
      'f:5: [standards.a].measure is an older key: every done measures every standard; "on-demand" still leaves it out.',
      'f:10: [standards.b].measure is an older key: every done measures every standard; remove it.',
    ],
  },
  {
    title: 'the older names of tables that others read are known, and references find what they say',
    text:
      '[docs]\ndir = "d"\n[recipes]\ndir = "r"\n[guidance]\n[assurance]\n[coupling]\nin_gate = true\n[jobs]\nlint = "${' +
      'map.dir}x ${' +
      'scripts.dir}"',
    reads: (config) => config.jobs.map(({ commands }) => commands),
    as: [['d/x r']],
    notes: [
      'f:1: [docs] is the older spelling of [map]; rename it.',
      'f:3: [recipes] is the older spelling of [scripts]; rename it.',
      'f:5: [guidance] is the older spelling of [instructions]; rename it.',
      'f:6: [assurance] is the older spelling of [setup]; rename it.',
      'f:8: [coupling].in_gate is the older spelling of report_in_gate; rename it.',
    ],
  },
  {
    title: 'an older table gives way to the one of today',
    text: '[docs]\ndir = "d"\n[map]\ndir = "m"\n[jobs]\nlint = "${' + 'map.dir}"',
    reads: (config) => config.jobs.map(({ commands }) => commands),
    as: [['m/']],
    notes: ['f:1: [docs] is the older spelling of [map]; rename it. [map] is given too, and wins.'],
  },
  {
    title: 'a table that looks misspelt is left alone, with a note',
    text: '[job]\nx = 1\n[scope.a]\n[gates]\n[standrads.x]\n[[worktrees]]\n[Project]',
    reads: (config) => [config.jobs, config.scopes, config.standards],
    as: [[], [], []],
    notes: [
      'f:1: [job] is not read; did you mean [jobs]?',
      'f:3: [scope] is not read; did you mean [scopes]?',
      'f:4: [gates] is not read; did you mean [gate]?',
      'f:5: [standrads] is not read; did you mean [standards]?',
      'f:6: [worktrees] is not read; did you mean [worktree]?',
      'f:7: [Project] is not read; did you mean [project]?',
    ],
  },
  {
    title: 'a key in no table is left alone, with a note',
    text: 'lint = "eslint"\nanswer = 42\ngatee = []\nmap = "docs"\n',
    reads: (config) => config.jobs,
    as: [],
    notes: [
      'f:1: the key "lint" is in no table, so it is not read. Did you mean "lint" under [jobs]?',
      'f:2: the key "answer" is in no table, so it is not read.',
      'f:3: the key "gatee" is in no table, so it is not read. Did you mean [gate]?',
    ],
  },
];

describe('an older or doubtful spelling', () => {
  for (const { title, text, reads, as, notes } of olders) {
    it(title, () => {
      const checked = checkConfig(text, 'f');
      assert.deepEqual(checked.problems, []);
      assert.ok(checked.config);
      assert.deepEqual(reads(checked.config), as);
      assert.deepEqual(checked.notes, notes);
    });
  }

  const wrongs: [string, string, string][] = [
    ['[capabilities]\nlnt = "l"', '2:1', 'unknown key "lnt" in [capabilities]; did you mean "lint"?'],
    ['[checks.x]\nstage = "fix"', '1:9', '[checks.x] needs run (a command or a list of commands)'],
    ['[ratchets.x]\ndirection = "up"\nrun = "r"', '1:11', '[ratchets.x] needs limit (a number)'],
    ['[worktree]\ngraduate_to = 1', '2:15', '[worktree].graduate_to must be a string, not a number'],
    ['[project]\nmain_branch = 3', '2:15', '[project].main_branch must be a string, not a number'],
    ['[worktree]\nbranch_prefix = []', '2:17', '[worktree].branch_prefix must be a string, not a list'],
    ['checks = 1', '1:10', '[checks] must be a table, not a number'],
    ['ratchets = "r"', '1:12', '[ratchets] must be a table, not a string'],
    ['capabilities = []', '1:16', '[capabilities] must be a table, not a list'],
    [
      '[capabilities]\nlint = "a"\n[checks.lint]\nrun = "b"',
      '3:9',
      '"lint" is a job of [capabilities] and of [checks]; rename one so that both run',
    ],
  ];
  for (const [text, place, message] of wrongs) {
    it(`is held to its shape: ${message}`, () => {
      const { config, problems } = checkConfig(text, 'f');
      assert.equal(config, undefined);
      assert.deepEqual(
        problems.map((problem) => [`${problem.line}:${problem.column}`, problem.message]),
        [[place, message]],
      );
    });
  }

  it('is noted even where the file has problems', () => {
    const { problems, notes } = checkConfig('[capabilities]\nlint = 1', 'f');
    assert.equal(problems.length, 1);
    assert.equal(notes.length, 1);
  });

  it('is noted at most fifty times', () => {
    const { config, notes } = checkConfig(
      Array.from({ length: 80 }, (_, index) => `k${index} = 1`).join('\n'),
      'f',
    );
    assert.ok(config);
    assert.equal(notes.length, 51);
    assert.equal(notes.at(-1), '30 more such notes are left out.');
  });
});
