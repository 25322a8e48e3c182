import assert from 'node:assert/strict';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pausedAt, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A project whose trunk has an upstream in a bare repository, and a second clone of that. */
async function cloned(
  options?: Parameters<typeof make>[0],
): Promise<{ project: Project; hub: string; other: string }> {
  const project = await make(options);
  const hub = join(project.home, 'hub.git');
  await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
  await git(project.root, 'remote', 'add', 'origin', hub);
  await git(project.root, 'fetch', '--quiet', 'origin');
  await git(project.root, 'branch', '--quiet', '--set-upstream-to=origin/main', 'main');
  const other = join(project.home, 'other');
  await git(project.home, 'clone', '--quiet', hub, other);
  return { project, hub, other };
}

async function elsewhere(project: Project, other: string, files: Record<string, string>): Promise<string> {
  const commit = await project.commit(files, other, 'From elsewhere');
  await git(other, 'push', '--quiet', 'origin', 'HEAD:main');
  return commit;
}

async function work(project: Project, files: Record<string, string> = { 'src/b.txt': 'b\n' }) {
  const { path, branch } = await started(project.root, { name: 'work' });
  const commit = await project.commit(files, path, 'Work');
  return { path, branch: branch ?? '', commit };
}

async function hook(repository: string, name: string, text: string): Promise<void> {
  const file = join(repository, 'hooks', name);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
}

const at = (where: string, ref = 'main') => git(where, 'rev-parse', ref);

