import { realpath } from 'node:fs/promises';
import { anchorOf } from '../anchor.ts';

/** The checkout a directory lies in. Absolute paths, free of symlinks. */
export interface CheckoutPlace {
  top: string;
  commonDir: string;
  /** True in a linked checkout. */
  linked: boolean;
}

/**
 * The checkout a directory lies in, by the files git reads (gitrepository-layout(5)). `undefined` when the directory is gone
 * or lies in none that can be read.
 */
export async function checkoutOf(directory: string): Promise<CheckoutPlace | undefined> {
  // A directory that is gone, or a git directory that cannot be read, is no evidence, and never an error of the call.
  const anchor = await realpath(directory)
    .then(anchorOf)
    .catch(() => undefined);
  if (anchor === undefined) return undefined;
  const { top, gitDir, commonDir } = anchor;
  return {
    top,
    commonDir: await realpath(commonDir).catch(() => commonDir),
    linked: gitDir !== commonDir,
  };
}
