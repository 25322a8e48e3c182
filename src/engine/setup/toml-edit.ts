import { parseTree, type TableNode } from '../config/tree.ts';
import { at, namesAt, stringsAt, textAt } from '../init/toml-values.ts';
import type { Edited } from './json-edit.ts';

const opening =
  '# discern: written by "discern setup codex"; "discern setup codex --remove" takes it out again.';
const closing = '# discern: end.';

/** The table that is ours. Clients write their own tables anywhere, also between our two comments. */
const table = ['mcp_servers', 'discern'];
const header = '[mcp_servers.discern]';

/** How the server is started. */
export interface Start {
  command: string;
  args: readonly string[];
}

/** The lines of our table. A JSON string is a TOML string too. */
export const tableLines = ({ command, args }: Start): string[] => [
  header,
  `command = ${JSON.stringify(command)}`,
  `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
];

/** Sets our own table at the end of a TOML text, between two comments of ours; every other byte stays. */
export function setTable(text: string, start: Start): Edited {
  const now = parsed(text);
  if ('problem' in now) return now;
  const same =
    textAt(now.root, ...table, 'command') === start.command &&
    JSON.stringify(stringsAt(now.root, ...table, 'args')) === JSON.stringify(start.args);
  if (same) return { text };
  const bare = unsetTable(text);
  if ('problem' in bare) return bare;
  const before = parsed(bare.text);
  if ('problem' in before) return before;
  if (at(before.root, ...table)) return { problem: `has a ${header} that setup did not write` };
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const block = [opening, ...tableLines(start), closing].join(eol);
  // Without a last newline of its own the text gets none at our end either: so it can be given back.
  const open = bare.text !== '' && !bare.text.endsWith('\n');
  const edited = open ? bare.text + eol + block : bare.text + block + eol;
  const after = parsed(edited);
  if ('problem' in after)
    return { problem: `has tables that ours cannot stand beside: with it the file ${after.problem}` };
  return { text: edited };
}

/**
 * Takes {@link setTable}'s lines out, and leaves what somebody else put between them. Refuses a block that lost its end, and a
 * table that got settings of somebody else: without its header they would be another table's.
 */
export function unsetTable(text: string): Edited {
  const from = text.indexOf(opening);
  if (from === -1) return { text };
  const end = text.indexOf(closing, from);
  if (end === -1) return { problem: `has the beginning of what setup wrote, and not its end ("${closing}")` };
  const now = parsed(text);
  if ('problem' in now) return now;
  const strange = namesAt(now.root, ...table).filter((name) => name !== 'command' && name !== 'args');
  if (strange.length > 0)
    return { problem: `has settings in ${header} that setup did not write (${strange.join(', ')})` };
  const kept = notOurs(text.slice(from + opening.length, end));
  const rest = text.slice(end + closing.length);
  const newline = /^\r?\n/.exec(rest)?.[0];
  const before = text.slice(0, from);
  if (newline !== undefined) return { text: before + kept + rest.slice(newline.length) };
  return { text: (kept === '' ? before.replace(/\r?\n$/, '') : before + kept) + rest };
}

/** What stands between our comments and is not our table: other tables, and comments. */
function notOurs(inside: string): string {
  let own = true;
  const lines = inside.replace(/^\r?\n/, '').split(/(?<=\n)/);
  return lines
    .filter((line) => {
      if (/^\s*\[/.test(line)) own = line.trim() === header;
      return !own || /^\s*#/.test(line);
    })
    .join('');
}

function parsed(text: string): { root: TableNode } | { problem: string } {
  const tree = parseTree(text.replace(/^\uFEFF/, ''));
  return 'root' in tree ? tree : { problem: `cannot be read (line ${tree.at.line}: ${tree.message})` };
}
