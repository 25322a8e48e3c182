import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Config } from '../../contract/config.ts';
import { Refusal } from '../call/refusal.ts';
import { checkConfig } from './check.ts';
import { configError, readConfigFile } from './config-file.ts';
import { checkSettings, settingsFile } from './ours.ts';
import type { ConfigProblem } from './problems.ts';
import type { Tolerated } from './tolerated.ts';

export type { Config } from '../../contract/config.ts';
export { type CheckedConfig, checkConfig } from './check.ts';
export { largestConfig } from './config-file.ts';
export { checkSettings, loadSettings, settingsFile } from './ours.ts';
export type { ConfigProblem } from './problems.ts';

/** The file that makes a directory a project. */
export const configFile = 'discern.toml';

export interface LoadedConfig {
  config: Config;
  path: string;
  /** SHA-256 of the file's bytes, in hex. */
  digest: string;
  /** One sentence each on an older spelling or a doubtful table; shown as hints. */
  notes: string[];
  /** What the file says and has no effect here; doctor lists it. */
  tolerated: Tolerated[];
}

/**
 * Reads `<root>/discern.toml`. Refuses `not_initialized` when there is none, and `config_error` when it cannot be read
 * or is wrong: the message names the first problem as `discern.toml:line:column`, the diagnostics hold them all.
 */
export async function loadConfig(root: string): Promise<LoadedConfig> {
  const path = join(root, configFile);
  const file = await readConfigFile(path);
  if (file === undefined) {
    throw new Refusal(
      'not_initialized',
      `There is no ${configFile} in ${root}: run "discern init" there, or name a directory of a project that has one.`,
    );
  }
  const { config, problems, notes, tolerated } = checkConfig(file.text, configFile);
  if (!config) throw configError(configFile, problems);
  return { config, path, digest: digestOf(file.bytes), notes, tolerated };
}

/** The digest of a root's config as {@link loadConfig} has it; `undefined` where there is none that can be read. */
export async function configDigest(root: string): Promise<string | undefined> {
  const file = await readConfigFile(join(root, configFile)).catch(() => undefined);
  return file && digestOf(file.bytes);
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Checks a text as the configuration file of that name: what is wrong with it, and notes on older spellings. */
export function checkFile(text: string, file: string): { problems: ConfigProblem[]; notes: string[] } {
  if (basename(file) !== settingsFile) {
    const { problems, notes } = checkConfig(text, file);
    return { problems, notes };
  }
  return { problems: checkSettings(text).problems, notes: [] };
}
