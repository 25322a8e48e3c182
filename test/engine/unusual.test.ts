import assert from 'node:assert/strict';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, plainConfig, projects } from '../support/project.ts';
import { follow } from '../support/remedy.ts';

const { make, removeAll } = projects();

/** A repository that is none of the ordinary kind, with the root to work from. */
interface Kind {
  title: string;
  files?: Record<string, string>;
  make(project: Project): Promise<string>;
  /** Changes a worktree in the way that matters here. */
  change?(path: string, project: Project): Promise<void>;
  /** What must hold of the landing checkout afterwards. */
  landed?(root: string, project: Project): Promise<void>;
}

async function sparse({ root }: Project): Promise<string> {
  // A copied repository's index knows its files by other inodes; a file that may have changed is never taken away.
  await git(root, 'update-index', '--refresh');
  await git(root, 'sparse-checkout', 'set', 'src');
  return root;
}

const raw = (root: string) => Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9)]);
const names = async (root: string) => (await readdir(root)).sort();

/** A directory on another file system than the temp folder's, where this machine has one. */
async function otherFileSystem(): Promise<string> {
  const here = (await stat(tmpdir())).dev;
  for (const place of ['/dev/shm', `/run/user/${process.getuid?.()}`, homedir()]) {
    const found = await stat(place).catch(() => undefined);
    if (found?.isDirectory() && found.dev !== here)
      return realpath(await mkdtemp(join(place, 'discern-test-')));
  }
  return realpath(await mkdtemp(join(tmpdir(), 'discern-test-')));
}
const elsewhere: string[] = [];

const kinds: Kind[] = [
  {
    title: 'a sparse checkout, which stays as sparse as it was',
    files: { 'docs/old.txt': 'old\n', 'docs/gone.txt': 'gone\n', 'lib/x.txt': 'x\n' },
    make: sparse,
    change: async (path, project) => {
      await git(path, 'sparse-checkout', 'disable');
      await rm(join(path, 'docs/gone.txt'));
      await project.write({ 'docs/old.txt': 'new\n', 'docs/new.txt': 'new\n', 'src/b.txt': 'b\n' }, path);
    },
    landed: async (root) => {
      assert.deepEqual(await names(root), ['.git', 'discern.toml', 'src']);
      assert.deepEqual(await names(join(root, 'src')), ['a.txt', 'b.txt', 'own.txt']);
      assert.equal(await git(root, 'show', 'HEAD:docs/old.txt'), 'new');
    },
  },
  {
    title: 'a shallow clone',
    make: async (project) => {
      for (const name of ['b', 'c', 'd']) await project.commit({ [`src/${name}`]: '' });
      const clone = join(project.home, 'shallow');
      await git(project.home, 'clone', '--quiet', '--depth', '2', `file://${project.root}`, clone);
      return clone;
    },
    landed: async (root) => {
      assert.equal(await git(root, 'rev-parse', '--is-shallow-repository'), 'true');
    },
  },
  {
    title: 'one whose worktrees lie on another file system',
    make: async (project) => {
      const root = await otherFileSystem();
      elsewhere.push(root);
      await project.commit({ 'discern.toml': `${plainConfig}[worktree]\nroot = ${JSON.stringify(root)}\n` });
      return project.root;
    },
    landed: async () => assert.deepEqual(await names(elsewhere[0] ?? '/'), []),
  },
  {
    title: 'names that hold line ends, quotes, spaces and no UTF-8, or differ only in case',
    files: { 'Case.txt': 'upper\n', 'case.txt': 'lower\n', 'old "name"\n.txt': 'old\n' },
    make: async ({ root }) => root,
    change: async (path, project) => {
      await writeFile(raw(path), 'latin\n');
      await rename(join(path, 'old "name"\n.txt'), join(path, ' new\t"name".txt'));
      await project.write(
        { 'Case.txt': 'Upper\n', 'CASE.txt': 'all\n', '-dash': '', ':(glob)*': '', ünïcode: '' },
        path,
      );
    },
    landed: async (root) => {
      assert.equal(await readFile(raw(root), 'utf8'), 'latin\n');
      assert.equal(await readFile(join(root, ' new\t"name".txt'), 'utf8'), 'old\n');
      for (const [name, text] of [
        ['Case.txt', 'Upper\n'],
        ['CASE.txt', 'all\n'],
        ['case.txt', 'lower\n'],
      ] as const) {
        assert.equal(await readFile(join(root, name), 'utf8'), text);
      }
    },
  },
  {
    title: 'a change of a name’s case where git was told that case does not matter',
    files: { 'Readme.md': 'text\n' },
    make: async ({ root }) => {
      await git(root, 'config', 'core.ignoreCase', 'true');
      return root;
    },
    change: async (path) => {
      await git(path, 'mv', 'Readme.md', 'README.md');
    },
    landed: async (root) => {
      assert.deepEqual(await names(root), ['.git', 'README.md', 'discern.toml', 'src']);
    },
  },
  {
    title: '20,000 untracked files in the landing checkout, which all stay',
    make: async ({ root }) => {
      await manyFiles(join(root, 'untracked'), 20_000);
      return root;
    },
    landed: async (root) => assert.equal((await readdir(join(root, 'untracked'))).length, 20_000),
  },
];

async function manyFiles(dir: string, count: number): Promise<void> {
  await mkdir(dir);
  for (let from = 0; from < count; from += 1000) {
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => writeFile(join(dir, `f${from + index}`), '')),
    );
  }
}

