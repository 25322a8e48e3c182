import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../contract/config.ts';
import { Refusal } from '../refusal.ts';
import { checkConfig } from './check.ts';
import { decodeUtf8 } from './decode.ts';
import type { ConfigProblem } from './problems.ts';

export type { Config } from '../../contract/config.ts';
export { type CheckedConfig, checkConfig } from './check.ts';
export type { ConfigProblem } from './problems.ts';

/** The file that makes a directory a project. */
export const configFile = 'discern.toml';

/** The largest `discern.toml` that is read, in bytes. */
export const largestConfig = 1024 * 1024;

export interface LoadedConfig {
  config: Config;
  path: string;
  /** SHA-256 of the file's bytes, in hex. */
  digest: string;
  /** One sentence each on an older spelling or a doubtful table; shown as hints. */
  notes: string[];
}

/** More than this in one answer helps nobody. */
const mostDiagnostics = 100;

/**
 * Reads `<root>/discern.toml`. Refuses `not_initialized` when there is none, and `config_error` when it cannot be read
 * or is wrong: the message names the first problem as `discern.toml:line:column`, the diagnostics hold them all.
 */
export async function loadConfig(root: string): Promise<LoadedConfig> {
  const path = join(root, configFile);
  const bytes = await readBytes(root, path);
  const decoded = decodeUtf8(bytes);
  if ('problem' in decoded) throw configError([decoded.problem]);
  const { config, problems, notes } = checkConfig(decoded.text, configFile);
  if (!config) throw configError(problems);
  return { config, path, digest: createHash('sha256').update(bytes).digest('hex'), notes };
}

async function readBytes(root: string, path: string): Promise<Buffer> {
  try {
    // A FIFO is opened without waiting for its writer, to be turned away below.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile())
        throw new Refusal('config_error', `${path} is no regular file: put the config there.`);
      if (stats.size > largestConfig) {
        throw new Refusal(
          'config_error',
          `${configFile} has ${stats.size} bytes, and at most 1 MiB (${largestConfig} bytes) is read: make it smaller.`,
        );
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new Refusal(
        'not_initialized',
        `There is no ${configFile} in ${root}: run "discern init" there, or name a directory of a project that has one.`,
      );
    }
    throw new Refusal('config_error', `${path} cannot be read (${String(code ?? error)}): make it readable.`);
  }
}

function configError(problems: readonly ConfigProblem[]): Refusal {
  const [first] = problems;
  const more = problems.length - 1;
  const rest = more === 0 ? '' : ` ${more} more ${more === 1 ? 'problem follows' : 'problems follow'}.`;
  const place = first ? `${configFile}:${first.line}:${first.column}` : configFile;
  const message = `${place}: ${sentence(first?.message ?? 'cannot be read')}${rest}`;
  return new Refusal('config_error', message, {
    diagnostics: problems.slice(0, mostDiagnostics).map((problem) => ({
      tool: 'discern',
      severity: 'error',
      message: problem.message,
      reproduce_cmd: 'discern doctor',
      file: configFile,
      line: problem.line,
      column: problem.column,
    })),
  });
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
