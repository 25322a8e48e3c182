import { olderTables } from '../../contract/config-others.ts';
import { valueName } from './problems.ts';
import type { Reader } from './reader.ts';
import { list } from './values.ts';

/** What a reference may name, what it stands for when the file is silent, and how the value is put into shape. */
const references: Record<
  string,
  { path: [string, string]; fallback: string; shape: (value: string) => string }
> = {
  'map.dir': { path: ['map', 'dir'], fallback: 'discern/map/', shape: (value) => `${directory(value)}/` },
  'skills.dir': { path: ['skills', 'dir'], fallback: 'discern/skills', shape: directory },
  'scripts.dir': { path: ['scripts', 'dir'], fallback: 'discern/scripts', shape: directory },
  'project.todo': { path: ['project', 'todo'], fallback: 'discern/TODO.md', shape: local },
  'project.gotchas_doc': { path: ['project', 'gotchas_doc'], fallback: '', shape: (value) => value },
};

const referenceIn = new RegExp(`\\$\\{(${Object.keys(references).join('|').replaceAll('.', '\\.')})\\}`, 'g');

/** The references of one file, resolved to its own values. */
export interface References {
  /** Puts values where a text says `${map.dir}` and the like. Every other `${…}` stays for the shell. */
  text: (text: string) => string;
  /** The same for the commands at a path, as a list. A command that nothing is left of is a problem. */
  commands: (value: string | string[], ...path: string[]) => string[];
}

/** Reads what the references of a file stand for; notes a value that is no string. */
export function readReferences(reader: Reader): References {
  const values = new Map<string, string>();
  const older = new Map(Object.entries(olderTables).map(([was, now]) => [now, was]));
  for (const [name, { path: asNow, fallback, shape }] of Object.entries(references)) {
    const was = older.get(asNow[0]);
    const path: [string, string] =
      was !== undefined && !reader.find(asNow[0]) && reader.find(was) ? [was, asNow[1]] : asNow;
    const entry = reader.find(...path);
    if (entry && entry.value.kind !== 'string' && path[0] !== 'project') {
      reader.note(
        entry.key,
        `[${path[0]}].${path[1]} is not a string, so \${${name}} stands for ${fallback}.`,
      );
    }
    values.set(name, shape(reader.text(...path) ?? fallback));
  }
  const text = (given: string) =>
    given.replace(referenceIn, (whole, name: string) => values.get(name) ?? whole);
  const commands = (value: string | string[], ...path: string[]) => {
    const resolved = list(value).map(text);
    const entry = reader.find(...path);
    if (entry && resolved.some((command) => command.trim() === '')) {
      reader.problem(
        entry.key,
        path,
        `${valueName(path)} has a command that is empty once its references are resolved`,
      );
    }
    return resolved;
  };
  return { text, commands };
}

function local(path: string): string {
  return path.replace(/^(\.\/+)+/, '');
}

/** Without trailing slashes; a regular expression would go over a run of them again and again. */
function directory(path: string): string {
  const own = local(path);
  let end = own.length;
  while (own[end - 1] === '/') end--;
  return own.slice(0, end) || '.';
}
