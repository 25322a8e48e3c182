import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A project whose trunk follows that of a bare repository, by a remote of that name. */
async function cloned(remote = 'origin'): Promise<{ project: Project; hub: string }> {
  const project = await make();
  const hub = join(project.home, 'hub.git');
  await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
  await git(project.root, 'remote', 'add', remote, hub);
  await git(project.root, 'fetch', '--quiet', remote);
  await git(project.root, 'branch', '--quiet', `--set-upstream-to=${remote}/main`, 'main');
  return { project, hub };
}

let made = 0;
/** Work in a worktree that git made, which discern leaves. */
async function work(project: Project): Promise<{ path: string; commit: string; branch: string }> {
  const branch = `work${++made}`;
  const path = join(project.home, branch);
  await git(project.root, 'worktree', 'add', '--quiet', '-b', branch, path);
  const commit = await project.commit({ [`src/${branch}.txt`]: `${branch}\n` }, path, branch);
  return { path, commit, branch };
}

const at = (where: string, ref = 'main') => git(where, 'rev-parse', ref);
const refs = (where: string) => git(where, 'for-each-ref', '--format=%(refname) %(objectname)');
const pushes = (path: string) => verb('accept', path, { push: true });

/** Everything here and there but what a fetch tells of the remote. */
const unmoved = async ({ project, hub }: { project: Project; hub: string }) => [
  await refs(hub),
  await git(project.root, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags'),
  await git(project.root, 'status', '--porcelain'),
];

describe('What accept with push pushes', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const one of servers.splice(0)) one.close();
    await removeAll();
  });

  it('is the trunk alone, whatever the user’s settings say of pushes', async () => {
    const { project, hub } = await cloned();
    const { root } = project;
    await git(root, 'branch', 'private');
    await git(root, 'tag', '-a', '-m', 'not yet', 'v1');
    for (const [key, value] of [
      ['remote.origin.push', '+refs/heads/*:refs/heads/*'],
      ['remote.origin.mirror', 'true'],
      ['push.default', 'matching'],
      ['push.followTags', 'true'],
      ['push.gpgSign', 'if-asked'],
      ['push.recurseSubmodules', 'only'],
      ['push.autoSetupRemote', 'true'],
      ['push.useForceIfIncludes', 'true'],
      ['push.pushOption', 'ci.skip'],
      ['remote.pushDefault', 'nowhere'],
      ['branch.main.pushRemote', 'nowhere'],
      ['fetch.prune', 'true'],
      ['fetch.pruneTags', 'true'],
      ['remote.origin.tagOpt', '--tags'],
    ] as const)
      await git(root, 'config', key, value);
    await git(hub, 'config', 'receive.advertisePushOptions', 'true');
    const before = await git(root, 'for-each-ref', 'refs/tags');
    const { path } = await work(project);
    const answer = succeeded(await pushes(path));
    assert.equal(await refs(hub), `refs/heads/main ${answer.landed_commit}`);
    assert.equal(await git(root, 'for-each-ref', 'refs/tags'), before);
    assert.deepEqual(answer.landing.pushed, { remote: 'origin', ref: 'refs/heads/main' });
  });

  it('goes to the remote the trunk follows, whatever it is called, and to its push address', async () => {
    const { project, hub } = await cloned('team/far');
    const writable = join(project.home, 'writable.git');
    await git(project.home, 'clone', '--quiet', '--bare', hub, writable);
    await git(project.root, 'config', 'remote.team/far.pushurl', writable);
    const before = await refs(hub);
    const { path } = await work(project);
    const { landing, landed_commit: landed } = succeeded(await pushes(path));
    assert.deepEqual(landing.pushed, { remote: 'team/far', ref: 'refs/heads/main' });
    assert.deepEqual([await at(writable), await refs(hub)], [landed, before]);
    // What is fetched from lags behind what is pushed to.
    const later = await work(project);
    const main = await at(project.root);
    refusedWith(await pushes(later.path), 'merge_conflict', /or what team\/far is fetched from lags behind/);
    assert.deepEqual([await at(writable), await at(project.root)], [landed, main]);
    await git(hub, 'fetch', '--quiet', writable, 'main:main');
    succeeded(await pushes(later.path));
    await git(writable, 'merge-base', '--is-ancestor', later.commit, 'main');
  });

  it('is nothing where a remote has several push addresses, of which one could take it and the other not', async () => {
    const { project, hub } = await cloned();
    const second = join(project.home, 'second.git');
    await git(project.home, 'clone', '--quiet', '--bare', hub, second);
    await git(project.root, 'remote', 'set-url', '--add', '--push', 'origin', hub);
    await git(project.root, 'remote', 'set-url', '--add', '--push', 'origin', second);
    const { path } = await work(project);
    const before = [...(await unmoved({ project, hub })), await refs(second)];
    refusedWith(await pushes(path), 'unavailable', /origin has 2 push addresses.*accept without push/);
    assert.deepEqual([...(await unmoved({ project, hub })), await refs(second)], before);
  });

  it('moves no branch here where the remote is a mirror', async () => {
    const { project, hub } = await cloned();
    const { root } = project;
    await git(root, 'config', '--unset-all', 'branch.main.merge');
    await git(root, 'config', '--unset-all', 'branch.main.remote');
    await git(root, 'config', '--replace-all', 'remote.origin.fetch', '+refs/*:refs/*');
    const other = join(project.home, 'other');
    await git(project.home, 'clone', '--quiet', hub, other);
    const theirs = await project.commit({ 'src/theirs.txt': 't\n' }, other, 'Theirs');
    await git(other, 'push', '--quiet', 'origin', 'HEAD:main');
    // No checkout has the trunk, so that git itself would let a fetch overwrite it.
    const ours = await project.commit({ 'src/ours.txt': 'o\n' });
    const { path, commit, branch } = await work(project);
    await git(root, 'switch', '--quiet', '--detach');
    const answer = await verb('update', path, { fetch: true });
    assert.deepEqual([await at(root), answer.error], [ours, undefined], answer.message);
    await git(path, 'merge-base', '--is-ancestor', theirs, 'HEAD');
    await git(root, 'switch', '--quiet', 'main');
    const { landed_commit: landed } = succeeded(await pushes(path));
    for (const one of [theirs, ours, commit]) await git(hub, 'merge-base', '--is-ancestor', one, 'main');
    assert.deepEqual([await at(hub), await at(root)], [landed, landed]);
    assert.equal(await git(hub, 'branch', '--list', branch), '', 'nothing else was pushed');
  });

  it('is nothing where somebody else is faster every time: it ends, and says so', async () => {
    const { project, hub } = await cloned();
    const hook = join(project.root, '.git/hooks/pre-push');
    const racing = `tree=$(git -C "${hub}" rev-parse main^{tree}); one=$(git -C "${hub}" commit-tree -p main -m faster $tree); git -C "${hub}" update-ref refs/heads/main $one`;
    await writeFile(hook, `#!/bin/sh\nunset GIT_DIR\n${racing}\n`);
    await chmod(hook, 0o755);
    const { path, commit } = await work(project);
    const main = await at(project.root);
    refusedWith(await pushes(path), 'busy', /moved 5 times/);
    assert.deepEqual([await at(project.root), await at(path, 'HEAD')], [main, commit]);
    assert.equal(await git(hub, 'rev-list', '--count', `${main}..main`), '5');
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 2);
    await writeFile(hook, '#!/bin/sh\n');
    succeeded(await pushes(path));
    await git(hub, 'merge-base', '--is-ancestor', commit, 'main');
  });

  it('is nothing, said plainly, without network, without credentials, and where the branch is checked out there', async () => {
    const { project, hub } = await cloned();
    const { path } = await work(project);
    const before = await unmoved({ project, hub });
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' });
      response.end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ssh = join(project.home, 'ssh');
    await writeFile(ssh, '#!/bin/sh\necho "git@host: Permission denied (publickey)." >&2; exit 255\n');
    await chmod(ssh, 0o755);
    await git(project.root, 'config', 'core.sshCommand', ssh);
    const away: [string, RegExp][] = [
      [
        `http://user:hunter2@127.0.0.1:${port}/shop.git`,
        /could not be fetched \((?!.*hunter2).*\), and nothing was changed/,
      ],
      ['http://127.0.0.1:1/shop.git', /could not be fetched \(.*127\.0\.0\.1/],
      ['git@host:shop.git', /could not be fetched \(.*Permission denied \(publickey\)/],
    ];
    for (const [url, message] of away) {
      await git(project.root, 'remote', 'set-url', 'origin', url);
      refusedWith(await pushes(path), 'unavailable', message);
      refusedWith(await verb('update', path, { fetch: true }), 'unavailable', message);
      // Whoever may read and not write.
      await git(project.root, 'remote', 'set-url', 'origin', hub);
      await git(project.root, 'remote', 'set-url', '--push', 'origin', url);
      const answer = await pushes(path);
      refusedWith(answer, 'unavailable', /origin did not take main .*Nothing was landed, here or there/);
      assert.doesNotMatch(JSON.stringify(answer), /hunter2/);
      await git(project.root, 'config', '--unset-all', 'remote.origin.pushurl');
      assert.deepEqual(await unmoved({ project, hub }), before, url);
    }
    assert.ok(asked > 0);
    const checkedOut = join(project.home, 'checked-out');
    await git(project.home, 'clone', '--quiet', hub, checkedOut);
    await git(project.root, 'remote', 'set-url', 'origin', checkedOut);
    refusedWith(await pushes(path), 'unavailable', /did not take main .*branch is currently checked out/);
    assert.deepEqual(await unmoved({ project, hub }), before);
  });
});
