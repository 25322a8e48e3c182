import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { inMemory } from '../support/in-memory.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();
const { open, closeAll } = inMemory();

describe('A server in this process', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('starts, gates and lands, and its root follows', async () => {
    const project = await make();
    const server = await open(project.root);
    const { envelope: started } = await server.call('discern_start', { name: 'x' });
    const { path, branch } = started.data as { path: string; branch: string };
    assert.equal((await server.call('discern_status')).envelope.data.root, path);
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
    const { envelope: done } = await server.call('discern_done');
    assert.deepEqual([done.ok, done.data.root, done.error], [true, path, undefined]);
    const { envelope: landed } = await server.call('discern_accept');
    assert.deepEqual([landed.ok, landed.data.root], [true, project.root]);
    assert.equal(await git(project.root, 'rev-parse', 'HEAD'), await git(project.root, 'rev-parse', 'main'));
    assert.equal((await git(project.root, 'merge-base', '--is-ancestor', commit, 'main')).trim(), '');
    assert.equal(existsSync(path), false);
    assert.equal(await git(project.root, 'branch', '--list', branch), '');
  });

  it('refuses to land what is red, and the trunk stays where it was', async () => {
    const project = await make({ config: '[project]\nname = "x"\n[jobs]\ntest = "test ! -e src/b.txt"\n' });
    const server = await open(project.root);
    const { envelope: started } = await server.call('discern_start', { name: 'x' });
    await project.commit({ 'src/b.txt': 'b\n' }, started.data.path as string);
    const before = await git(project.root, 'rev-parse', 'main');
    const { envelope } = await server.call('discern_accept');
    assert.equal(envelope.error, 'gate_failed');
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    assert.equal(existsSync(started.data.path as string), true);
  });

  it('names an unknown tool and a mistyped argument as a process would', async () => {
    const project = await make();
    const server = await open(project.root);
    await assert.rejects(server.call('discern_stat'), /discern_status/);
    const { envelope } = await server.call('discern_done', { dryrun: true });
    assert.equal(envelope.error, 'unknown_argument');
    assert.match(envelope.message ?? '', /dry_run/);
  });
});
