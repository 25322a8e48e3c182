import { parseTree } from '../config/tree.ts';
import { at, textAt } from '../init/toml-values.ts';
import type { Edited } from './json-edit.ts';

const opening =
  '# discern: written by "discern setup codex"; "discern setup codex --remove" takes it out again.';
const closing = '# discern: end.';

/** Sets our own tables at the end of a TOML text, between two comments of ours; every other byte stays. */
export function setTables(text: string, lines: readonly string[], path: readonly string[]): Edited {
  const bare = unsetTables(text);
  if ('problem' in bare) return bare;
  const before = parseTree(bare.text.replace(/^\uFEFF/, ''));
  if (!('root' in before)) return { problem: `cannot be read (line ${before.at.line}: ${before.message})` };
  if (at(before.root, ...path)) return { problem: `has a [${path.join('.')}] that setup did not write` };
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const block = [opening, ...lines, closing].join(eol);
  // Without a last newline of its own the text gets none at our end either: so it can be given back.
  const open = bare.text !== '' && !bare.text.endsWith('\n');
  const edited = open ? bare.text + eol + block : bare.text + block + eol;
  const after = parseTree(edited.replace(/^\uFEFF/, ''));
  if (!('root' in after)) return { problem: `has tables that ours cannot stand beside (${after.message})` };
  if (textAt(after.root, ...path, 'command') === undefined) return { problem: 'cannot take our table' };
  return { text: edited };
}

/** Takes {@link setTables}' block out. Refuses one that lost its end: nobody knows then what else is in it. */
export function unsetTables(text: string): Edited {
  const from = text.indexOf(opening);
  if (from === -1) return { text };
  const end = text.indexOf(closing, from);
  if (end === -1) return { problem: `has the beginning of what setup wrote, and not its end ("${closing}")` };
  const rest = text.slice(end + closing.length);
  const newline = /^\r?\n/.exec(rest)?.[0];
  if (newline !== undefined) return { text: text.slice(0, from) + rest.slice(newline.length) };
  return { text: text.slice(0, from).replace(/\r?\n$/, '') + rest };
}
