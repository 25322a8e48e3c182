import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, killedAt } from '../support/invariants.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

describe('A queue whose process was killed', () => {
  afterEach(removeAll);

  for (const point of ['queue.added', 'queue.judged', 'queue.landing', 'accept.moved', 'queue.landed']) {
    it(`at ${point}: no place and no commit is lost, and the next who waits lands both, in order and once`, async () => {
      const project = await make();
      const made: { path: string; commit: string }[] = [];
      for (const name of ['one', 'two']) {
        const { path } = await started(project.root, { name });
        const commit = await project.commit({ [`src/${name}.txt`]: `${name}\n` }, path, name);
        made.push({ path, commit });
      }
      const [one, two] = made;
      assert.ok(one && two);
      const before = await git(project.root, 'rev-parse', 'main');
      if (point === 'queue.added') await killedAt(point, 'accept', one.path, { queue: true });
      else succeeded(await verb('accept', one.path, { queue: true }));
      succeeded(await verb('accept', two.path, { queue: true }));
      if (point !== 'queue.added') await killedAt(point, 'queue', project.root, { action: 'run' });
      const { entries } = succeeded(await verb('queue', project.root));
      assert.deepEqual(entries.map(({ entry, place, commit }) => `${entry} ${place} ${commit}`).sort(), [
        `q1 1 ${one.commit}`,
        `q2 2 ${two.commit}`,
      ]);
      const { entry } = succeeded(
        await verb('await', project.root, { until: 'landed', worktree: 'q2', timeout: 120 }),
      );
      assert.equal(entry?.landed_commit, await git(project.root, 'rev-parse', 'main'));
      const subjects = await git(
        project.root,
        'log',
        '--reverse',
        '--no-merges',
        '--format=%s',
        `${before}..main`,
      );
      assert.equal(subjects, 'one\ntwo');
      assert.deepEqual(await readdir(`${project.root}.worktrees`).catch(() => []), []);
      succeeded(await verb('prune', project.root, { dry_run: false }));
      const status = await assertSound(project, [one.commit, two.commit]);
      assert.equal(status.findings, undefined);
      const over = succeeded(await verb('queue', project.root)).entries;
      assert.deepEqual(
        over.map(({ entry: name, state }) => `${name} ${state}`),
        ['q2 landed', 'q1 landed'],
      );
    });
  }
});
