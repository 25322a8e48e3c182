import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type CheckoutPlace, checkoutOf } from '../engine/callers/checkout-of.ts';
import { exists } from '../engine/files.ts';

/** Tools that write one file, and the arguments that name it. */
const writers: Readonly<Record<string, readonly string[]>> = {
  Edit: ['file_path'],
  Write: ['file_path'],
  MultiEdit: ['file_path'],
  NotebookEdit: ['notebook_path', 'file_path'],
};

/** The file a tool call would write, absolute; `undefined` for every other tool. */
export function writtenBy(tool: string, input: Record<string, unknown>, cwd: string): string | undefined {
  for (const name of Object.hasOwn(writers, tool) ? (writers[tool] ?? []) : []) {
    const file = input[name];
    if (typeof file === 'string' && file !== '' && !file.includes('\0')) return resolve(cwd, file);
  }
  return undefined;
}

export interface Trespass {
  /** The checkout the file lies in. */
  other: CheckoutPlace;
  /** The same file in the session's own checkout. */
  instead: string;
}

/**
 * Whether writing `file` would write into another checkout of the repository than `own`, the one the session stands in. Only a
 * linked checkout is guarded: in the main one an agent may well name a worktree's files. Says yes only when it is certain,
 * so not for a file that is reached through a link, lies in git's own directory, or is in no checkout.
 */
export async function trespass(own: CheckoutPlace, file: string): Promise<Trespass | undefined> {
  if (!own.linked) return undefined;
  const [real, named] = await Promise.all([realPlace(file), checkoutNamed(file)]);
  if (real === undefined || named === undefined) return undefined;
  const other = await checkoutOf(real.nearest);
  if (!other || other.top === own.top || other.commonDir !== own.commonDir) return undefined;
  if (named !== other.top || isBelow(real.path, own.commonDir)) return undefined;
  return { other, instead: join(own.top, relative(other.top, real.path)) };
}

/** Where a file lies or would lie, free of symlinks, and the nearest of it that exists. */
async function realPlace(file: string): Promise<{ path: string; nearest: string } | undefined> {
  for (let at = file; ; at = dirname(at)) {
    try {
      const nearest = await realpath(at);
      return { path: join(nearest, relative(at, file)), nearest };
    } catch {
      // A name that is there and leads nowhere is a broken link: nobody knows where that writes.
      if (await lstat(at).catch(() => undefined)) return undefined;
      if (dirname(at) === at) return undefined;
    }
  }
}

/** The top of the checkout a path names by its own words, free of symlinks. */
async function checkoutNamed(file: string): Promise<string | undefined> {
  for (let at = dirname(file); ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) return realpath(at).catch(() => undefined);
    if (dirname(at) === at) return undefined;
  }
}

const isBelow = (path: string, dir: string) => path === dir || path.startsWith(dir + sep);