describe('A repository that is not ordinary: start, update, done and accept work in', () => {
  afterEach(async () => {
    await removeAll();
    for (const path of elsewhere.splice(0)) await rm(path, { recursive: true, force: true });
  });

  for (const { title, files, make: prepare, change, landed } of kinds) {
    it(title, async () => {
      const project = await make(files === undefined ? {} : { files });
      const root = await prepare(project);
      const { path } = await started(root, { name: 'unusual' });
      await change?.(path, project);
      const own = await project.commit({ 'src/own.txt': 'own\n' }, path);
      // The trunk moves on meanwhile, by a commit that touches no checkout's files.
      const trunk = await git(root, 'commit-tree', '-p', 'main', '-m', 'trunk', 'main^{tree}');
      await git(root, 'update-ref', 'refs/heads/main', trunk);
      succeeded(await verb('update', path));
      succeeded(await verb('done', path));
      const { landing, landed_commit: commit } = succeeded(await verb('accept', path));
      assert.deepEqual(landing, {
        recovery_performed: false,
        trunk_landed: true,
        worktree_removed: true,
        branch_deleted: true,
      });
      assert.equal(await git(root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
      await git(root, 'merge-base', '--is-ancestor', own, 'main');
      assert.equal(await git(root, 'status', '--porcelain', '--untracked-files=no'), '');
      assert.equal(succeeded(await verb('status', root)).findings, undefined);
      await landed?.(root, project);
    });
  }

  it('20,000 untracked files in a worktree: accept refuses briefly, and a forced drop keeps them all', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    await project.commit({ 'src/b.txt': '' }, path);
    await manyFiles(join(path, 'untracked'), 20_000);
    const message = refusedWith(await verb('accept', path), 'dirty_worktree', /untracked\//);
    assert.ok(message.length < 1_000);
    const args = { worktree: id, delete_branch: true };
    const refused = refusedWith(await verb('drop', project.root, args), 'dirty_worktree');
    assert.ok(refused.length < 1_000);
    const { recovery_ref: ref = '' } = succeeded(await verb('drop', project.root, { ...args, force: true }));
    const kept = await git(project.root, 'ls-tree', '-r', '--name-only', ref, 'untracked/');
    assert.equal(kept.split('\n').length, 20_000);
  });

  it('a landing checkout in the middle of a bisect: it is refused, and what the refusal says to do helps', async () => {
    const project = await make();
    for (const name of ['b', 'c', 'd', 'e']) await project.commit({ [name]: '' });
    const { path } = await started(project.root);
    const commit = await project.commit({ own: '' }, path);
    await git(project.root, 'bisect', 'start', 'HEAD', 'HEAD~4');
    const message = refusedWith(await verb('accept', path), 'landing_parked', /middle of a bisect/);
    const [, remedy = ''] = /leave it with "(.+?)"/.exec(message) ?? [];
    await follow(project, remedy);
    assert.equal(succeeded(await verb('accept', path)).landed_commit, commit);
  });

  it('a worktree that was moved by hand: it is refused, and what the refusal says to do helps', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const commit = await project.commit({ b: '' }, path);
    const moved = join(project.home, 'moved by hand');
    await rename(path, moved);
    const message = refusedWith(await verb('accept', moved), 'not_a_git_repository', /git worktree repair/);
    const [, remedy = ''] = /run "(.+?)" and call again/.exec(message) ?? [];
    await follow(project, remedy);
    const data = succeeded(await verb('accept', moved));
    assert.deepEqual([data.landed_commit, data.landing.worktree_removed], [commit, true]);
  });

  it('a worktree whose index a git that died has locked: update says which file', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const own = await project.commit({ b: '' }, path);
    await project.commit({ c: '' });
    const lock = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'index.lock');
    await writeFile(lock, '');
    assert.ok(refusedWith(await verb('update', path), 'busy').includes(lock));
    assert.equal(await git(path, 'rev-parse', 'HEAD'), own);
    await rm(lock);
    succeeded(await verb('update', path));
  });

  it('a worktree on a branch without a commit: status tells of all the others', async () => {
    const project = await make();
    const [orphan, other] = [await started(project.root), await started(project.root)];
    await git(orphan.path, 'checkout', '--quiet', '--orphan', 'fresh');
    const { worktrees, findings } = succeeded(await verb('status', project.root));
    const shown = worktrees.find((one) => one.path === orphan.path);
    assert.deepEqual([shown?.branch, shown?.commit, shown?.ahead], ['fresh', '', undefined]);
    assert.equal(worktrees.find((one) => one.path === other.path)?.ahead, 0);
    assert.equal(findings, undefined);
    refusedWith(await verb('done', orphan.path), 'unborn_repository', /is on fresh, which has no commit/);
  });

  it('a branch that was deleted under its worktree: it is said, and the command brings it back', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    const commit = await project.commit({ 'b.txt': '' }, path);
    await git(project.root, 'update-ref', '-d', `refs/heads/${branch}`);
    for (const name of ['done', 'accept', 'status'] as const) {
      const message = refusedWith(await verb(name, path), 'unborn_repository');
      assert.match(message, /if the branch was deleted, "git branch /);
    }
    const message = (await verb('accept', path)).message ?? '';
    await follow(project, /"(git branch [^"]+)"/.exec(message)?.[1] ?? '');
    assert.equal(await git(path, 'rev-parse', 'HEAD'), commit);
    succeeded(await verb('accept', path));
  });

  it('an index that was cut off: it is told as that, and what the refusal says to do helps', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.commit({ 'b.txt': '' }, path);
    const index = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'index');
    await truncate(index, 20);
    for (const name of ['done', 'accept', 'status'] as const)
      refusedWith(
        await verb(name, path),
        'unavailable',
        /index.* is damaged: move that file away and run "git reset"/,
      );
    await rename(index, join(project.home, 'index'));
    await git(path, 'reset', '--quiet');
    succeeded(await verb('accept', path));
  });
});
