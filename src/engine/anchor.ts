import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { listRefs } from './git/refs.ts';
import { listWorktrees } from './git/worktree.ts';
import { gitDirOf } from './identity.ts';
import { CONFIG_FILE } from './root.ts';
import { exists } from './worktree/place.ts';

/** What is remembered of a root so that its repository can still be found when the root itself is gone. */
export interface Anchor {
  commonDir: string;
  prefix: string;
}

/**
 * Remembers a project root's repository. Reads only two small files (gitrepository-layout(5): `.git`, `commondir`), since
 * it happens on every re-aim.
 */
export async function anchorOf(root: string): Promise<Anchor | undefined> {
  for (let top = root; ; top = dirname(top)) {
    if (await exists(join(top, '.git'))) {
      const prefix = relative(top, root).split(sep).join('/');
      const gitDir = await gitDirOf(top);
      if (gitDir === undefined) return { commonDir: join(top, '.git'), prefix };
      const common = await readFile(join(gitDir, 'commondir'), 'utf8').catch(() => '.');
      return { commonDir: resolve(gitDir, common.trim()), prefix };
    }
    if (dirname(top) === top) return undefined;
  }
}

/** The project root in the checkout that has the trunk, or in the main one; `undefined` when the repository is gone too. */
export async function homeOf(anchor: Anchor): Promise<string | undefined> {
  if (!(await exists(anchor.commonDir))) return undefined;
  const entries = (await listWorktrees(anchor.commonDir)).filter((entry) => !entry.bare && !entry.prunable);
  const [published] = await listRefs(anchor.commonDir, ['refs/remotes/origin/HEAD']);
  const names = [published?.target?.replace('refs/remotes/origin/', ''), 'main', 'master'];
  const landing = names
    .map((name) => entries.find((entry) => entry.branch === `refs/heads/${name}`))
    .find((entry) => entry !== undefined);
  const roots = [landing, ...entries].flatMap((entry) => (entry ? [join(entry.path, anchor.prefix)] : []));
  for (const root of roots) if (await exists(join(root, CONFIG_FILE))) return root;
  return undefined;
}
