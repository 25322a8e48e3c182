import assert from 'node:assert/strict';
import { appendFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askPlace, readPlace } from '../../src/engine/git/place.ts';
import { git, makeProject, type Project } from '../support/project.ts';

interface Layout {
  what: string;
  /** Makes the layout and returns a directory in it. */
  make: (project: Project) => Promise<string>;
  /** Whether git has to be asked. */
  asked?: boolean;
}

const linked = async ({ root, home }: Project, ...options: string[]) => {
  const path = join(home, 'linked');
  await git(root, 'worktree', 'add', '--quiet', ...options, path);
  return path;
};

const layouts: Layout[] = [
  { what: 'a main checkout', make: async ({ root }) => root },
  { what: 'a directory below the top', make: async ({ root }) => join(root, 'src') },
  { what: 'a linked checkout', make: (project) => linked(project, '--detach') },
  {
    what: 'a linked checkout of a bare repository',
    async make({ root, home }) {
      const hub = join(home, 'hub.git');
      await git(home, 'clone', '--quiet', '--bare', root, hub);
      await git(hub, 'worktree', 'add', '--quiet', '-b', 'work', join(home, 'work'), 'main');
      return join(home, 'work');
    },
  },
  {
    what: 'a git directory kept apart',
    asked: true,
    async make({ root, home }) {
      await git(root, 'init', '--quiet', `--separate-git-dir=${join(home, 'apart')}`);
      return root;
    },
  },
  {
    what: 'a git directory behind a symlink',
    asked: true,
    async make({ root, home }) {
      await rename(join(root, '.git'), join(home, 'moved'));
      await symlink(join(home, 'moved'), join(root, '.git'));
      return root;
    },
  },
  {
    what: 'a work tree named by the config',
    asked: true,
    async make({ root, home }) {
      await mkdir(join(home, 'elsewhere'));
      await git(root, 'config', 'core.worktree', join(home, 'elsewhere'));
      return join(root, 'src');
    },
  },
  {
    what: 'a config that includes another',
    asked: true,
    async make({ root }) {
      await appendFile(join(root, '.git', 'config'), '[include]\n\tpath = more\n');
      await writeFile(join(root, '.git', 'more'), '');
      return root;
    },
  },
];

describe('Where a checkout lies', () => {
  for (const { what, make, asked = false } of layouts) {
    it(`is read as git has it: ${what}${asked ? ', which only git can tell' : ''}`, async () => {
      const project = await makeProject();
      try {
        const from = await make(project);
        const read = await readPlace(from);
        assert.equal(read === undefined, asked);
        // A work tree elsewhere has no files to stand in.
        if (what === 'a work tree named by the config') return;
        if (read) assert.deepEqual(read, await askPlace(from));
      } finally {
        await project.remove();
      }
    });
  }
});
