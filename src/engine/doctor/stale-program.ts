import { isAbsolute, join } from 'node:path';
import { readBounded } from '../files/bounded-file.ts';
import { exists } from '../files/files.ts';

const MOST_BYTES = 1024 * 1024;

/** Our own programs, by the names they have in a settings file. */
const program = /[\\/]dist[\\/](?:server|attach|cli)\.js$/;

/**
 * What is out of date about the command of a server that a settings file names: a program that is gone, or ours in another version than
 * `version`. Looks only at the command and at our own programs, since other arguments may be secrets; resolves with words that follow
 * "it starts", or nothing where all is well or nothing can be told.
 */
export async function staleness(words: readonly string[], version: string): Promise<string | undefined> {
  const [command = '', ...args] = words;
  for (const path of [command, ...args.filter((word) => program.test(word))].filter(isAbsolute)) {
    if (!(await exists(path))) return `${path}, which is not there`;
    if (!program.test(path)) continue;
    const named = await versionOf(path);
    if (named !== undefined && named !== version)
      return `${path}, which is of version ${named}; this is ${version}`;
  }
  return undefined;
}

/** The version of the package a program of ours lies in; `undefined` where it lies in none. */
async function versionOf(path: string): Promise<string | undefined> {
  const read = await readBounded(join(path, '..', '..', 'package.json'), MOST_BYTES);
  if (read === undefined || !('text' in read)) return undefined;
  try {
    const { version } = JSON.parse(read.text);
    return typeof version === 'string' && version.length <= 40 ? version : undefined;
  } catch {
    // A package file that cannot be read says nothing about the program.
    return undefined;
  }
}
