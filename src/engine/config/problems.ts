import * as z from 'zod';
import { nearest } from '../words/nearest.ts';
import { quoted } from './quoted.ts';
import type { Node, Place, TableNode } from './tree.ts';

/** One thing wrong with a config text. Lines and columns are 1-based, columns in UTF-16 units. */
export interface ConfigProblem extends Place {
  /** Without the place, and without a full stop. */
  message: string;
  /** The key it is about, dotted; empty for a syntax error. */
  key: string;
}

type Path = readonly (string | number)[];

/**
 * What zod finds wrong with the value at `path` below `root`, said in words, at the place of that very key or value.
 */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  root: TableNode,
  path: Path,
): ConfigProblem[] {
  const found = issues.flatMap((issue) => problemOf(issue, schema, root, path, []));
  // What has the wrong type breaks the rules for the right one too.
  return found.filter((one, at) => found.findIndex(({ key }) => key === one.key) === at);
}

function problemOf(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  root: TableNode,
  path: Path,
  inner: Path,
): ConfigProblem[] {
  const below = [...inner, ...issue.path.map(asStep)];
  const full = [...path, ...below];
  const found = locate(root, full);
  if (!found.node) {
    const expected = expectation(issue);
    const message = `${tableName(full.slice(0, -1))} needs ${String(full.at(-1))}${expected && ` (${expected})`}`;
    return [{ message, ...found.at, key: dotted(full) }];
  }
  if (issue.code === 'invalid_union') {
    const branch = matchingBranch(issue);
    if (branch) return branch.flatMap((one) => problemOf(one, schema, root, path, below));
  }
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(schema, below);
    return issue.keys.map((key) => unknownKey(key, known, root, full));
  }
  const forbidden = issue.code === 'invalid_type' && issue.expected === 'never';
  const message = `${valueName(full)} ${complaint(issue, found.node)}`;
  return [{ message, ...(forbidden ? found.at : found.node.at), key: dotted(full) }];
}

/** The one alternative whose type fits what was given, so that its own complaints are the useful ones. */
function matchingBranch(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const fitting = issue.errors.filter(
    (branch) => !branch.some((one) => one.code === 'invalid_type' && one.path.length === 0),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function unknownKey(key: string, known: readonly string[], root: TableNode, full: Path): ConfigProblem {
  const meant = nearest(key, known);
  const advice = meant ? `did you mean "${meant}"?` : `it takes ${known.join(', ')}`;
  const message = `unknown key ${quoted(key)} in ${tableName(full)}; ${advice}`;
  return { message, ...locate(root, [...full, key]).at, key: dotted([...full, key]) };
}

/** Completes the sentence that the name of the value begins. */
function complaint(issue: z.core.$ZodIssue, node: Node): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'never') return issue.message;
      return `must be ${expectation(issue)}, not ${wrongType(issue.expected, node)}`;
    case 'invalid_union':
      return `must be ${expectation(issue)}, not ${typeName(node)}`;
    case 'invalid_value': {
      const meant =
        typeof given(node) === 'string' ? nearest(String(given(node)), issue.values.map(String)) : undefined;
      const shown = node.kind === 'string' ? quoted(String(node.value)) : typeName(node);
      return `must be ${expectation(issue)}, not ${shown}${meant ? `; did you mean "${meant}"?` : ''}`;
    }
    case 'too_small':
      return issue.origin === 'array' ? 'is empty' : `must be ${issue.minimum} or more`;
    case 'too_big':
      return `must be ${issue.maximum} or less`;
    default:
      return issue.message;
  }
}

const typePhrases: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table',
};

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return typePhrases[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_union' || issue.code === 'custom') return issue.message;
  if (issue.code === 'invalid_value') return issue.values.map((value) => `"${String(value)}"`).join(' or ');
  return '';
}

/** What a node is, in words, for "…, not a list". */
export function typeName(node: Node): string {
  if (node.kind === 'boolean') return String(node.value);
  if (node.kind !== 'number' || Number.isFinite(node.value)) return `a ${node.kind}`;
  if (Number.isNaN(node.value)) return 'nan';
  return Number(node.value) < 0 ? '-inf' : 'inf';
}

function wrongType(expected: string, node: Node): string {
  return expected === 'int' && Number.isFinite(given(node)) ? String(given(node)) : typeName(node);
}

function given(node: Node): unknown {
  return node.kind === 'table' || node.kind === 'list' ? undefined : node.value;
}

function asStep(step: PropertyKey): string | number {
  return typeof step === 'symbol' ? String(step) : step;
}

/** The node at a path, and the place of its key; for what is missing, the place of the table that lacks it. */
function locate(root: TableNode, path: Path): { node?: Node; at: Place } {
  let node: Node = root;
  let at = root.at;
  for (const step of path) {
    let next: Node | undefined;
    if (node.kind === 'table') {
      const entry = node.entries.get(String(step));
      next = entry?.value;
      at = entry?.key ?? at;
    } else if (node.kind === 'list') {
      next = node.items[Number(step)];
      at = next?.at ?? at;
    }
    if (!next) return { at };
    node = next;
  }
  return { node, at };
}

/** The keys the object at a path of a schema takes, older spellings left out. */
function keysOf(schema: unknown, path: Path): string[] {
  const [step, ...rest] = path;
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((option) => keysOf(option, path));
  }
  if (
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return keysOf(schema.unwrap(), path);
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const shape = new Map(Object.entries(schema.shape));
  if (step !== undefined) return keysOf(shape.get(String(step)), rest);
  return [...shape].filter(([, value]) => !isHidden(value)).map(([name]) => name);
}

function isHidden(value: unknown): boolean {
  if (!(value instanceof z.ZodType)) return false;
  const bare = value instanceof z.ZodExactOptional ? value.unwrap() : value;
  return bare instanceof z.ZodNever || value.meta()?.deprecated === true;
}

/** `[jobs.x]`, or the top of the file. */
export function tableName(path: Path): string {
  return path.length > 0 ? `[${dotted(path)}]` : 'the top of the file';
}

/** `[jobs.x].run`: the table and, behind it, the key. */
export function valueName(path: Path): string {
  const list = path.findIndex((step) => typeof step === 'number');
  const end = list < 0 ? path.length : list;
  const item = path
    .slice(end)
    .map((step) => `[${step}]`)
    .join('');
  const key = path[end - 1];
  return end > 1 ? `${tableName(path.slice(0, end - 1))}.${plain(String(key))}${item}` : `[${dotted(path)}]`;
}

/** A dotted key as TOML would write it. */
export function dotted(path: Path): string {
  return path.map((step) => plain(String(step))).join('.');
}

function plain(name: string): string {
  return /^[A-Za-z0-9_-]{1,80}$/.test(name) ? name : quoted(name);
}
