import { join } from 'node:path';
import { type Settings, SettingsFile } from '../../contract/settings.ts';
import { editDistance } from '../words/nearest.ts';
import { configError, readConfigFile } from './config-file.ts';
import type { ConfigProblem } from './problems.ts';
import { quoted } from './quoted.ts';
import { Reader } from './reader.ts';
import { parseTree } from './tree.ts';

/** Our own settings, beside `discern.toml`. */
export const settingsFile = 'discern-vscode.toml';

/** What holds where there is no such file. */
export const defaultSettings: Settings = SettingsFile.parse({});

export interface CheckedSettings {
  /** Absent when there is any problem. */
  settings?: Settings;
  /** In file order. A syntax error is found alone. */
  problems: ConfigProblem[];
}

/**
 * Reads `<root>/discern-vscode.toml`; without one, the defaults. Refuses `config_error` with the place of the first problem
 * when it is wrong: a policy of the owner is never passed over.
 */
export async function loadSettings(root: string): Promise<Settings> {
  const file = await readConfigFile(join(root, settingsFile));
  if (file === undefined) return defaultSettings;
  const { settings, problems } = checkSettings(file.text);
  if (!settings) throw configError(settingsFile, problems);
  return settings;
}

/** Reads a text as `discern-vscode.toml`. Never throws: gathers every problem with its place. */
export function checkSettings(text: string): CheckedSettings {
  const tree = parseTree(text.replace(/^\uFEFF/, ''));
  if (!('root' in tree)) return { problems: [{ message: tree.message, ...tree.at, key: '' }] };
  const reader = new Reader(tree.root, settingsFile);
  refuseStrangers(reader);
  const tables = SettingsFile.shape;
  const read: { [Table in keyof Settings]: Settings[Table] | undefined } = {
    callers: reader.read(tables.callers, ['callers']),
    ci: reader.read(tables.ci, ['ci']),
    consent: reader.read(tables.consent, ['consent']),
    landing: reader.read(tables.landing, ['landing']),
    receipts: reader.read(tables.receipts, ['receipts']),
    worktree: reader.read(tables.worktree, ['worktree']),
  };
  const problems = reader.problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (problems.length > 0) return { problems };
  return { settings: read as Settings, problems };
}

/** The file is ours alone, so what it does not know is a mistake. */
function refuseStrangers(reader: Reader): void {
  const known = Object.keys(SettingsFile.shape);
  for (const [name, { key }] of reader.top()) {
    if (known.includes(name)) continue;
    const near = known.find((one) => editDistance(name.toLowerCase(), one, 2) <= 2);
    const advice = near
      ? `did you mean [${near}]?`
      : `there are ${known.map((one) => `[${one}]`).join(', ')}`;
    reader.problem(key, [name], `unknown table or key ${quoted(name)}; ${advice}`);
  }
}
