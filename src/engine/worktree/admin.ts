import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { namesIn } from '../files/files.ts';
import { realPlace, textOf } from '../git/git-dir.ts';
import { checkoutLockPath } from '../repository/checkout.ts';
import { isHeld } from '../state/lock-holder.ts';

/** git's own directory for each linked checkout, by the checkout's path (gitrepository-layout(5), `worktrees/<id>/gitdir`). */
export async function adminDirs(commonDir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const parent = join(commonDir, 'worktrees');
  for (const name of await namesIn(parent)) {
    const dir = join(parent, name);
    const link = await textOf(join(dir, 'gitdir'));
    if (link !== undefined)
      found.set(dirname(resolve(dir, link.replace(/\r?\n$/, ''))), realpathSync.native(dir));
  }
  return found;
}

/** True while a living process works on the checkout: a gate, an update, a removal. */
export async function isInUse(commonDir: string, admin: string): Promise<boolean> {
  return isHeld(await checkoutLockPath(commonDir, admin));
}

/** Whether a git directory is, or was, one of this repository's linked checkouts. */
export async function belongsTo(commonDir: string, gitDir: string): Promise<boolean> {
  const parent = dirname(gitDir);
  if (basename(parent) !== 'worktrees') return false;
  const common = dirname(parent);
  return realPlace(common) === realpathSync.native(commonDir);
}
