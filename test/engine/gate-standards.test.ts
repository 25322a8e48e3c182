import assert from 'node:assert/strict';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { log, logged } from '../support/jobs.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const jobs = `[jobs]\ntest = "${log('test')}"\n`;
const size = (limit: number, rest = '') =>
  `[standards.size]\ndirection = "down"\nlimit = ${limit}\nrun = "${log('size')}; echo DISCERN_METRIC size $(cat size)"\n${rest}`;
const config = `${jobs}${size(10)}`;

describe('done, with standards', () => {
  const here = workshop({ config, files: { size: '8\n' }, worktree: true });

  it('measures them with the tests, and its proof says so', async () => {
    const data = succeeded(await verb('done', here.path));
    assert.equal(data.proof?.state, 'valid');
    assert.deepEqual((await logged(here)).sort(), ['size', 'test']);
    assert.deepEqual(data.standards, [
      {
        name: 'size',
        state: 'held',
        direction: 'down',
        limit: 10,
        trunk_limit: 10,
        value: 8,
        pin: 8,
        history: [8],
      },
    ]);
  });

  it('is red when one regressed, and accept lands nothing', async () => {
    await here.commit({ size: '11\n' });
    const done = await verb('done', here.path);
    refusedWith(done, 'standard_regressed', /^size got worse than the limit: fix .* run done again\.$/);
    assert.equal(done.data?.proof?.state, 'none');
    assert.equal(done.data?.standards?.[0]?.state, 'regressed');
    const accept = await verb('accept', here.path);
    refusedWith(accept, 'standard_regressed', /^Nothing was landed\. size got worse/);
    assert.equal(accept.data?.landing?.trunk_landed, false);
  });

  it('says gate_failed when a job failed as well', async () => {
    await here.commit({
      size: '11\n',
      'discern.toml': `[jobs]\ntest = "exit 1"\n[gate]\nfail_fast = false\n${size(10)}`,
    });
    refusedWith(await verb('done', here.path), 'gate_failed', /^test failed; size got worse/);
  });

  it('is red when one could not be measured', async () => {
    await here.commit({ size: 'many\n' });
    const done = await verb('done', here.path);
    refusedWith(done, 'gate_failed', /^standard:size failed/);
    assert.match(done.diagnostics?.[0]?.message ?? '', /"many", which is not a number/);
  });

  it('measures them too where every change is neutral', async () => {
    const scoped = `${config}[scopes.docs]\npaths = ["docs/", "size", "discern.toml"]\nneutral = true\n`;
    await here.commit({ 'discern.toml': scoped, size: '12\n' });
    refusedWith(await verb('done', here.path), 'standard_regressed');
    assert.deepEqual((await logged(here)).sort(), ['size', 'test']);
  });

  it('leaves one that is measured on demand to the verb, and says so', async () => {
    await here.commit({ size: '12\n', 'discern.toml': `${jobs}${size(10, 'measure = "on-demand"\n')}` });
    const done = await verb('done', here.path);
    assert.equal(succeeded(done).standards?.[0]?.state, 'deferred');
    assert.ok(done.hints?.some((hint) => /size is measured on demand only/.test(hint)));
    assert.deepEqual(await logged(here), ['test']);
    refusedWith(await verb('standards', here.path), 'standard_regressed');
  });

  it('is not asked for by prepare or test', async () => {
    await here.commit({ size: '99\n' });
    assert.equal((await verb('test', here.path)).ok, true);
    assert.equal((await verb('prepare', here.path)).ok, true);
    assert.deepEqual(await logged(here), ['test']);
  });
});

describe('A standard that declares its inputs', () => {
  const declared = `${jobs}${size(10, 'inputs = ["size", "src/**"]\n')}`;
  const here = workshop({ config: declared, files: { size: '8\n' }, worktree: true });

  it('is not measured again while none of them changed, but is as soon as one did', async () => {
    const base = await here.commit({ 'docs/a.md': 'a\n' });
    assert.equal(succeeded(await verb('done', here.path)).standards?.[0]?.replayed_from, undefined);
    await here.commit({ 'docs/a.md': 'b\n' });
    const again = await verb('done', here.path);
    const [replayed] = succeeded(again).standards ?? [];
    assert.deepEqual([replayed?.state, replayed?.value, replayed?.replayed_from], ['held', 8, base]);
    assert.equal(again.data?.proof?.state, 'valid');
    assert.deepEqual(
      (await logged(here)).filter((line) => line === 'size'),
      ['size'],
    );
    await here.write({ 'src/new.txt': 'untracked\n' });
    assert.equal((await verb('done', here.path)).data?.standards?.[0]?.replayed_from, undefined);
    await here.commit({ size: '99\n' });
    refusedWith(await verb('done', here.path), 'standard_regressed');
  });

  it('is measured again when what it measures changed, and by the verb always', async () => {
    await here.commit({ 'docs/a.md': 'a\n' });
    succeeded(await verb('done', here.path));
    await here.commit({ 'discern.toml': declared.replace('$(cat size)', '7') });
    assert.equal(succeeded(await verb('done', here.path)).standards?.[0]?.value, 7);
    assert.equal(succeeded(await verb('standards', here.path)).standards[0]?.replayed_from, undefined);
  });

  it('is measured when its limit was tightened past the value that is known', async () => {
    succeeded(await verb('done', here.path));
    await here.commit({ 'discern.toml': declared.replace('limit = 10', 'limit = 7') });
    const done = await verb('done', here.path);
    refusedWith(done, 'standard_regressed');
    assert.equal(done.data?.standards?.[0]?.replayed_from, undefined);
  });
});

