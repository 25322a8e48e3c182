import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endElsewhere, pausedAt, refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { log, logged } from '../support/jobs.ts';
import { git } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const config = `# A file as people write it.
[jobs]
  test = "${log('test')}"   # the tests

[standards.coverage]   # limit = 1
direction = "up"
\tlimit   =   89      # raised in spring; limit = 88 before
run = "${log('coverage')}; echo DISCERN_METRIC coverage $(cat coverage)"

# [standards.old]
# limit = 3
[ standards . "size" ]
run = "echo DISCERN_METRIC size $(cat size)"
limit=1000.5
direction = "down"
margin = 10


`;
const files = { coverage: '91.4\n', size: '1000\n' };

describe('Pinning', () => {
  const here = workshop({ config, files, worktree: true });
  afterEach(endElsewhere);

  const toml = () => readFile(join(here.path, 'discern.toml'), 'utf8');
  const head = () => git(here.path, 'rev-parse', 'HEAD');

  it('changes exactly the limits that improved by more than their margin, and commits that file alone', async () => {
    const data = succeeded(await verb('standards', here.path, { pin: true }));
    assert.deepEqual(data.pinned, [{ name: 'coverage', from: 89, to: 91.4 }]);
    assert.equal(await toml(), config.replace('89      #', '91.4      #'));
    assert.equal(data.pin_commit, await head());
    assert.equal(data.commit, await head());
    assert.equal(await git(here.path, 'rev-parse', 'HEAD~1'), here.base);
    assert.equal(await git(here.path, 'diff', '--name-only', 'HEAD~1', 'HEAD'), 'discern.toml');
    assert.equal(await git(here.path, 'status', '--porcelain'), '');
    assert.equal(
      await git(here.path, 'log', '-1', '--format=%an%n%B'),
      'A Developer\nPin the standard coverage\n\ncoverage: limit 89 -> 91.4\n',
    );
  });

  it('takes the measurements of this very commit, and measures those that were named only', async () => {
    await here.commit({ size: '100\n' });
    succeeded(await verb('standards', here.path));
    const data = succeeded(await verb('standards', here.path, { pin: true, names: ['size'] }));
    assert.deepEqual(data.pinned, [{ name: 'size', from: 1000.5, to: 110 }]);
    assert.equal(await toml(), config.replace('1000.5', '110.0'));
    assert.deepEqual(await logged(here), ['coverage']);
  });

  it('carries the proof of a green gate over, so that accept need not run it again', async () => {
    succeeded(await verb('done', here.path));
    const data = succeeded(await verb('standards', here.path, { pin: true }));
    assert.deepEqual(data.proof, { state: 'valid', commit: data.pin_commit });
    assert.deepEqual(succeeded(await verb('status', here.path)).proof, data.proof);
    assert.deepEqual((await logged(here)).sort(), ['coverage', 'test'], 'nothing ran twice');
    await git(here.path, 'commit', '--quiet', '--allow-empty', '-m', 'more');
    assert.equal(succeeded(await verb('status', here.path)).proof.state, 'stale', 'only over that commit');
  });

  it('makes no proof where there was none', async () => {
    const data = succeeded(await verb('standards', here.path, { pin: true }));
    assert.equal(data.proof?.state, 'none');
    assert.equal(succeeded(await verb('status', here.path)).proof.state, 'none');
  });

  it('does nothing where nothing improved', async () => {
    await here.commit({ coverage: '89\n' });
    const before = await head();
    const data = succeeded(await verb('standards', here.path, { pin: true }));
    assert.deepEqual([data.pinned, data.pin_commit], [[], undefined]);
    assert.equal(await head(), before);
  });

  it('can be done again at once, and then has nothing to do', async () => {
    const first = succeeded(await verb('standards', here.path, { pin: true }));
    const second = succeeded(await verb('standards', here.path, { pin: true }));
    assert.deepEqual(second.pinned, []);
    assert.equal(await head(), first.pin_commit);
  });

  const dirt: [title: string, make: () => Promise<unknown>][] = [
    ['an edited file', () => here.write({ 'src/a.txt': 'edited\n' })],
    ['an edited discern.toml', () => here.write({ 'discern.toml': `${config}# edited\n` })],
    ['an untracked file', () => here.write({ 'new.txt': 'new\n' })],
    [
      'a staged file',
      async () => {
        await here.write({ 'src/b.txt': 'b\n' });
        await git(here.path, 'add', '--all');
      },
    ],
    [
      'a merge under way',
      async () => {
        const other = await git(here.path, 'commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'other');
        await here.commit({ 'src/b.txt': 'b\n' });
        await git(here.path, 'merge', '--quiet', '--no-commit', '--no-ff', other);
      },
    ],
  ];
  for (const [title, make] of dirt) {
    it(`refuses ${title}, and runs nothing`, async () => {
      await make();
      const before = [await head(), await toml(), await git(here.path, 'status', '--porcelain')];
      refusedWith(await verb('standards', here.path, { pin: true }), 'dirty_worktree');
      assert.deepEqual([await head(), await toml(), await git(here.path, 'status', '--porcelain')], before);
      assert.deepEqual(await logged(here), []);
    });
  }

  it('refuses an edit of discern.toml that git was told to overlook', async () => {
    await git(here.path, 'update-index', '--assume-unchanged', 'discern.toml');
    await here.write({ 'discern.toml': `${config}# mine\n` });
    refusedWith(
      await verb('standards', here.path, { pin: true }),
      'dirty_worktree',
      /told to overlook \(discern\.toml\)/,
    );
    assert.equal(await toml(), `${config}# mine\n`);
    await git(here.path, 'update-index', '--no-assume-unchanged', 'discern.toml');
  });

  it('pins nothing while another standard got worse, or is looser than on the trunk', async () => {
    const regressed = await here.commit({ size: '2000\n' });
    refusedWith(
      await verb('standards', here.path, { pin: true }),
      'standard_regressed',
      /Nothing was pinned\.$/,
    );
    assert.equal(await head(), regressed);
    await here.commit({ 'discern.toml': config.replace('1000.5', '3000') });
    refusedWith(
      await verb('standards', here.path, { pin: true }),
      'standard_loosened',
      /Nothing was pinned\.$/,
    );
  });

  it('killed when the commit is made and the checkout has not moved has changed nothing', async () => {
    await killedAt('pin.committed', 'standards', here.path, { pin: true });
    assert.equal(await head(), here.base);
    assert.equal(await git(here.path, 'status', '--porcelain'), '');
    assert.equal(await toml(), config);
    assert.deepEqual(succeeded(await verb('standards', here.path, { pin: true })).pinned?.length, 1);
    await git(here.path, 'fsck', '--strict');
  });

  it('killed when the checkout has moved is done, and costs the proof at most', async () => {
    succeeded(await verb('done', here.path));
    await killedAt('pin.moved', 'standards', here.path, { pin: true });
    assert.equal(await toml(), config.replace('89      #', '91.4      #'));
    assert.equal(await git(here.path, 'status', '--porcelain'), '');
    assert.equal(succeeded(await verb('status', here.path)).proof.state, 'stale');
    assert.deepEqual(succeeded(await verb('standards', here.path, { pin: true })).pinned, []);
  });

  it('gives way to a person who commits or edits in between', async () => {
    const paused = await pausedAt(here.project, 'pin.committed', 'standards', here.path, { pin: true });
    await writeFile(join(here.path, 'discern.toml'), `${config}# a person’s\n`);
    const answer = await paused.resume();
    assert.equal(answer?.error, 'busy', answer?.message);
    assert.equal(await head(), here.base);
    assert.equal(await toml(), `${config}# a person’s\n`);
  });

  it('works on the trunk’s own checkout, and in one with CRLF line ends', async () => {
    const { root } = here.project;
    await git(root, 'config', 'core.autocrlf', 'true');
    try {
      await git(root, 'rm', '--quiet', '--cached', 'discern.toml');
      await git(root, 'reset', '--quiet', '--hard');
      assert.match(await readFile(join(root, 'discern.toml'), 'utf8'), /limit {3}= {3}89 .*\r\n/);
      succeeded(await verb('standards', root, { pin: true }));
      const text = await readFile(join(root, 'discern.toml'), 'utf8');
      assert.equal(text, config.replace('89      #', '91.4      #').replaceAll('\n', '\r\n'));
      assert.equal(await git(root, 'status', '--porcelain'), '');
      assert.equal(await git(root, 'diff', '--numstat', 'HEAD~1', 'HEAD'), '1\t1\tdiscern.toml');
    } finally {
      await git(root, 'config', '--unset', 'core.autocrlf');
    }
  });
});
