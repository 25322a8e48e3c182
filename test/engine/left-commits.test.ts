import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';
import { follow } from '../support/remedy.ts';

const { make, removeAll } = projects();

/** A worktree that also reaches commits of no branch: made on a detached HEAD and left, and under refs of its own. */
async function withLeft(): Promise<{ project: Project; path: string; detached: string; own: string }> {
  const project = await make();
  const { path, worktree } = await started(project.root);
  const branch = await git(path, 'branch', '--show-current');
  await git(path, 'switch', '--quiet', '--detach');
  await project.commit({ 'src/x.txt': 'one\n' }, path);
  const detached = await project.commit({ 'src/x.txt': 'two\n' }, path);
  await git(path, 'switch', '--quiet', branch);
  const own = await git(path, 'commit-tree', '-p', 'HEAD', '-m', 'own', 'HEAD^{tree}');
  await git(path, 'update-ref', 'refs/worktree/own', own);
  assert.equal(worktree, path);
  return { project, path, detached, own };
}

const recovered = async ({ root }: Project) =>
  (await git(root, 'for-each-ref', '--format=%(objectname)', 'refs/discern/recovered/'))
    .split('\n')
    .filter(Boolean);

describe('Commits that only a worktree reaches', () => {
  afterEach(removeAll);

  it('are kept and named when accept removes it', async () => {
    const { project, path, detached, own } = await withLeft();
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.deepEqual((await recovered(project)).sort(), [detached, own].sort());
    const hints = (answer.hints ?? []).join('\n');
    for (const id of [detached, own]) assert.ok(hints.includes(id.slice(0, 10)), hints);
    assert.equal(await git(project.root, 'show', `${detached}:src/x.txt`), 'two');
  });

  it('are kept and named when drop removes it, and an amended commit too', async () => {
    const { project, path, detached, own } = await withLeft();
    const amended = await project.commit({ 'src/b.txt': 'first\n' }, path);
    await project.write({ 'src/b.txt': 'second\n' }, path);
    await git(path, 'commit', '--quiet', '--all', '--amend', '-m', 'again');
    await git(path, 'reset', '--quiet', '--hard', 'main');
    const answer = await verb('drop', project.root, { worktree: path, delete_branch: true });
    succeeded(answer);
    const kept = await recovered(project);
    for (const id of [detached, own, amended]) assert.ok(kept.includes(id), `${id} of ${kept.join(' ')}`);
  });

  it('are kept however long and large its reflog is', async () => {
    const { project, path, detached, own } = await withLeft();
    const log = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'logs/HEAD');
    const line = (id: string, what: string) => `${id} ${id} x <x@localhost> 1700000000 +0000\t${what}\n`;
    const strange = (n: number) => n.toString(16).padStart(40, 'a');
    for (let n = 0; n < 3_000; n += 500)
      await appendFile(log, Array.from({ length: 500 }, (_, i) => line(strange(n + i), 'x')).join(''));
    const head = await git(path, 'rev-parse', 'HEAD');
    await appendFile(log, line(head, 'm'.repeat(1_000)).repeat(20_000));
    succeeded(await verb('drop', project.root, { worktree: path, delete_branch: true }));
    assert.deepEqual((await recovered(project)).sort(), [detached, own].sort());
  });

  it('are kept all of them, by one ref where they are many', async () => {
    const { project, path } = await withLeft();
    const tips: string[] = [];
    for (let n = 0; n < 25; n++) {
      tips.push(await git(path, 'commit-tree', '-p', 'HEAD', '-m', `tip ${n}`, 'HEAD^{tree}'));
      await git(path, 'update-ref', `refs/worktree/tip-${n}`, tips.at(-1) ?? '');
    }
    succeeded(await verb('drop', project.root, { worktree: path, delete_branch: true }));
    const [kept, ...others] = await recovered(project);
    assert.deepEqual(others, []);
    const reached = (await git(project.root, 'rev-list', kept ?? '')).split('\n');
    assert.deepEqual(
      tips.filter((tip) => !reached.includes(tip)),
      [],
    );
  });

  it('are kept with the tags, files and directories that its own refs name, each to be made a branch of', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.write({ 'x.txt': 'precious\n' }, path);
    const blob = await git(path, 'hash-object', '-w', 'x.txt');
    await git(path, 'add', 'x.txt');
    const tree = await git(path, 'write-tree');
    await git(path, 'rm', '--quiet', '--force', 'x.txt');
    await git(path, 'tag', '--annotate', '-m', 'precious words', 'mine');
    const tag = await git(path, 'rev-parse', 'mine');
    await git(path, 'tag', '--delete', 'mine');
    for (const [name, id] of Object.entries({ blob, tree, tag }))
      await git(path, 'update-ref', `refs/worktree/my/${name}`, id);
    succeeded(await verb('drop', project.root, { worktree: path, delete_branch: true }));
    const { kept } = succeeded(await verb('status', project.root));
    assert.equal(kept?.total, 3);
    for (const { restore } of kept?.refs ?? []) await follow(project, restore);
    assert.equal((await git(project.root, 'branch', '--list', 'recovered/*')).split('\n').length, 3);
    const all = await git(project.root, 'rev-list', '--objects', ...(await recovered(project)));
    for (const id of [blob, tree, tag]) assert.ok(all.includes(id), all);
  });

  it('are none of a worktree whose work has landed: then nothing is kept', async () => {
    const project = await make();
    const { path } = await started(project.root);
    for (const file of ['a', 'b', 'c']) await project.commit({ [file]: file }, path);
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.deepEqual(await recovered(project), []);
    assert.ok(!(answer.hints ?? []).some((hint) => hint.includes('recovered')));
  });
});
