import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { verbNames } from '../../src/contract/verbs.ts';
import { cli } from '../support/cli.ts';
import { git, projects } from '../support/project.ts';

const cwd = tmpdir();
const { make, removeAll } = projects();

/** A command line that means nothing, and what a person is told. */
const wrong: [string, string[], RegExp][] = [
  ['an unknown command', ['frobnicate'], /Unknown command "frobnicate"\./],
  ['a misspelt command', ['stauts'], /Unknown command "stauts"\. Did you mean "status"\?/],
  ['an unknown option', ['done', '--quickly'], /Unknown option --quickly\.\n/],
  ['a misspelt option', ['done', '--dry-rn'], /Unknown option --dry-rn\. Did you mean --dry-run\?/],
  ['a misspelt option with a value', ['start', '--frm=x'], /Unknown option --frm\. Did you mean --from\?/],
  ['a misspelt negation', ['status', '--no-colr'], /Unknown option --no-colr\. Did you mean --no-color\?/],
  ['another verb’s option', ['status', '--force'], /Unknown option --force\./],
  ['an unknown short option', ['done', '-x'], /Unknown option -x\./],
  ['a word too many', ['status', 'here'], /Unexpected argument "here"\./],
  ['a missing worktree', ['drop', '--delete-branch'], /is missing: discern drop <worktree>/],
  ['a drop without the choice', ['drop', 'some-worktree'], /--delete-branch or --no-delete-branch/],
  ['an option without its value', ['start', '--from'], /--from needs a value/],
  ['options alone', ['--json'], /No command was given/],
  ['mcp behind an option', ['--json', 'mcp'], /must come first/],
];

describe('Wrong usage', () => {
  for (const [what, args, message] of wrong) {
    it(`${what} exits with 2, says what is wrong and where the help is`, async () => {
      const { code, stdout, stderr } = await cli(args, { cwd });
      assert.equal(code, 2);
      assert.match(stderr, message);
      assert.match(stderr, /^See "discern .*--help"\.$/m);
      assert.doesNotMatch(stderr, /^\s+at /m);
      if (!args.includes('--json')) assert.equal(stdout, '');
    });
  }

  it('no argument at all shows the help, on stderr', async () => {
    const { code, stdout, stderr } = await cli([], { cwd });
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /Usage: discern <command>/);
  });

  it('does nothing of what it was nearly asked for', async () => {
    const project = await make();
    assert.equal((await cli(['start', '--dry-rn'], { cwd: project.root })).code, 2);
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
    await removeAll();
  });
});

describe('Help', () => {
  it('lists every verb, and a verb’s lists its options', async () => {
    const { code, stdout, stderr } = await cli(['--help'], { cwd });
    assert.equal(code, 0);
    assert.equal(stderr, '');
    for (const verb of verbNames) assert.match(stdout, new RegExp(`^ {2}discern ${verb}\\b`, 'm'));
    const own = await cli(['start', '--help'], { cwd });
    assert.equal(own.code, 0);
    assert.match(own.stdout, /^discern start \[name\.\.\]\n/);
    for (const option of ['--from', '--dry-run', '--path', '--json']) assert.ok(own.stdout.includes(option));
    assert.ok(!own.stdout.includes('--force'), 'that is another verb’s');
  });

  it('of one verb is also asked for as git’s is, and then says more', async () => {
    const [asked, option] = await Promise.all([cli(['help', 'drop'], { cwd }), cli(['drop', '-h'], { cwd })]);
    for (const { stdout } of [asked, option]) assert.match(stdout, /--no-delete-branch/);
    assert.match(asked.stdout, /discern_drop/);
  });

  it('speaks English whatever the locale', async () => {
    const { stdout } = await cli(['--help'], { cwd, env: { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' } });
    assert.match(stdout, /^Options:$/m);
  });

  it('the version is the package’s', async () => {
    const { code, stdout } = await cli(['--version'], { cwd });
    assert.equal(code, 0);
    assert.equal(stdout, `${DISCERN_VERSION}\n`);
    assert.equal((await cli(['status', '--version'], { cwd })).stdout, stdout);
  });
});

describe('Shell completion', () => {
  for (const [shell, mark] of [
    ['/bin/bash', /^complete .* discern$/m],
    ['/usr/bin/zsh', /^#compdef discern$/m],
    ['/usr/bin/fish', /^complete -f -c discern /m],
  ] as const) {
    it(`prints a script for ${shell}`, async () => {
      const { code, stdout } = await cli(['completion'], { cwd, env: { SHELL: shell } });
      assert.equal(code, 0);
      assert.match(stdout, mark);
    });
  }

  it('completes verbs, and the options of one', async () => {
    const verbs = await cli(['--get-yargs-completions', 'discern', ''], { cwd });
    for (const verb of [...verbNames, 'mcp']) assert.ok(verbs.stdout.split('\n').includes(verb), verb);
    const options = await cli(['--get-yargs-completions', 'discern', 'drop', '--'], { cwd });
    const lines = options.stdout.split('\n');
    for (const option of ['--delete-branch', '--no-delete-branch', '--force', '--path', '--json']) {
      assert.ok(lines.includes(option), option);
    }
    assert.ok(!lines.includes('--from'), 'that is another verb’s');
  });
});
