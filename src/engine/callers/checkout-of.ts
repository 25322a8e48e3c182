import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../files.ts';
import { commonDirOf, gitDirOf } from '../git-dir.ts';

/** The checkout a directory lies in. Absolute paths, free of symlinks. */
export interface CheckoutPlace {
  top: string;
  commonDir: string;
  /** True in a linked checkout. */
  linked: boolean;
}

/**
 * The checkout a directory lies in, by the files git reads (gitrepository-layout(5)). `undefined` when the directory is gone
 * or lies in none.
 */
export async function checkoutOf(directory: string): Promise<CheckoutPlace | undefined> {
  const start = await realpath(directory).catch(() => undefined);
  if (start === undefined) return undefined;
  for (let top = start; ; top = dirname(top)) {
    if (await exists(join(top, '.git'))) {
      const gitDir = await gitDirOf(top).catch(() => undefined);
      const common = (gitDir && (await commonDirOf(gitDir))) ?? undefined;
      const commonDir = common ?? gitDir ?? join(top, '.git');
      return {
        top,
        commonDir: await realpath(commonDir).catch(() => commonDir),
        linked: common !== undefined,
      };
    }
    if (dirname(top) === top) return undefined;
  }
}
