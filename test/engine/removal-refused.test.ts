import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, makeProject, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const FILE = ['-c', 'protocol.file.allow=always'];

interface Scene {
  project: Project;
  /** The worktree, clean and with a commit to land. */
  path: string;
  id: string;
  /** Another repository, which serves as a remote. */
  other: Project;
}

/** What is put into a worktree, and how it is said; resolves with what lets the worktree go in the end. */
interface Case {
  title: string;
  submodule?: boolean;
  hide(scene: Scene): Promise<() => Promise<unknown>>;
  slug?: 'dirty_worktree' | 'busy';
  said: RegExp;
}

async function scene(made: Project[], submodule: boolean): Promise<Scene> {
  const other = await makeProject({ name: 'other', config: null });
  made.push(other);
  const project = await make({ files: { '.gitignore': '/build/\n' } });
  if (submodule) {
    await gitSubmodule(project.root, 'add', other.root, 'sub');
    await project.commit({});
  }
  const { path, id } = await started(project.root);
  if (submodule) await gitSubmodule(path, 'update', '--init');
  await project.commit({ 'src/b.txt': 'b\n' }, path);
  return { project, path, id, other };
}

const forgetReflogs = (dir: string) => git(dir, 'reflog', 'expire', '--expire=now', '--all');
const nested = (path: string) => join(path, 'build/nested');

async function clone({ path, other }: Scene, ...args: string[]): Promise<string> {
  await mkdir(join(path, 'build'), { recursive: true });
  await git(path, ...FILE, 'clone', '--quiet', ...args, `file://${other.root}`, nested(path));
  return nested(path);
}

const cases: Case[] = [
  {
    title: 'commits of a submodule that is not checked out any more',
    submodule: true,
    hide: async ({ project, path }) => {
      await project.commit({ 'x.txt': '' }, join(path, 'sub'));
      const store = await git(join(path, 'sub'), 'rev-parse', '--absolute-git-dir');
      await git(path, 'submodule', '--quiet', 'deinit', '--force', 'sub');
      return () => git(path, `--git-dir=${store}`, 'push', '--quiet', 'origin', 'HEAD:refs/heads/pushed');
    },
    said: /modules\/sub.* 1 commit .*no remote/,
  },
  {
    title: 'commits that only a submodule’s reflog reaches',
    submodule: true,
    hide: async ({ project, path }) => {
      const sub = join(path, 'sub');
      await project.commit({ 'x.txt': '' }, sub);
      await git(sub, 'checkout', '--quiet', '--detach', 'HEAD~1');
      return () => forgetReflogs(sub);
    },
    said: /sub.* 1 commit .*reflog/,
  },
  {
    title: 'a stash of a submodule',
    submodule: true,
    hide: async ({ project, path }) => {
      const sub = join(path, 'sub');
      await project.write({ 'src/a.txt': 'precious\n' }, sub);
      await git(sub, 'stash', '--quiet');
      return () => git(sub, 'stash', 'drop', '--quiet');
    },
    said: /sub.* commits .*no remote/,
  },
  {
    title: 'a tag of a submodule on a commit that no remote has',
    submodule: true,
    hide: async ({ project, path }) => {
      const sub = join(path, 'sub');
      await project.commit({ 'x.txt': '' }, sub);
      await git(sub, 'tag', 'mine');
      await git(sub, 'reset', '--quiet', '--hard', 'HEAD~1');
      await forgetReflogs(sub);
      return () => git(sub, 'tag', '--delete', 'mine');
    },
    said: /sub.* 1 commit .*no remote/,
  },
  {
    title: 'a commit of a submodule that only the landed commit names',
    submodule: true,
    hide: async ({ project, path }) => {
      const sub = join(path, 'sub');
      const commit = await project.commit({ 'x.txt': '' }, sub);
      await git(path, 'commit', '--quiet', '--all', '-m', 'a submodule commit');
      await git(path, 'submodule', '--quiet', 'deinit', '--force', 'sub');
      const store = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'modules/sub');
      const at = (...args: string[]) => git(path, `--git-dir=${store}`, '--work-tree=.', ...args);
      await at('update-ref', '--no-deref', 'HEAD', 'refs/remotes/origin/main');
      await at('update-ref', 'refs/heads/main', 'refs/remotes/origin/main');
      await at('reflog', 'expire', '--expire=now', '--all');
      await rm(join(store, 'ORIG_HEAD'), { force: true });
      return () => at('push', '--quiet', 'origin', `${commit}:refs/heads/pushed`);
    },
    said: /modules\/sub.* 1 commit .*no remote/,
  },
  {
    title: 'a repository of its own in a directory that is ignored',
    hide: async ({ project, path }) => {
      await mkdir(nested(path), { recursive: true });
      await git(nested(path), 'init', '--quiet', '--initial-branch=main');
      await project.commit({ 'x.txt': '' }, nested(path));
      return () => rm(nested(path), { recursive: true });
    },
    said: /build\/nested.* 1 commit .*no remote/,
  },
  {
    title: 'a bare repository in a directory that is ignored',
    hide: async ({ path, project }) => {
      const bare = join(path, 'build/deep/cache.git');
      await git(path, 'init', '--quiet', '--bare', bare);
      const away = join(project.home, 'away');
      await git(project.home, 'clone', '--quiet', bare, away);
      await project.commit({ 'x.txt': '' }, away);
      await git(away, 'push', '--quiet', 'origin', 'HEAD');
      return () => rm(bare, { recursive: true });
    },
    said: /build\/deep\/cache\.git.* 1 commit .*no remote/,
  },
  {
    title: 'a clone in a directory that is ignored, with an edit',
    hide: async (one) => {
      const dir = await clone(one);
      await one.project.write({ 'src/a.txt': 'precious\n' }, dir);
      return () => git(dir, 'checkout', '--quiet', '.');
    },
    said: /build\/nested.* uncommitted changes \(src\/a\.txt\)/,
  },
  {
    title: 'a clone whose own remote lies in the worktree too',
    hide: async (one) => {
      const dir = await clone(one);
      await git(dir, 'remote', 'add', 'self', dir);
      await one.project.commit({ 'x.txt': '' }, dir);
      await git(dir, 'fetch', '--quiet', 'self');
      return () => git(dir, 'push', '--quiet', 'origin', 'HEAD:refs/heads/pushed');
    },
    said: /build\/nested.* 1 commit .*no remote/,
  },
  {
    title: 'a clone whose remote, on this machine, was deleted since',
    hide: async (one) => {
      const remote = join(one.project.home, 'remote.git');
      const dir = await clone(one);
      await git(one.project.home, 'clone', '--quiet', '--bare', one.other.root, remote);
      await git(dir, 'remote', 'set-url', 'origin', remote);
      await one.project.commit({ 'x.txt': '' }, dir);
      await git(dir, 'push', '--quiet', 'origin', 'HEAD');
      await rm(remote, { recursive: true });
      return async () => {
        await git(dir, 'remote', 'set-url', 'origin', one.other.root);
        await git(dir, 'push', '--quiet', 'origin', 'HEAD:refs/heads/pushed');
      };
    },
    said: /build\/nested.* commits? .*no remote/,
  },
  {
    title: 'a checkout of another repository',
    hide: async ({ path, other }) => {
      await git(other.root, 'worktree', 'add', '--quiet', '-b', 'linked', nested(path));
      return () => git(other.root, 'worktree', 'move', nested(path), join(other.home, 'out'));
    },
    slug: 'busy',
    said: /build\/nested, a checkout too, lies inside/,
  },
  {
    title: 'another checkout of the same repository',
    hide: async ({ path, project }) => {
      await git(path, 'worktree', 'add', '--quiet', '-b', 'inner', nested(path));
      await project.write({ 'precious.txt': '' }, nested(path));
      return () => git(path, 'worktree', 'move', nested(path), join(project.home, 'out'));
    },
    slug: 'busy',
    said: /build\/nested, a checkout too, lies inside/,
  },
];

