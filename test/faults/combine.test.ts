import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks, killedAt } from '../support/invariants.ts';
import { isThere, Ledger } from '../support/ledger.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const points = ['combine.recorded', 'combine.claimed', 'combine.added', 'combine.judged', 'combine.cleared'];
const landing = ['accept.journaled', 'accept.moved', 'accept.followed', 'retire.judged', 'accept.removed'];
const nexts = ['status', 'accept', 'prune'] as const;

describe('An accept that combines and was killed', () => {
  afterEach(removeAll);

  for (const [index, point] of [...points, ...landing].entries()) {
    const next = nexts[index % nexts.length] ?? 'status';
    it(`at ${point}, then ${next}: nothing is lost, none of its own checkout stays, and it lands`, async () => {
      const project = await make();
      const ledger = await Ledger.open(project);
      await ledger.write(project.root, 'loose.txt', 'precious\n');
      const { path, branch } = await started(project.root, { name: 'killed' });
      await ledger.write(path, 'src/mine.txt', 'mine\n');
      const head = await ledger.commit(path);
      ledger.mayLand.add(head);
      const trunk = await project.commit({ 'src/theirs.txt': 'theirs\n' }, project.root);
      ledger.commits.add(trunk);
      ledger.trunk = trunk;
      await ledger.write(project.root, 'src/a.txt', 'a person is editing\n');
      await killedAt(point, 'accept', path);
      await ledger.check();
      if (next === 'status') succeeded(await verb('status', project.root));
      else if (next === 'prune') succeeded(await verb('prune', project.root, { dry_run: false }));
      else if (await isThere(path)) succeeded(await verb('accept', path));
      await ledger.check();
      succeeded(await verb('status', project.root));
      if (await isThere(path)) succeeded(await verb('accept', path));
      const landed = await git(project.root, 'rev-parse', 'main');
      await ledger.check();
      for (const commit of [head, trunk])
        await git(project.root, 'merge-base', '--is-ancestor', commit, landed);
      assert.equal(await git(project.root, 'rev-list', '--count', `${trunk}..main`), '2', 'once');
      assert.equal(await git(project.root, 'branch', '--list', branch ?? ''), '');
      assert.deepEqual(await readdir(`${project.root}.worktrees`).catch(() => []), []);
      assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
      succeeded(await verb('prune', project.root, { dry_run: false }));
      assert.deepEqual(await readdir(`${project.root}/.git/discern-vscode/own-checkouts`), []);
      await git(project.root, 'checkout', '--quiet', 'src/a.txt');
      const status = await assertSound(project, [head, trunk]);
      assert.equal(status.findings, undefined);
      await assertWorks(project);
    });
  }
});
