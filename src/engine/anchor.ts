import { dirname, join, relative, sep } from 'node:path';
import { exists } from './files.ts';
import { commonDirOf, gitDirOf } from './git-dir.ts';

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
      return { commonDir: (await commonDirOf(gitDir)) ?? gitDir, prefix };
    }
    if (dirname(top) === top) return undefined;
  }
}