describe('What would go with a worktree and no ref can keep refuses before anything moves:', () => {
  const others: Project[] = [];
  afterEach(async () => {
    await removeAll();
    await Promise.all(others.splice(0).map((one) => one.remove()));
  });

  for (const { title, submodule = false, hide, slug = 'dirty_worktree', said } of cases) {
    it(title, async () => {
      const one = await scene(others, submodule);
      const { project, path, id } = one;
      const letGo = await hide(one);
      const before = await everything(project);
      for (const dry_run of [true, false]) {
        const answer = await verb('accept', path, { dry_run });
        refusedWith(answer, slug, said);
        assert.match(answer.message ?? '', /Nothing was landed/);
        assert.equal(answer.data?.landing?.trunk_landed, false);
      }
      const args = { worktree: id, delete_branch: true };
      for (const more of [{}, { force: true }, { dry_run: true, force: true }]) {
        const answer = await verb('drop', project.root, { ...args, ...more });
        refusedWith(answer, slug, said);
        assert.match(answer.message ?? '', /Nothing was removed/);
      }
      assert.deepEqual(await everything(project), before, 'nothing has changed');
      await letGo();
      // A submodule that is not there was not judged.
      if (submodule) await gitSubmodule(path, 'update', '--init');
      const { landing } = succeeded(await verb('accept', path));
      assert.equal(landing.worktree_removed, true);
    });
  }
});

describe('What others have too goes with a worktree:', () => {
  const others: Project[] = [];
  afterEach(async () => {
    await removeAll();
    await Promise.all(others.splice(0).map((one) => one.remove()));
  });

  const harmless: [string, (one: Scene) => Promise<unknown>][] = [
    ['a clone whose commits a remote has', (one) => clone(one)],
    [
      'a shallow clone of a tag',
      async (one) => {
        await git(one.other.root, 'tag', 'v1');
        await clone(one, '--depth=1', '--branch=v1');
      },
    ],
    [
      'a repository that holds only what it fetched',
      async (one) => {
        await git(one.path, 'init', '--quiet', nested(one.path));
        const id = await git(one.other.root, 'rev-parse', 'HEAD');
        await git(nested(one.path), ...FILE, 'fetch', '--quiet', `file://${one.other.root}`, 'main');
        await git(nested(one.path), 'checkout', '--quiet', '--detach', id);
      },
    ],
    ['an empty repository', ({ path }) => git(path, 'init', '--quiet', nested(path))],
    [
      'a repository that is tracked as files',
      async ({ path, other, project }) => {
        await git(path, 'clone', '--quiet', '--bare', other.root, join(path, 'fixture.git'));
        await project.commit({}, path);
      },
    ],
  ];
  for (const [title, put] of harmless) {
    it(title, async () => {
      const one = await scene(others, false);
      await put(one);
      assert.equal(succeeded(await verb('accept', one.path)).landing.worktree_removed, true);
    });
  }
});
