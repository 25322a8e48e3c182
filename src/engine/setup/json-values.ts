import { lstat, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { editConfig } from './config-edit.ts';
import { type Edited, has, set, unset } from './json-edit.ts';
import { type IsOurs, othersIn, removeItem, setItem } from './json-items.ts';

/** What is done with a client's files. */
export type SetupAction = 'write' | 'remove' | 'print';

/** What is ours in a client's JSON file. */
export interface JsonTarget {
  file: string;
  /** The whole file is ours, and goes when nothing is left in it. */
  ours?: true;
  /** It holds servers alone, and clients take one without its table for broken: it goes too when nothing is left in it. */
  servers?: true;
  /** What is `optional` is left to the person where there is something else in its place. */
  values: JsonValue[];
}

export interface JsonValue {
  path: string[];
  value: unknown;
  optional?: true;
  /** The value is an item of a list, in which items of others stand too. */
  item?: IsOurs;
  /** It has no place beside an item of somebody else. */
  alone?: true;
  /** The file needs it whoever is in it: what is there already stays, and nobody takes it out. */
  shared?: true;
}

/** Writes values of ours into a client's file, takes them out again, or only shows them; resolves with what a person is told. */
export async function jsonValues(
  { action, client, check }: { action: SetupAction; client: string; check?: boolean },
  { file, values, ours, servers }: JsonTarget,
): Promise<string[]> {
  if (action === 'print') {
    const whole = values.reduce((text, value) => textOf(write(text, value)), '{}\n');
    return [`${file}:`, whole.trimEnd()];
  }
  const notes: string[] = [];
  const changed = await editConfig(
    file,
    (text) => {
      let now = text;
      // What was put in last goes first: then the bytes are what they were.
      for (const value of action === 'remove' ? values.toReversed() : values) {
        const { path, optional, alone, item } = value;
        if (alone && item && action === 'write' && othersIn(now, path, item) > 0) {
          notes.push(`${file} has a hook for ${path.at(-1)} already: that one stays, and ours is not there.`);
          continue;
        }
        const edited = action === 'write' ? write(now, value) : takeBack(now, value);
        if ('problem' in edited) {
          if (!optional) return edited;
          notes.push(`It ${edited.problem}: unless that says so already, allow ${path.at(-1)} there.`);
          continue;
        }
        now = edited.text;
      }
      return { text: now };
    },
    check,
  );
  if ((ours || servers) && changed && !check && action === 'remove' && (await isEmpty(file))) {
    await rm(file);
    if (ours) await removeEmpty(dirname(file), ['.']);
  }
  return [said(client, action, file, changed), ...(action === 'write' ? notes : [])];
}

/** True of a file in which nothing stands; what a link leads to is somebody's. */
const isEmpty = async (file: string) =>
  (await lstat(file)).isFile() && /^\s*\{\s*\}\s*$/.test(await readFile(file, 'utf8'));

function write(text: string, { path, value, item, shared }: JsonValue) {
  if (shared && has(text, path)) return { text };
  return item ? setItem(text, path, value, item) : set(text, path, value);
}

function takeBack(text: string, { path, item, shared }: JsonValue) {
  if (shared) return { text };
  return item ? removeItem(text, path, item) : unset(text, path);
}

/** Takes away folders of ours that are empty now; what somebody put there stays. */
export async function removeEmpty(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await rmdir(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
    });
  }
}

export function said(client: string, action: SetupAction, where: string, changed: boolean): string {
  if (action === 'remove') return changed ? `Removed from ${where}.` : `${where} has nothing of ours.`;
  if (!changed) return `${where} is set up already.`;
  return `Wrote ${where}. "discern setup ${client} --remove" takes it back.`;
}

function textOf(edited: Edited): string {
  if ('problem' in edited) throw new Error(edited.problem);
  return edited.text;
}
