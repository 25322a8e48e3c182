import type { Config } from '../../contract/config.ts';
import type { ConfigProblem } from './problems.ts';
import { Reader } from './reader.ts';
import { readConfig } from './tables.ts';
import { type Tolerated, toleratedIn } from './tolerated.ts';
import { noteOlderTables, noteStrangers } from './top.ts';
import { parseTree } from './tree.ts';

export interface CheckedConfig {
  /** Absent when there is any problem. */
  config?: Config;
  /** In file order. A syntax error is found alone. */
  problems: ConfigProblem[];
  /** One sentence each on an older spelling or a doubtful table, in file order, with `file:line:` before it. */
  notes: string[];
  /** What the file says and has no effect here, in file order. */
  tolerated: Tolerated[];
}

const mostNotes = 50;

/**
 * Reads a text as `discern.toml`; `file` is what notes call it. Never throws: gathers every problem with its place.
 */
export function checkConfig(text: string, file: string): CheckedConfig {
  const tree = parseTree(text.replace(/^\uFEFF/, ''));
  if (!('root' in tree))
    return { problems: [{ message: tree.message, ...tree.at, key: '' }], notes: [], tolerated: [] };
  const reader = new Reader(tree.root, file);
  const config = readConfig(reader);
  noteOlderTables(reader);
  noteStrangers(reader);
  const problems = reader.problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return {
    ...(config && { config }),
    problems,
    notes: bounded(reader.notes),
    tolerated: toleratedIn(tree.root),
  };
}

function bounded(notes: string[]): string[] {
  if (notes.length <= mostNotes) return notes;
  return [...notes.slice(0, mostNotes), `${notes.length - mostNotes} more such notes are left out.`];
}
