import { statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { exists } from '../files/files.ts';
import { commonDirOf, gitDirOf } from '../git/git-dir.ts';

/** What is remembered of a root so that its repository can still be found when the root itself is gone. */
export interface Anchor {
  commonDir: string;
  prefix: string;
  /** The git top of the checkout. */
  top: string;
  /** The checkout's own git directory: where it lies, and which one it is. */
  gitDir: string;
  inode: string;
  /** In nanoseconds; empty where the file system keeps no birth time. */
  born: string;
}

/**
 * Remembers a project root's repository. Reads only two small files (gitrepository-layout(5): `.git`, `commondir`), since
 * it happens on every re-aim.
 */
export async function anchorOf(root: string): Promise<Anchor | undefined> {
  for (let top = root; ; top = dirname(top)) {
    if (await exists(join(top, '.git'))) {
      const prefix = relative(top, root).split(sep).join('/');
      const linked = await gitDirOf(top);
      const gitDir = linked ?? join(top, '.git');
      const commonDir = linked === undefined ? gitDir : ((await commonDirOf(linked)) ?? linked);
      return { commonDir, prefix, top, gitDir, ...identityOf(gitDir) };
    }
    if (dirname(top) === top) return undefined;
  }
}

/**
 * True when two anchors of one path are of one checkout: neither another repository nor a worktree that was removed and added
 * again stands there now. git makes a new git directory for that, where `git worktree move` and `repair` keep it.
 */
export function isSameCheckout(then: Anchor, now: Anchor): boolean {
  return (
    now.prefix === then.prefix &&
    now.commonDir === then.commonDir &&
    now.gitDir === then.gitDir &&
    now.inode === then.inode &&
    (now.born === then.born || now.born === '' || then.born === '')
  );
}

/** Which directory it is, so that another one of the same name is known for another. */
function identityOf(directory: string): Pick<Anchor, 'inode' | 'born'> {
  const found = statSync(directory, { bigint: true });
  // Where no birth time is kept, the time of the last change may stand in for it.
  const kept = found.birthtimeNs > 0n && found.birthtimeNs !== found.ctimeNs;
  return { inode: `${found.dev}:${found.ino}`, born: kept ? String(found.birthtimeNs) : '' };
}
