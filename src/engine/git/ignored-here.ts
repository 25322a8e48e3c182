import { homedir } from 'node:os';
import { join } from 'node:path';
import { fields, git, pathText } from './core.ts';
import { textOf } from './git-dir.ts';
import type { Checkout } from './own-index.ts';

/** Where a user's own git may be told what to ignore: gitignore(5), `core.excludesFile`. */
function userFiles(): { config: string[]; ignore: string } {
  const { GIT_CONFIG_GLOBAL: global, GIT_CONFIG_NOSYSTEM: noSystem, XDG_CONFIG_HOME: xdg } = process.env;
  const home = homedir();
  const own = join(xdg || join(home, '.config'), 'git');
  return {
    config: [
      ...(global === undefined ? [join(home, '.gitconfig'), join(own, 'config')] : [global]),
      ...(noSystem ? [] : ['/etc/gitconfig']),
    ],
    ignore: join(own, 'ignore'),
  };
}

/** False where nothing but `.gitignore` files can ignore anything; no git has to be asked then. */
async function ignoresOfItsOwn({ gitDir, commonDir }: Checkout): Promise<boolean> {
  const { config, ignore } = userFiles();
  const lists = [join(commonDir, 'info/exclude'), ignore];
  for (const path of lists) if (/^[ \t]*[^#\s]/m.test((await textOf(path)) ?? '')) return true;
  const settings = [join(commonDir, 'config'), join(gitDir, 'config.worktree'), ...config];
  for (const path of settings)
    if (/excludesfile|^\s*\[\s*include/im.test((await textOf(path)) ?? '')) return true;
  return false;
}

/**
 * The files of a clean checkout that no commit has and that only this machine's git ignores (`info/exclude`, `core.excludesFile`),
 * a whole directory by its name: a gate judged a tree with them, and others have one without.
 */
export async function ignoredHere(checkout: Checkout, signal?: AbortSignal): Promise<string[]> {
  if (!(await ignoresOfItsOwn(checkout))) return [];
  const args = ['ls-files', '--others', '--exclude-per-directory=.gitignore', '--directory', '-z'];
  const { stdout } = await git(checkout.top, [...args, '--no-empty-directory'], { signal });
  return fields(stdout).map(pathText);
}
