import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { quoted } from './quoted.ts';

/** Where something stands in a text: 1-based, columns in UTF-16 units, the end just past it. */
export interface Place {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export interface Entry {
  /** The place of the key. */
  key: Place;
  value: Node;
}

export interface TableNode {
  kind: 'table';
  /** The key that opens the table, or the whole of an inline one. */
  at: Place;
  /** In file order. A `Map`, since `__proto__` and its like are ordinary names here. */
  entries: Map<string, Entry>;
}

export interface ListNode {
  kind: 'list';
  at: Place;
  items: Node[];
}

export interface ScalarNode {
  kind: 'string' | 'number' | 'boolean' | 'date';
  at: Place;
  value: string | number | boolean | Date;
  /** Where its text begins and ends in the file without its BOM, in UTF-16 units. */
  range: [number, number];
}

export type Node = TableNode | ListNode | ScalarNode;

export type Tree = { root: TableNode } | { message: string; at: Place };

/** What lies deeper in a value is left out: the value is of the wrong type wherever it stands. */
const deepest = 8;

/**
 * Reads TOML into a tree that knows where each key and value stands, or says what is wrong and where. The parser's own
 * `getStaticTOMLValue` knows no places, and writes to `Object.prototype` when a table is named `__proto__`.
 */
export function parseTree(text: string): Tree {
  let program: AST.TOMLProgram;
  try {
    program = parseTOML(text);
  } catch (error) {
    return failure(text, error);
  }
  const root: TableNode = table({ line: 1, column: 1, endLine: 1, endColumn: 1 });
  for (const statement of program.body[0].body) {
    if (statement.type === 'TOMLKeyValue') {
      assign(root, statement, 0);
      continue;
    }
    const here = open(root, statement.key.keys, statement.kind === 'array');
    for (const pair of statement.body) assign(here, pair, 0);
  }
  return { root };
}

function table(at: Place): TableNode {
  return { kind: 'table', at, entries: new Map() };
}

function assign(into: TableNode, pair: AST.TOMLKeyValue, depth: number): void {
  const keys = pair.key.keys;
  const last = keys.at(-1);
  if (!last) return;
  const owner = open(into, keys.slice(0, -1), false);
  owner.entries.set(nameOf(last), { key: place(last), value: nodeOf(pair.value, depth + 1) });
}

/** Walks down to the table the keys name, making what is missing. `append` adds one to a list of tables. */
function open(from: TableNode, keys: readonly Key[], append: boolean): TableNode {
  let here = from;
  for (const [index, key] of keys.entries()) {
    const name = nameOf(key);
    const existing = here.entries.get(name)?.value;
    if (append && index === keys.length - 1) {
      const added = table(place(key));
      if (existing?.kind === 'list') existing.items.push(added);
      else
        here.entries.set(name, { key: place(key), value: { kind: 'list', at: place(key), items: [added] } });
      return added;
    }
    const next = existing?.kind === 'list' ? existing.items.at(-1) : existing;
    if (next?.kind === 'table') {
      here = next;
    } else {
      const made = table(place(key));
      here.entries.set(name, { key: place(key), value: made });
      here = made;
    }
  }
  return here;
}

function nodeOf(value: AST.TOMLContentNode, depth: number): Node {
  const at = place(value);
  switch (value.type) {
    case 'TOMLArray':
      return {
        kind: 'list',
        at,
        items: depth < deepest ? value.elements.map((one) => nodeOf(one, depth + 1)) : [],
      };
    case 'TOMLInlineTable': {
      const made = table(at);
      if (depth < deepest) for (const pair of value.body) assign(made, pair, depth);
      return made;
    }
    case 'TOMLValue':
      return { kind: kindOf(value), at, value: value.value, range: [...value.range] };
  }
}

function kindOf(value: AST.TOMLValue): ScalarNode['kind'] {
  if (value.kind === 'integer' || value.kind === 'float') return 'number';
  if (value.kind === 'string' || value.kind === 'boolean') return value.kind;
  return 'date';
}

type Key = AST.TOMLBare | AST.TOMLQuoted;

function nameOf(key: Key): string {
  return key.type === 'TOMLBare' ? key.name : key.value;
}

function place({ loc }: AST.HasLocs): Place {
  return {
    line: loc.start.line,
    column: loc.start.column + 1,
    endLine: loc.end.line,
    endColumn: loc.end.column + 1,
  };
}

/** What a syntax error underlines: a word, a quoted key, or one character. */
const wordAt = /[A-Za-z0-9_-]+|"[^"\r\n]*"|'[^'\r\n]*'|[^\r\n]/uy;

function failure(text: string, error: unknown): { message: string; at: Place } {
  if (!(error instanceof ParseError)) {
    // The parser recurses: deep nesting and strings of some 100 kB exhaust its stack.
    const message =
      error instanceof RangeError
        ? 'nested too deeply, or with too long a string, to be read'
        : `cannot be read as TOML: ${String(error)}`;
    return { message, at: { line: 1, column: 1, endLine: 1, endColumn: 1 } };
  }
  wordAt.lastIndex = error.index;
  const word = wordAt.exec(text)?.[0] ?? '';
  const line = error.lineNumber;
  const column = error.column + 1;
  const reason = error.message.startsWith('Defining a key')
    ? `${word.slice(0, 80)} is given twice; keep one of the two`
    : `not valid TOML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}${word && ` at ${quoted(word)}`}`;
  return { message: reason, at: { line, column, endLine: line, endColumn: column + word.length } };
}
