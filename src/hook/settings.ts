import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hookDefaults, type SettingKind, settingNames } from '../contract/hook-defaults.ts';
import { decodeUtf8 } from '../engine/config/decode.ts';
import type { Node, TableNode } from '../engine/config/tree.ts';

export interface HookSettings {
  guard_writes: boolean;
  ask_for_proof: boolean;
}

/** Far more than these settings need; a larger file is the engine's to refuse. */
const MOST_BYTES = 256 * 1024;

/**
 * What the project's owner wants of hooks. Refuses settings that are wrong: a policy is never guessed. A file whose every name is
 * known and whose values are of the right kind is read by the TOML parser alone; the engine, which takes longer to load than a
 * hook may take, is asked only about others, for its words.
 */
export async function hookSettings(root: string): Promise<HookSettings> {
  const file = join(root, 'discern-vscode.toml');
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return hookDefaults;
  const plain = found.isFile() && found.size <= MOST_BYTES ? await plainly(file) : undefined;
  if (plain) return plain;
  const { loadSettings } = await import('../engine/index.ts');
  return (await loadSettings(root)).callers;
}

/** The settings of a file in which nothing asks for a second look; `undefined` for every other. */
async function plainly(file: string): Promise<HookSettings | undefined> {
  const decoded = decodeUtf8(await readFile(file));
  if ('problem' in decoded) return undefined;
  const { parseTree } = await import('../engine/config/tree.ts');
  const tree = parseTree(decoded.text.replace(/^\uFEFF/, ''));
  if (!('root' in tree) || !isPlain(tree.root)) return undefined;
  const callers = tree.root.entries.get('callers')?.value;
  const flag = (name: keyof HookSettings) => {
    const value = callers?.kind === 'table' ? callers.entries.get(name)?.value : undefined;
    return value?.kind === 'boolean' ? value.value === true : hookDefaults[name];
  };
  return { guard_writes: flag('guard_writes'), ask_for_proof: flag('ask_for_proof') };
}

/** True where each table and each name in it is known, and each value of the kind it has to be. */
function isPlain(root: TableNode): boolean {
  for (const [table, { value }] of root.entries) {
    const known = Object.hasOwn(settingNames, table) ? settingNames[table] : undefined;
    if (known === undefined || value.kind !== 'table') return false;
    for (const [name, entry] of value.entries) {
      const allowed = Object.hasOwn(known, name) ? known[name] : undefined;
      if (allowed === undefined || entry.value.kind === 'table' || entry.value.kind === 'list') return false;
      if (!isAllowed(entry.value, allowed)) return false;
    }
  }
  return true;
}

function isAllowed(
  { kind, value }: Exclude<Node, { kind: 'table' | 'list' }>,
  allowed: SettingKind,
): boolean {
  if (allowed === 'boolean') return kind === 'boolean';
  if ('from' in allowed)
    return kind === 'number' && Number(value) >= allowed.from && Number(value) <= allowed.to;
  return kind === 'string' && allowed.includes(String(value));
}
