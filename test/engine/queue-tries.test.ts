import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Data } from '../../src/contract/verbs.ts';
import { endElsewhere, pausedAt, refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A gate that does what the files of `ways` say, until there is a file `mended-<name>` beside the project. */
const config = `[project]
name = "sample"

[jobs]
test = "for f in ways/*; do test -e $f || continue; n=$(basename $f); echo ran >> ../../ran-$n; test -e ../../mended-$n || . ./$f; done"
`;

async function work(project: Project, name: string, way?: string) {
  const path = join(project.home, name);
  await git(project.root, 'worktree', 'add', '--quiet', '-b', name, path);
  const files = way === undefined ? { [`src/${name}.txt`]: `${name}\n` } : { [`ways/${name}`]: `${way}\n` };
  const commit = await project.commit(files, path, `The work of ${name}`);
  succeeded(await verb('accept', path, { queue: true }));
  return { path, commit };
}

const brief = ({ entries }: Data<'queue'>) =>
  entries.map(({ entry, place, state }) => `${entry} ${place ?? '-'} ${state}`);
const ran = async (project: Project, name: string) =>
  (await readFile(join(project.home, `ran-${name}`), 'utf8').catch(() => '')).split('\n').length - 1;
const run = async (project: Project) => succeeded(await verb('queue', project.root, { action: 'run' }));

describe('An entry of the queue whose gate fails by no fault of the work', () => {
  beforeEach(() => {
    process.env.DISCERN_QUEUE_PAUSE = '0';
  });
  afterEach(async () => {
    delete process.env.DISCERN_QUEUE_PAUSE;
    endElsewhere();
    await removeAll();
  });

  for (const [what, way] of [
    ['a job that somebody kills', 'kill -9 $$'],
    ['a process of a job that the system kills', 'exit 137'],
    [
      'a full disk',
      'echo "src/a.txt:1:1: error: odd"; echo "write error: No space left on device" >&2; exit 1',
    ],
  ] as const) {
    it(`keeps its place and lands when it is tried again: ${what}`, async () => {
      const project = await make({ config });
      const name = 'once';
      await work(project, name, `touch ../../mended-${name}; ${way}`);
      await work(project, 'next');
      assert.deepEqual(brief(await run(project)), ['q2 - landed', 'q1 - landed']);
      assert.equal(
        await git(project.root, 'log', '--no-merges', '--format=%s', '-2', 'main'),
        'The work of next\nThe work of once',
      );
      assert.deepEqual(
        (await readdir(join(project.root, '.git/discern-vscode/own-checkouts')).catch(() => [])).filter(
          (one) => one.endsWith('.json'),
        ),
        [],
      );
    });
  }

  it('is held once that was in vain three times, with its reason; the others land, and released it does', async () => {
    const project = await make({ config });
    const before = await git(project.root, 'rev-parse', 'main');
    const { path, commit } = await work(project, 'full', 'echo ENOSPC; exit 1');
    await work(project, 'next');
    const list = await run(project);
    assert.deepEqual(brief(list), ['q1 1 held', 'q2 - landed']);
    assert.match(list.entries[0]?.reason ?? '', /tried 3 times.*test said "ENOSPC"/);
    assert.equal(list.entries[0]?.error, 'unavailable');
    assert.equal(await git(path, 'rev-parse', 'HEAD'), commit);
    assert.notEqual(await git(project.root, 'rev-parse', 'main'), before);
    refusedWith(await verb('await', path, { until: 'landed' }), 'unavailable', /q1 is held.*ENOSPC/);
    const tries = await ran(project, 'full');
    assert.ok(tries >= 3 && tries <= 6, `${tries}: its own three, and those of what was judged on it`);
    await writeFile(join(project.home, 'mended-full'), '');
    succeeded(await verb('queue', project.root, { action: 'release', entry: 'q1' }));
    assert.deepEqual(brief(await run(project)), ['q2 - landed', 'q1 - landed']);
  });

  it('falls out at once where another job is red by itself, or a job crashes', async () => {
    const project = await make({
      config: `${config}lint = "test ! -e ways/both || { echo wrong; exit 1; }"\n[gate]\nfail_fast = false\n`,
    });
    await work(project, 'both', 'exit 137');
    await work(project, 'crashes', 'kill -s SEGV $$');
    const list = await run(project);
    assert.deepEqual(brief(list), ['q2 - out', 'q1 - out']);
    assert.deepEqual(
      list.entries.map(({ error }) => error),
      ['gate_failed', 'gate_failed'],
    );
    assert.equal(await ran(project, 'crashes'), 1 + ((await ran(project, 'both')) > 0 ? 0 : 1));
  });
});

describe('An entry that lands at this moment', () => {
  afterEach(async () => {
    endElsewhere();
    await removeAll();
  });

  for (const action of ['hold', 'drop'] as const) {
    it(`is not said to be ${action === 'hold' ? 'held' : 'dropped'}: busy, and it lands`, async () => {
      const project = await make({ config });
      await work(project, 'one');
      const other = await pausedAt(project, 'accept.journaled', 'queue', project.root, { action: 'run' });
      assert.equal(succeeded(await verb('queue', project.root)).entries[0]?.state, 'landing');
      refusedWith(
        await verb('queue', project.root, { action, entry: 'q1' }),
        'busy',
        /q1 is landing at this moment/,
      );
      assert.equal((await other.resume())?.ok, true);
      assert.deepEqual(brief(succeeded(await verb('queue', project.root))), ['q1 - landed']);
      refusedWith(
        await verb('queue', project.root, { action, entry: 'q1' }),
        'path_not_found',
        /landed as [0-9a-f]{10}/,
      );
    });
  }

  it('and is cut off: before the trunk moved it is held, after that it is said to have landed', async () => {
    const project = await make({ config });
    await work(project, 'one');
    await killedAt('accept.checked', 'queue', project.root, { action: 'run' });
    succeeded(await verb('queue', project.root, { action: 'hold', entry: 'q1' }));
    assert.deepEqual(brief(await run(project)), ['q1 1 held']);
    succeeded(await verb('queue', project.root, { action: 'release', entry: 'q1' }));
    await killedAt('accept.moved', 'queue', project.root, { action: 'run' });
    refusedWith(
      await verb('queue', project.root, { action: 'hold', entry: 'q1' }),
      'path_not_found',
      /landed as/,
    );
    assert.deepEqual(brief(await run(project)), ['q1 - landed']);
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
  });

  it('by an accept of its own, also while it is held, has no place any more', async () => {
    const project = await make({ config });
    const { path } = await work(project, 'one');
    succeeded(await verb('queue', project.root, { action: 'hold', entry: 'q1' }));
    const { landed_commit: landed } = succeeded(await verb('accept', path));
    const list = succeeded(await verb('queue', project.root));
    assert.deepEqual(brief(list), ['q1 - landed']);
    assert.equal(list.entries[0]?.landed_commit, landed);
  });
});
