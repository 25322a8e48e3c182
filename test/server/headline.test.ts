import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, projects } from '../support/project.ts';
import { clients, connections } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

const printing =
  '[project]\nname = "sample"\n[jobs]\nlint = "pwd; ! grep -rn BROKEN src"\ntest = "pwd; test -f src/a.txt"\n';

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('One connection opened on the main checkout', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`starts, gates and lands a worktree with no path anywhere (${client})`, async () => {
      const project = await make({ config: printing });
      const connection = await open({ args: ['--root', project.root] }, client);

      const started = await connection.call('discern_start', { name: 'Add b' });
      assert.equal(started.isError, false, started.text);
      const { path, branch } = started.envelope.data as { path: string; branch: string };
      assert.notEqual(path, project.root);
      const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);

      const done = await connection.call('discern_done');
      assert.equal(done.envelope.ok, true, done.text);
      assert.equal(done.envelope.data.root, path);
      assert.equal(done.envelope.data.commit, commit);
      for (const step of done.envelope.steps ?? []) {
        assert.equal(
          (await readFile(step.output_path ?? '', 'utf8')).trim(),
          path,
          `${step.name} ran in the worktree`,
        );
      }

      const accepted = await connection.call('discern_accept');
      assert.equal(accepted.envelope.ok, true, accepted.text);
      assert.deepEqual(accepted.envelope.data.landing, {
        recovery_performed: false,
        trunk_landed: true,
        worktree_removed: true,
        branch_deleted: true,
      });
      assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
      assert.equal(await exists(join(project.root, 'src/b.txt')), true, 'the landing checkout follows');
      assert.equal(await git(project.root, 'status', '--porcelain'), '');
      assert.equal(await exists(path), false);
      assert.equal(await git(project.root, 'branch', '--list', branch), '');
      assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);

      const status = await connection.call('discern_status');
      assert.equal(status.envelope.data.root, project.root);
      assert.equal(status.envelope.data.location, 'main');
      const { held } = status.envelope.data as { held: { root: string; moved_by: string } };
      assert.equal(held.root, project.root);
      assert.equal(held.moved_by, 'accept');
    });

    it(`is red for a broken file that only the worktree has (${client})`, async () => {
      const project = await make();
      const connection = await open({ args: ['--root', project.root] }, client);
      const { envelope } = await connection.call('discern_start', { name: 'break it' });
      await project.commit({ 'src/b.txt': 'BROKEN\n' }, envelope.data.path as string);

      const done = await connection.call('discern_done');
      assert.equal(done.isError, true);
      assert.equal(done.envelope.error, 'gate_failed');
      assert.match(done.text, /src\/b\.txt/);

      const trunk = await connection.call('discern_done', { path: project.root });
      assert.equal(
        trunk.envelope.ok,
        true,
        'the trunk itself is green: that would have been the false green',
      );
    });
  }
});