describe('A limit, against the trunk’s', () => {
  const other = '[standards.floor]\ndirection = "up"\nlimit = 5\nrun = "echo DISCERN_METRIC floor 9"\n';
  const here = workshop({ config: `${config}${other}`, files: { size: '8\n' }, worktree: true });

  const loosened: [title: string, config: string, message: RegExp][] = [
    [
      'is loosened by editing a ceiling',
      `${jobs}${size(11)}${other}`,
      /size \(ceiling 10 on main\) is 11 here/,
    ],
    [
      'is loosened by editing a floor',
      `${config}${other.replace('5', '4.9')}`,
      /floor \(floor 5 on main\) is 4\.9 here/,
    ],
    [
      'is loosened by deleting the table',
      `${jobs}${size(10)}`,
      /floor \(floor 5 on main\) has no table here/,
    ],
    [
      'is loosened by renaming the table',
      `${config}${other.replaceAll('floor', 'ground')}`,
      /floor \(floor 5 on main\) has no table here/,
    ],
    [
      'is loosened by turning the direction',
      `${config}${other.replace('"up"', '"down"')}`,
      /floor \(floor 5 on main\) is 5 here/,
    ],
    [
      'is loosened with the whole table commented out',
      `${jobs}${size(10)}#${other.replaceAll('\n', '\n#')}`,
      /floor .* has no table here/,
    ],
  ];
  for (const [title, text, message] of loosened) {
    it(`${title}: done runs nothing`, async () => {
      await here.commit({ 'discern.toml': text });
      for (const name of ['done', 'accept'] as const) {
        const answer = await verb(name, here.path);
        refusedWith(answer, 'standard_loosened', message);
        assert.equal(answer.diagnostics?.[0]?.rule, 'standard_loosened');
        assert.match(answer.message ?? '', /Restore what main has/);
      }
      refusedWith(await verb('done', here.path, { dry_run: true }), 'standard_loosened');
      assert.deepEqual(await logged(here), []);
    });
  }

  it('is loosened before it is committed, too', async () => {
    await here.write({ 'discern.toml': `${jobs}${size(11)}${other}` });
    refusedWith(await verb('done', here.path), 'standard_loosened');
  });

  it('that is loosened keeps the verb from measuring that one, not the others', async () => {
    await here.commit({ 'discern.toml': `${jobs}${size(11)}` });
    const answer = await verb('standards', here.path);
    refusedWith(answer, 'standard_loosened', /size .*; floor /);
    assert.deepEqual(
      answer.data?.standards?.map(({ name, state, limit, trunk_limit }) => [name, state, limit, trunk_limit]),
      [
        ['size', 'loosened', 11, 10],
        ['floor', 'loosened', undefined, 5],
      ],
    );
    assert.deepEqual(await logged(here), []);
    await here.commit({ 'discern.toml': `${jobs}${size(10)}` });
    const one = await verb('standards', here.path, { names: ['size'] });
    assert.equal(one.ok, true, 'only what is named is looked at');
    refusedWith(await verb('standards', here.path, { names: ['floor'] }), 'standard_loosened');
  });

  it('may be tightened, and standards may be added, reordered and respelt', async () => {
    const text = `${other.replace('limit = 5', 'limit = 6').replace('standards', 'ratchets')}${jobs}${size(9)}[standards.more]\ndirection = "up"\nlimit = 1\nrun = "echo DISCERN_METRIC more 2"\n`;
    await here.commit({ 'discern.toml': text });
    assert.equal(succeeded(await verb('done', here.path)).proof?.state, 'valid');
  });

  it('is compared with what the trunk has committed, whatever else is wrong with its file', async () => {
    const broken = `${config}${other}[jobs.lnt]\nrun = 3\n`;
    await here.project.commit({ 'discern.toml': broken });
    await git(here.path, 'merge', '--quiet', '--no-edit', 'main');
    await here.commit({ 'discern.toml': `${jobs}${size(11)}${other}` });
    refusedWith(await verb('done', here.path), 'standard_loosened', /size \(ceiling 10 on main\)/);
    await here.commit({ 'discern.toml': `${config}${other}` });
    assert.equal((await verb('done', here.path)).ok, true);
  });

  it('of a trunk whose file is no TOML is a config_error that names the trunk', async () => {
    await here.project.commit({ 'discern.toml': '[jobs\n' });
    await git(here.path, 'merge', '--quiet', '--no-edit', 'main');
    await here.commit({ 'discern.toml': `${config}${other}` });
    refusedWith(
      await verb('done', here.path),
      'config_error',
      /^discern\.toml on main cannot be read .*fix it on main/,
    );
  });

  it('may be loosened by its owner, on the trunk itself', async () => {
    await here.project.commit({ 'discern.toml': `${jobs}${size(20)}` });
    assert.equal((await verb('done', here.project.root)).ok, true);
  });
});
