import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { decodeUtf8 } from './decode.ts';
import type { ConfigProblem } from './problems.ts';

/** The largest configuration file that is read, in bytes. */
export const largestConfig = 1024 * 1024;

/** More than this in one answer helps nobody. */
const mostDiagnostics = 100;

/**
 * The bytes and text of a configuration file; `undefined` when there is none. Refuses `config_error` when it is no regular
 * file, too large, unreadable or not UTF-8.
 */
export async function readConfigFile(path: string): Promise<{ bytes: Buffer; text: string } | undefined> {
  const bytes = await readBytes(path);
  if (bytes === undefined) return undefined;
  const decoded = decodeUtf8(bytes);
  if ('problem' in decoded) throw configError(basename(path), [decoded.problem]);
  return { bytes, text: decoded.text };
}

async function readBytes(path: string): Promise<Buffer | undefined> {
  try {
    // A FIFO is opened without waiting for its writer, to be turned away below.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile())
        throw new Refusal('config_error', `${path} is not a regular file: put the config there.`);
      if (stats.size > largestConfig) {
        throw new Refusal(
          'config_error',
          `${basename(path)} has ${stats.size} bytes, and at most 1 MiB (${largestConfig} bytes) is read: make it smaller.`,
        );
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Refusal('config_error', `${path} cannot be read (${String(code ?? error)}): make it readable.`);
  }
}

/** The refusal of a file with these problems: its message names the first with its place, its diagnostics hold them all. */
export function configError(file: string, problems: readonly ConfigProblem[]): Refusal {
  const [first] = problems;
  const more = problems.length - 1;
  const rest = more === 0 ? '' : ` ${more} more ${more === 1 ? 'problem follows' : 'problems follow'}.`;
  const place = first ? `${file}:${first.line}:${first.column}` : file;
  const message = `${place}: ${sentence(first?.message ?? 'cannot be read')}${rest}`;
  return new Refusal('config_error', message, {
    diagnostics: problems.slice(0, mostDiagnostics).map((problem) => ({
      tool: 'discern',
      severity: 'error',
      message: problem.message,
      reproduce_cmd: 'discern doctor',
      file,
      line: problem.line,
      column: problem.column,
    })),
  });
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