describe('accept with push', () => {
  afterEach(removeAll);

  it('lands, and pushes the trunk to its upstream; without push nothing is pushed', async () => {
    const { project, hub } = await cloned();
    const before = await at(hub);
    const first = await work(project);
    succeeded(await verb('accept', first.path));
    assert.equal(await at(hub), before);
    const { path } = await work(project, { 'src/c.txt': 'c\n' });
    const answer = await verb('accept', path, { push: true });
    const { landing, landed_commit: landed } = succeeded(answer);
    assert.deepEqual(landing.pushed, { remote: 'origin', ref: 'refs/heads/main' });
    assert.match(answer.message ?? '', /Landed on main, and pushed to origin/);
    assert.deepEqual(
      [await at(hub), await at(project.root), await at(project.root, 'origin/main')],
      [landed, landed, landed],
    );
    await git(hub, 'merge-base', '--is-ancestor', first.commit, 'main');
  });

  for (const how of ['ff', 'squash', 'rebase', 'merge'] as const) {
    it(`${how}: lands together with what the upstream got, proved so, and the trunk here has both`, async () => {
      const { project, hub, other } = await cloned();
      const theirs = await elsewhere(project, other, { 'src/theirs.txt': 't\n' });
      const { path, commit } = await work(project);
      await project.commit({ 'src/more.txt': 'm\n' }, path);
      const { landed_commit: landed } = succeeded(await verb('accept', path, { push: true, how }));
      assert.deepEqual([await at(hub), await at(project.root, 'HEAD')], [landed, landed]);
      await git(project.root, 'merge-base', '--is-ancestor', theirs, 'main');
      assert.notEqual(await git(project.root, 'for-each-ref', `--contains=${commit}`), '', 'kept');
      assert.deepEqual((await git(project.root, 'ls-files', 'src')).split('\n'), [
        'src/a.txt',
        'src/b.txt',
        'src/more.txt',
        'src/theirs.txt',
      ]);
      assert.equal(await git(project.root, 'status', '--porcelain'), '');
      assert.equal(succeeded(await verb('status', project.root)).proof.state, 'valid');
    });
  }

  it('joins a trunk that has commits of its own with its upstream', async () => {
    const { project, hub, other } = await cloned();
    const theirs = await elsewhere(project, other, { 'src/theirs.txt': 't\n' });
    const ours = await project.commit({ 'src/ours.txt': 'o\n' });
    const { path, commit } = await work(project);
    const { landed_commit: landed } = succeeded(await verb('accept', path, { push: true }));
    assert.deepEqual([await at(hub), await at(project.root)], [landed, landed]);
    for (const one of [theirs, ours, commit]) await git(hub, 'merge-base', '--is-ancestor', one, 'main');
  });

  it('combines again when it loses the race, and nothing of either is lost', async () => {
    const { project, hub, other } = await cloned();
    const { path, commit } = await work(project);
    const { resume } = await pausedAt(project, 'push.checked', 'accept', path, { push: true });
    const theirs = await elsewhere(project, other, { 'src/theirs.txt': 't\n' });
    const answer = await resume();
    assert.equal(answer?.ok, true, answer?.message);
    for (const one of [theirs, commit]) await git(hub, 'merge-base', '--is-ancestor', one, 'main');
    assert.equal(await at(hub), answer?.data?.landed_commit);
  });

  it('pushes nothing over a remote that was rewound meanwhile', async () => {
    const { project, hub } = await cloned();
    const { path } = await work(project);
    const second = await project.commit({ 'src/second.txt': 's\n' });
    await git(project.root, 'push', '--quiet', 'origin', 'main');
    const { resume } = await pausedAt(project, 'push.checked', 'accept', path, { push: true });
    await git(hub, 'update-ref', 'refs/heads/main', `${second}~1`);
    refusedWith(
      (await resume()) ?? assert.fail('it was killed'),
      'merge_conflict',
      /origin\/main was rewritten: main here still has what it dropped \(\w+ "a commit".*git push origin main/,
    );
    assert.deepEqual([await at(hub), await at(project.root)], [await at(hub, `${second}~1`), second]);
    // The person wants it there after all.
    await git(project.root, 'push', '--quiet', 'origin', 'main');
    succeeded(await verb('accept', path, { push: true }));
    await git(hub, 'merge-base', '--is-ancestor', second, 'main');
  });

  it('does not bring back what a force-push took from the trunk over there', async () => {
    const { project, hub, other } = await cloned();
    await elsewhere(project, other, { 'src/secret.txt': 'secret\n' });
    await git(project.root, 'pull', '--quiet', '--ff-only');
    const had = await at(project.root);
    await git(other, 'reset', '--quiet', '--hard', 'HEAD~1');
    const theirs = await project.commit({ 'src/instead.txt': 'i\n' }, other, 'Instead');
    await git(other, 'push', '--quiet', '--force', 'origin', 'HEAD:main');
    const { path } = await work(project);
    const answer = await verb('accept', path, { push: true });
    refusedWith(answer, 'merge_conflict', /was rewritten.*"From elsewhere".*git rebase --onto origin\/main/);
    assert.deepEqual([await at(hub), await at(project.root)], [theirs, had]);
    const [, remedy = ''] = /\("(git rebase [^"]+)" in its checkout\)/.exec(answer.message ?? '') ?? [];
    await git(project.root, ...remedy.split(' ').slice(1));
    assert.equal(await at(project.root), theirs);
    await git(path, 'rebase', '--quiet', '--onto', 'main', had);
    const { landed_commit: landed } = succeeded(await verb('accept', path, { push: true }));
    assert.equal(await at(hub), landed);
    assert.doesNotMatch(await git(hub, 'ls-tree', '-r', '--name-only', 'main'), /secret/);
  });

  for (const [what, prepare, message] of [
    [
      'a hook there that rejects',
      (hub: string) => hook(hub, 'pre-receive', 'echo "main is protected" >&2; exit 1'),
      /did not take main.*main is protected.*pull request/,
    ],
    [
      'an update hook there',
      (hub: string) => hook(hub, 'update', 'echo "not you" >&2; exit 1'),
      /did not take main.*not you/,
    ],
  ] as const) {
    it(`is refused plainly by ${what}: nothing has moved, here or there, and it lands without push`, async () => {
      const { project, hub } = await cloned();
      await prepare(hub);
      const { path, branch } = await work(project);
      const before = [await at(hub), await at(project.root)];
      refusedWith(await verb('accept', path, { push: true }), 'unavailable', message);
      assert.deepEqual([await at(hub), await at(project.root)], before);
      assert.notEqual(await git(project.root, 'branch', '--list', branch), '');
      assert.equal(await git(path, 'status', '--porcelain'), '');
      succeeded(await verb('accept', path));
    });
  }

  it('heeds the person’s own pre-push hook', async () => {
    const { project, hub } = await cloned();
    await hook(
      join(project.root, '.git'),
      'pre-push',
      `echo ran >> "${project.home}/hooked"; echo "not on a Friday" >&2; exit 1`,
    );
    const { path } = await work(project);
    const before = [await at(hub), await at(project.root)];
    refusedWith(await verb('accept', path, { push: true }), 'unavailable', /not on a Friday/);
    assert.deepEqual([await at(hub), await at(project.root)], before);
    await hook(join(project.root, '.git'), 'pre-push', `echo ran >> "${project.home}/hooked"`);
    succeeded(await verb('accept', path, { push: true }));
    assert.equal(await readFile(join(project.home, 'hooked'), 'utf8'), 'ran\nran\n');
  });

  it('is refused where the remote is gone, has no trunk, or there is none, and says how to go on', async () => {
    const { project, hub } = await cloned();
    const { path } = await work(project);
    const before = await at(project.root);
    await git(hub, 'update-ref', '-d', 'refs/heads/main');
    refusedWith(
      await verb('accept', path, { push: true }),
      'unknown_ref',
      /origin has no main.*accept without push/,
    );
    await rm(hub, { recursive: true });
    refusedWith(
      await verb('accept', path, { push: true }),
      'unavailable',
      /could not be fetched.*accept without push/,
    );
    await git(project.root, 'remote', 'remove', 'origin');
    refusedWith(
      await verb('accept', path, { push: true }),
      'unknown_ref',
      /has no upstream.*accept without push/,
    );
    assert.equal(await at(project.root), before);
  });

  it('is refused where trunk and upstream conflict, or the work and the upstream do, and names whose change', async () => {
    const { project, hub, other } = await cloned();
    const theirs = await elsewhere(project, other, { 'src/a.txt': 'theirs\n' });
    const { path } = await work(project, { 'src/a.txt': 'mine\n' });
    refusedWith(
      await verb('accept', path, { push: true }),
      'merge_conflict',
      /src\/a\.txt, changed there by .*"From elsewhere"/,
    );
    await project.commit({ 'src/a.txt': 'ours\n' });
    refusedWith(
      await verb('accept', path, { push: true }),
      'merge_conflict',
      /main and what origin has conflict in src\/a\.txt/,
    );
    assert.equal(await at(hub), theirs);
  });

  for (const how of ['ff', 'squash'] as const) {
    for (const point of ['push.checked', 'push.pushed', 'accept.moved']) {
      it(`${how}: killed at ${point}, goes on where it was: once there, and once here`, async () => {
        const { project, hub, other } = await cloned();
        const theirs = await elsewhere(project, other, { 'src/theirs.txt': 't\n' });
        const { path, branch, commit } = await work(project);
        await killedAt(point, 'accept', path, { push: true, how });
        succeeded(await verb('status', project.root));
        if ((await git(project.root, 'branch', '--list', branch)) !== '')
          succeeded(await verb('accept', path, { push: true, how }));
        assert.equal(await at(hub), await at(project.root));
        assert.equal(
          await git(hub, 'rev-list', '--count', '--first-parent', `${theirs}..main`),
          how === 'ff' ? '2' : '1',
        );
        assert.equal(await git(project.root, 'show', 'main:src/b.txt'), 'b');
        assert.notEqual(await git(project.root, 'for-each-ref', `--contains=${commit}`), '', 'kept');
        assert.equal(await git(project.root, 'status', '--porcelain'), '');
        assert.equal(await git(project.root, 'branch', '--list', branch), '');
        assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
      });
    }
  }

  it('says in its preview where it would push, and fetches nothing', async () => {
    const { project, other } = await cloned();
    await elsewhere(project, other, { 'src/theirs.txt': 't\n' });
    const { path } = await work(project);
    const before = await at(project.root, 'origin/main');
    const { plan } = await verb('accept', path, { push: true, dry_run: true });
    assert.deepEqual((await verb('accept', path, { dry_run: true })).data?.ways, ['queue', 'push']);
    assert.ok(
      plan?.steps.some(({ action, detail }) => action === 'push' && detail?.includes('main to origin')),
    );
    assert.equal(await at(project.root, 'origin/main'), before);
  });
});
