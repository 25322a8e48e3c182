import assert from 'node:assert/strict';
import { readdir, rm, stat, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const standard = (name: string, rest: string) => `[standards.${name}]\n${rest}\n`;
const prints = (text: string) => `run = ${JSON.stringify(`printf '%b' ${JSON.stringify(text)}`)}`;

describe('A standard', () => {
  let project: Project;
  before(async () => {
    project = await make({
      files: { 'docs/a.md': 'one two  three\nfour\n', 'docs/b.md': 'five\n', 'docs/empty.md': '' },
    });
    await symlink('a.md', join(project.root, 'docs/link.md'));
    await project.commit({});
  });
  after(removeAll);

  /** Commits a config with one standard `s` and measures it. */
  async function measured(rest: string) {
    await project.commit({ 'discern.toml': standard('s', rest) });
    const answer = await verb('standards', project.root);
    const result = answer.data?.standards?.[0];
    assert.ok(result, answer.message);
    return { answer, result };
  }

  const values: [title: string, rest: string, value: number][] = [
    [
      'is the number its command prints',
      `direction = "up"\nlimit = 89\n${prints('DISCERN_METRIC s 91.4\\n')}`,
      91.4,
    ],
    [
      'may be negative, or written with an exponent',
      `direction = "down"\nlimit = 0\n${prints('DISCERN_METRIC s -1.5e1\\n')}`,
      -15,
    ],
    [
      'printed twice is the last one',
      `direction = "up"\nlimit = 1\n${prints('DISCERN_METRIC s 7\\nDISCERN_METRIC s 2')}`,
      2,
    ],
    [
      'may stand behind other text, in colour, or before a carriage return',
      `direction = "up"\nlimit = 1\n${prints('note: \\033[32mDISCERN_METRIC s 4\\033[0m\\r')}`,
      4,
    ],
    [
      'of another name is left alone',
      `metric = "m"\ndirection = "up"\nlimit = 1\n${prints('DISCERN_METRIC m 3\\nDISCERN_METRIC s 0\\nXDISCERN_METRIC m 9\\n')}`,
      3,
    ],
    [
      'may come from one of several commands, and from standard error',
      `direction = "up"\nlimit = 1\nrun = ["echo DISCERN_METRIC s 5 >&2", "true"]`,
      5,
    ],
    [
      'counts although its command fails, as tools do that find something',
      `direction = "down"\nlimit = 5\nrun = "echo DISCERN_METRIC s 5; exit 3"`,
      5,
    ],
    [
      'may lie exactly on its limit, whatever binary fractions make of it',
      `direction = "up"\nlimit = 0.3\nper = "n"\n${prints('DISCERN_METRIC s 0.9\\nDISCERN_METRIC n 3\\n')}`,
      0.9 / 3,
    ],
    [
      'is divided by a second metric and scaled',
      `direction = "down"\nlimit = 20\nper = "n"\nscale = 1000\n${prints('DISCERN_METRIC s 8\\nDISCERN_METRIC n 500\\n')}`,
      16,
    ],
    [
      'is divided by the words in tracked files, links left out',
      `direction = "down"\nlimit = 9\nper = { words = "docs/**" }\n${prints('DISCERN_METRIC s 10\\n')}`,
      2,
    ],
    [
      'is divided by lines',
      `direction = "down"\nlimit = 9\nper = { lines = ["docs/a.md", "docs/b.md"] }\n${prints('DISCERN_METRIC s 6\\n')}`,
      2,
    ],
    [
      'is divided by bytes',
      `direction = "down"\nlimit = 9\nper = { bytes = "docs/b.md" }\n${prints('DISCERN_METRIC s 10\\n')}`,
      2,
    ],
    [
      'is divided by files',
      `direction = "down"\nlimit = 9\nper = { files = "docs/*.md" }\n${prints('DISCERN_METRIC s 8\\n')}`,
      2,
    ],
    [
      'leaves a reference to nothing of ours to the shell',
      `direction = "up"\nlimit = 1\nrun = "echo DISCERN_METRIC s \${NOTHING_OF_OURS:-6}"`,
      6,
    ],
  ];
  for (const [title, rest, value] of values) {
    it(title, async () => {
      const { answer, result } = await measured(rest);
      assert.deepEqual(
        [answer.error, result.state, result.value],
        [undefined, 'held', value],
        answer.message,
      );
    });
  }

  const failures: [title: string, rest: string, error: string, message: RegExp][] = [
    [
      'whose metric is missing',
      `direction = "up"\nlimit = 1\n${prints('all is well\\n')}`,
      'gate_failed',
      /printed no metric s: .*DISCERN_METRIC s <number>/,
    ],
    [
      'whose command prints nothing and fails',
      'direction = "up"\nlimit = 1\nrun = "exit 4"',
      'gate_failed',
      /printed no metric s/,
    ],
    [
      'whose metric is not a number',
      `direction = "up"\nlimit = 1\n${prints('DISCERN_METRIC s 9\\nDISCERN_METRIC s 91%\\n')}`,
      'gate_failed',
      /the metric s is "91%", which is not a number/,
    ],
    [
      'whose metric has no value',
      `direction = "up"\nlimit = 1\n${prints('DISCERN_METRIC s\\n')}`,
      'gate_failed',
      /the metric s is "", which is not a number/,
    ],
    [
      'whose metric is infinite',
      `direction = "up"\nlimit = 1\n${prints('DISCERN_METRIC s inf\\n')}`,
      'gate_failed',
      /not a finite number/,
    ],
    [
      'whose metric overflows',
      `direction = "up"\nlimit = 1\n${prints('DISCERN_METRIC s 1e999\\n')}`,
      'gate_failed',
      /not a finite number/,
    ],
    [
      'whose metric is NaN',
      `direction = "down"\nlimit = 1\n${prints('DISCERN_METRIC s NaN\\n')}`,
      'gate_failed',
      /not a finite number/,
    ],
    [
      'whose second metric is missing',
      `direction = "up"\nlimit = 1\nper = "n"\n${prints('DISCERN_METRIC s 1\\n')}`,
      'gate_failed',
      /printed no metric n/,
    ],
    [
      'that is divided by nothing',
      `direction = "up"\nlimit = 1\nper = "n"\n${prints('DISCERN_METRIC s 1\\nDISCERN_METRIC n 0\\n')}`,
      'gate_failed',
      /divided by n, which is 0/,
    ],
    [
      'whose paths match nothing',
      `direction = "up"\nlimit = 1\nper = { words = "nowhere/**" }\n${prints('DISCERN_METRIC s 1\\n')}`,
      'gate_failed',
      /words in nowhere\/\*\*, which is 0/,
    ],
    [
      'whose paths refer to nothing',
      `direction = "up"\nlimit = 1\nper = { words = "\${no.such}/**" }\n${prints('DISCERN_METRIC s 1\\n')}`,
      'gate_failed',
      /\$\{no\.such\}\/\*\*, which is 0/,
    ],
    [
      'whose paths git cannot read',
      `direction = "up"\nlimit = 1\nper = { words = ":(nonsense)x" }\n${prints('DISCERN_METRIC s 1\\n')}`,
      'gate_failed',
      /git cannot read the paths/,
    ],
    [
      'that hangs',
      `direction = "up"\nlimit = 1\ntimeout = 0.2\nrun = "echo DISCERN_METRIC s 9; sleep 60"`,
      'timed_out',
      /time limit of 0\.2 s/,
    ],
    [
      'that is killed',
      `direction = "up"\nlimit = 1\nrun = "echo DISCERN_METRIC s 9; kill -9 $$"`,
      'gate_failed',
      /signal SIGKILL/,
    ],
    [
      'below its floor',
      `direction = "up"\nlimit = 90\n${prints('DISCERN_METRIC s 89.9\\n')}`,
      'standard_regressed',
      /s is 89\.9, below its floor 90/,
    ],
    [
      'above its ceiling',
      `direction = "down"\nlimit = 16\nper = "n"\nscale = 1000\n${prints('DISCERN_METRIC s 17\\nDISCERN_METRIC n 1000\\n')}`,
      'standard_regressed',
      /s is 17 per 1000 n, above its ceiling 16/,
    ],
  ];
  for (const [title, rest, error, message] of failures) {
    it(`${title} is ${error}`, async () => {
      const { answer, result } = await measured(rest);
      refusedWith(answer, error);
      const [diagnostic] = answer.diagnostics ?? [];
      assert.match(diagnostic?.message ?? '', message);
      assert.equal(diagnostic?.tool, 'standard:s');
      assert.equal(result.state, error === 'standard_regressed' ? 'regressed' : 'unmeasured');
      assert.equal(answer.steps?.[0]?.outcome, error === 'timed_out' ? 'timed_out' : 'failed');
    });
  }

  it('runs in the root, with the environment of a job', async () => {
    const { result } = await measured(
      `direction = "up"\nlimit = 1\nrun = 'test "$PWD" = "$DISCERN_ROOT" && test -f discern.toml && echo DISCERN_METRIC s 2'`,
    );
    assert.equal(result.state, 'held');
  });

  it('is found at the end of output of any length', async () => {
    const { result } = await measured(
      `direction = "up"\nlimit = 1\nrun = "head -c 3000000 /dev/zero | tr '\\\\0' x; echo; echo DISCERN_METRIC s 8"`,
    );
    assert.equal(result.value, 8);
  });

  it('that changes a tracked file measured another tree', async () => {
    const { answer } = await measured(
      'direction = "up"\nlimit = 1\nrun = "echo x >> src/a.txt; echo DISCERN_METRIC s 8"',
    );
    refusedWith(answer, 'tree_drift', /src\/a\.txt/);
    await git(project.root, 'checkout', '--quiet', 'src/a.txt');
  });
});

describe('Standards together', () => {
  let project: Project;
  before(async () => {
    const config = ['a', 'b', 'c']
      .map((name, at) =>
        standard(name, `direction = "up"\nlimit = 1\nrun = "echo DISCERN_METRIC ${name} ${at}"`),
      )
      .join('');
    project = await make({ config });
  });
  after(removeAll);

  it('are all measured although one got worse, and each is told', async () => {
    const answer = await verb('standards', project.root);
    refusedWith(answer, 'standard_regressed', /^a got worse than the limit/);
    assert.deepEqual(
      answer.data?.standards?.map(({ name, state, value, pin }) => ({ name, state, value, pin })),
      [
        { name: 'a', state: 'regressed', value: 0, pin: undefined },
        { name: 'b', state: 'held', value: 1, pin: undefined },
        { name: 'c', state: 'held', value: 2, pin: 2 },
      ],
    );
    assert.deepEqual(answer.data?.limits, { verified: true, trunk: 'main' });
  });

  it('may be named, and only these run', async () => {
    const data = succeeded(await verb('standards', project.root, { names: ['c', 'b', 'c'] }));
    assert.deepEqual(
      data.standards.map(({ name }) => name),
      ['b', 'c'],
    );
  });

  it('that are unknown are named in one refusal, with what there is', async () => {
    const answer = await verb('standards', project.root, { names: ['coverage', 'c', 'bb'] });
    refusedWith(answer, 'invalid_argument', /no standard "coverage", "bb".*There are: a, b, c\./);
    refusedWith(await verb('standards', project.root, { names: [] }), 'invalid_argument', /names.* is empty/);
  });

  it('are listed by a preview that runs nothing', async () => {
    const preview = await verb('standards', project.root, { dry_run: true });
    assert.deepEqual(
      preview.plan?.steps.map(({ action }) => action),
      ['standard: a at least 1', 'standard: b at least 1', 'standard: c at least 1'],
    );
    assert.equal(preview.steps, undefined);
  });

  it('keep what was measured on clean commits, one value a commit, oldest first', async () => {
    const history = async () =>
      (await verb('standards', project.root, { names: ['c'] })).data?.standards?.[0]?.history;
    assert.deepEqual(await history(), [2]);
    const config = standard('c', 'direction = "up"\nlimit = 1\nrun = "cat value"');
    await project.commit({ 'discern.toml': config, value: 'DISCERN_METRIC c 3' });
    assert.deepEqual(await history(), [3], 'another measure begins anew');
    await project.commit({ value: 'DISCERN_METRIC c 5' });
    assert.deepEqual(await history(), [3, 5]);
    await project.write({ value: 'DISCERN_METRIC c 9' });
    assert.deepEqual(await history(), [3, 5], 'an uncommitted tree leaves no trace');
    await git(project.root, 'checkout', '--quiet', 'value');
    const kept = join(project.root, '.git/discern-vscode/standards');
    const path = join(kept, (await readdir(kept))[0] ?? '');
    await truncate(path, (await stat(path)).size - 20);
    assert.deepEqual(await history(), [3, 5], 'a line that a kill cut short spoils no other');
    await rm(path);
    assert.deepEqual(await history(), [5]);
  });

  it('of a project without any are nothing to measure', async () => {
    const bare = await make();
    const answer = await verb('standards', bare.root);
    assert.equal(answer.ok, true);
    assert.match(answer.message ?? '', /declares no standard/);
    refusedWith(await verb('standards', bare.root, { names: ['x'] }), 'invalid_argument', /There are: none/);
  });
});
