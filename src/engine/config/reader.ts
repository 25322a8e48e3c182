import type { z } from 'zod';
import { namePattern } from '../../contract/config.ts';
import { type ConfigProblem, dotted, problemsOf, tableName, typeName } from './problems.ts';
import { quoted } from './quoted.ts';
import type { Entry, Node, Place, TableNode } from './tree.ts';

/** More than this is no longer a list of mistakes, but another kind of file. */
const mostProblems = 1000;

/** Reads the tables of one file against their schemas, gathering what is wrong and what is worth a note. */
export class Reader {
  readonly problems: ConfigProblem[] = [];
  readonly #notes: { at: Place; text: string }[] = [];
  readonly #root: TableNode;
  readonly #file: string;

  constructor(root: TableNode, file: string) {
    this.#root = root;
    this.#file = file;
  }

  /** Everything noted, in file order, each with its line. */
  get notes(): string[] {
    return this.#notes
      .toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
      .map(({ at, text }) => `${this.#file}:${at.line}: ${text}`);
  }

  note(at: Place, text: string): void {
    this.#notes.push({ at, text });
  }

  problem(at: Place, path: readonly string[], message: string): void {
    this.#add({ message, ...at, key: dotted(path) });
  }

  #add(problem: ConfigProblem): void {
    if (this.problems.length < mostProblems) this.problems.push(problem);
  }

  /** The entry at a path, or `undefined`. */
  find(...path: string[]): Entry | undefined {
    let table = this.#root;
    for (const [index, name] of path.entries()) {
      const entry = table.entries.get(name);
      if (!entry || index === path.length - 1) return entry;
      if (entry.value.kind !== 'table') return undefined;
      table = entry.value;
    }
    return undefined;
  }

  /** The string at a path, or `undefined` where there is none or a blank one. */
  text(...path: string[]): string | undefined {
    const value = this.find(...path)?.value;
    return value?.kind === 'string' && String(value.value).trim() !== '' ? String(value.value) : undefined;
  }

  /** Every top-level entry, in file order. */
  top(): Iterable<[string, Entry]> {
    return this.#root.entries;
  }

  /** Reads what stands at a path, an absent table as an empty one; without `omit`. `undefined` when it is wrong. */
  read<Schema extends z.ZodType>(
    schema: Schema,
    path: readonly string[],
    omit?: string,
  ): z.output<Schema> | undefined {
    const entry = this.find(...path);
    const value = entry ? plainValue(entry.value, omit) : {};
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const found = problemsOf(result.error.issues.slice(0, mostProblems), schema, this.#root, path);
    for (const problem of found) this.#add(problem);
    return undefined;
  }

  /** The names below a table of named things. Says so where the table or one of its names is none. */
  names(...path: string[]): string[] {
    const entry = this.find(...path);
    if (!entry) return [];
    if (entry.value.kind !== 'table') {
      this.problem(entry.value.at, path, `${tableName(path)} must be a table, not ${typeName(entry.value)}`);
      return [];
    }
    const names: string[] = [];
    for (const [name, { key }] of entry.value.entries) {
      if (namePattern.test(name)) names.push(name);
      else {
        this.problem(
          key,
          [...path, name],
          `the name ${quoted(name)} in ${tableName(path)} may have only letters, digits, "-" and "_"`,
        );
      }
    }
    return names;
  }

  /** The names below a table of named things, none of them judged. */
  tableNames(...path: string[]): string[] {
    const value = this.find(...path)?.value;
    return value?.kind === 'table' ? [...value.entries.keys()] : [];
  }

  /** Reads each table of a table of named things, in file order. */
  readNamed<Schema extends z.ZodType, Read>(
    schema: Schema,
    path: readonly string[],
    finish: (name: string, table: z.output<Schema>) => Read,
  ): Read[] {
    return this.names(...path).flatMap((name) => {
      const table = this.read(schema, [...path, name]);
      return table === undefined ? [] : [finish(name, table)];
    });
  }
}

/** Stands for what zod must find wrong: a date, which it would take for a table, and what lies too deep. */
const foreign = Symbol('foreign');

/** No value of the format lies this far below its table. */
const deepest = 8;

/** The value of a node for zod. Objects have no prototype, so that every name is only a name. */
function plainValue(node: Node, omit?: string, depth = 0): unknown {
  if (node.kind === 'date' || depth > deepest) return foreign;
  if (node.kind === 'table') {
    const object: Record<string, unknown> = Object.create(null);
    for (const [name, { value }] of node.entries)
      if (name !== omit) object[name] = plainValue(value, undefined, depth + 1);
    return object;
  }
  if (node.kind === 'list') return node.items.map((item) => plainValue(item, undefined, depth + 1));
  return node.value;
}
