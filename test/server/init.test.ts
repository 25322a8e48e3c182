import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { git, projects } from '../support/project.ts';
import { clients, connections } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const files = { Makefile: 'test:\n\ttest -f src/a.txt\nlint:\n\t! grep -rn BROKEN src\n' };

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('discern_init', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`takes a server that was started nowhere near a project to one that lands work (${client})`, async () => {
      const project = await make({ config: null, files });
      const { call } = await open({ cwd: join(project.root, 'src') }, client);
      const before = await call('discern_done');
      assert.equal(before.envelope.error, 'not_initialized');
      assert.match(before.text, /init/);
      const preview = await call('discern_init', { dry_run: true });
      assert.match(preview.text, /^discern\.toml:$/m);
      assert.match(preview.text, /^lint = "make lint" # Makefile lint$/m);
      assert.equal(await isThere(join(project.root, 'discern.toml')), false);

      const made = await call('discern_init');
      assert.equal(made.isError, false, made.text);
      assert.equal(made.envelope.data.root, project.root);
      assert.match(made.text, /note: Commit it, and only it: git -C /);
      await git(project.root, 'add', 'discern.toml');
      await git(project.root, 'commit', '--quiet', '-m', 'project');

      const started = await call('discern_start', { name: 'first' });
      assert.equal(started.isError, false, started.text);
      await project.commit({ 'src/b.txt': 'b\n' }, started.envelope.data.path as string);
      const done = await call('discern_done');
      assert.equal(done.isError, false, done.text);
      assert.equal((done.envelope.data.proof as { state: string }).state, 'valid');
      assert.equal((await call('discern_accept')).isError, false);
    });
  }

  it('runs nothing in an untrusted workspace, but shows, and writes when told not to prove', async () => {
    const project = await make({ config: null, files: { Makefile: 'test:\n\ttouch ../ran\n' } });
    const { call } = await open({ args: ['--root', project.root, '--untrusted'] });
    const refused = await call('discern_init');
    assert.equal(refused.envelope.error, 'untrusted');
    assert.match(refused.text, /prove: false/);
    assert.equal((await call('discern_init', { dry_run: true })).isError, false);
    assert.equal(await isThere(join(project.root, 'discern.toml')), false);
    assert.equal((await call('discern_init', { prove: false })).isError, false);
    assert.equal(await isThere(join(project.root, 'discern.toml')), true);
    assert.equal(await isThere(join(project.home, 'ran')), false);
  });

  it('begins where a path names, and else where the server looked: the first that lies in git', async () => {
    const [one, two] = [await make({ config: null, files }), await make({ config: null, files })];
    const { call } = await open({
      args: ['--root', one.home],
      env: { DISCERN_ROOT: join(one.root, 'src') },
      cwd: two.root,
    });
    const dry = { dry_run: true };
    assert.equal((await call('discern_init', dry)).envelope.data.root, one.root);
    assert.equal((await call('discern_init', { ...dry, path: two.root })).envelope.data.root, two.root);
    assert.equal(
      (await call('discern_init', { ...dry, path: 'relative' })).envelope.error,
      'invalid_argument',
    );
    assert.equal((await call('discern_init', { ...dry, path: '/no/such' })).envelope.error, 'path_not_found');
    const outside = await open({ cwd: one.home });
    assert.equal((await outside.call('discern_init')).envelope.error, 'not_a_git_repository');
  });
});
