import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { verb } from './engine.ts';
import { git, makeProject, type Project } from './project.ts';

/** One checkout that all tests of a `describe` work in, each finding it as it was made. */
export interface Workshop {
  project: Project;
  /** The checkout: the main one, or the worktree that was asked for. */
  path: string;
  /** The directory it lies in, where jobs leave their traces as `..`. */
  home: string;
  /** The commit it starts every test at. */
  base: string;
  /** Writes files below the checkout. */
  write(files: Record<string, string>): Promise<void>;
  /** Writes files, adds everything and commits; resolves with the commit. */
  commit(files: Record<string, string>): Promise<string>;
}

/**
 * Makes a project, and with `worktree` a worktree of it, once for the `describe` it is called in: most tests are much
 * quicker than making one. Before each test everything is put back: commits, files, traces beside the checkout, and what
 * discern keeps. Use the answer only inside tests.
 */
export function workshop(options: Parameters<typeof makeProject>[0] & { worktree?: boolean } = {}): Workshop {
  const shop = {} as Workshop;
  before(async () => {
    const project = await makeProject(options);
    const path = options.worktree ? ((await verb('start', project.root)).data?.path ?? '') : project.root;
    Object.assign(shop, {
      project,
      path,
      home: dirname(path),
      base: await git(path, 'rev-parse', 'HEAD'),
      write: (files: Record<string, string>) => project.write(files, path),
      commit: (files: Record<string, string>) => project.commit(files, path),
    });
  });
  beforeEach(async () => {
    for (const checkout of new Set([shop.project.root, shop.path])) {
      await git(checkout, 'reset', '--quiet', '--hard', shop.base);
      await git(checkout, 'clean', '-ffdxq');
    }
    const kept = [basename(shop.path), basename(shop.project.root), 'app.worktrees'];
    for (const name of await readdir(shop.home)) {
      if (!kept.includes(name)) await rm(join(shop.home, name), { recursive: true });
    }
    await rm(join(shop.project.root, '.git', 'discern-vscode'), { recursive: true, force: true });
  });
  after(() => shop.project?.remove());
  return shop;
}
