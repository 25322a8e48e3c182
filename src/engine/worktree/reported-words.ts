import type { Phase, Todo } from '../../contract/verbs-worktree.ts';
import { oneLine } from '../../contract/visible.ts';

/** Characters of a phase's word, of its note, and of one to-do. */
export const LONGEST_WORD = 60;
export const LONGEST_NOTE = 500;
const LONGEST_TODO = 200;

/** To-dos that are listed; those beyond are counted. */
const MOST_TODOS = 200;

export type ReportedPhase = Omit<Phase, 'at'>;

export interface ReportedTodos {
  todos: Todo[];
  done: number;
  all: number;
}

/** A text of a stranger's on one line, in which everything shows, and no longer than it may be. */
function short(text: string, most: number): string {
  const line = oneLine(text.replace(/\s+/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/**
 * The phase a text reports. As JSON: an object with `word`, `note` and `blocked`. Else its first line is the word, with the note behind
 * a colon or on the lines below; the word "blocked" means what it says. `undefined` for a text that reports none.
 */
export function phaseIn(text: string): ReportedPhase | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    const value = parsed(trimmed) as Record<string, unknown> | undefined;
    if (value === undefined) return undefined;
    const { blocked } = value;
    const why =
      typeof blocked === 'string' && !/^(?:true|false|yes|no)?$/i.test(blocked.trim()) ? blocked : undefined;
    const is = blocked === true || why !== undefined || /^(?:true|yes)$/i.test(String(blocked).trim());
    return made(textOf(value.word ?? value.phase), textOf(value.note) ?? why, is);
  }
  const [first = '', ...rest] = trimmed.split(/\r?\n/);
  const [, word, note = ''] = /^([^:]*)(?::\s*(.*))?$/s.exec(first) ?? [];
  return made(word, [note, ...rest].join(' '), false);
}

function made(
  word: string | undefined,
  note: string | undefined,
  blocked: boolean,
): ReportedPhase | undefined {
  const name = short(word ?? '', LONGEST_WORD);
  if (name === '') return undefined;
  const said = short(note ?? '', LONGEST_NOTE);
  return { word: name, ...(said && { note: said }), blocked: blocked || /^blocked$/i.test(name) };
}

const box = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?\[(.)\]\s+(.*\S)\s*$/u;
const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*\S)\s*$/;

/**
 * The to-dos a text reports: the boxes of a Markdown list (`- [x] done`), or its points where it has no boxes, or JSON: a list of texts or of
 * objects with a text and whether it is done, as agent clients keep them. `undefined` for JSON that is neither.
 */
export function todosIn(text: string): ReportedTodos | undefined {
  const trimmed = text.trim();
  const items = /^[{[](?! ?[xX ]?\])/.test(trimmed) ? ofJson(trimmed) : ofMarkdown(trimmed);
  if (items === undefined) return undefined;
  const all = items.filter((one) => one.text !== '');
  const todos = all.slice(0, MOST_TODOS);
  return { todos, done: all.filter(({ done }) => done).length, all: all.length };
}

function ofMarkdown(text: string): Todo[] {
  const lines = text.split(/\r?\n/);
  const boxes = lines.flatMap((line) => {
    const [, mark, said] = box.exec(line) ?? [];
    return said === undefined
      ? []
      : [{ text: short(said, LONGEST_TODO), done: mark === 'x' || mark === 'X' }];
  });
  if (boxes.length > 0) return boxes;
  return lines.flatMap((line) => {
    const said = bullet.exec(line)?.[1];
    return said === undefined ? [] : [{ text: short(said, LONGEST_TODO), done: false }];
  });
}

function ofJson(text: string): Todo[] | undefined {
  const value = parsed(text);
  const list = Array.isArray(value) ? value : (value as { todos?: unknown } | undefined)?.todos;
  if (!Array.isArray(list)) return undefined;
  return list.map((one: unknown) => {
    if (typeof one === 'string') return { text: short(one, LONGEST_TODO), done: false };
    const { text: said, content, title, done, status } = (one ?? {}) as Record<string, unknown>;
    return {
      text: short(textOf(content) ?? textOf(said) ?? textOf(title) ?? '', LONGEST_TODO),
      done: done === true || status === 'completed' || status === 'done',
    };
  });
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Half-written, or no JSON: it reports nothing that could be read.
    return undefined;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
