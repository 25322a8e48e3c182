import type { Diagnostic } from '../../contract/envelope.ts';

/** Where something is, as printed. */
export interface Place {
  file: string;
  /** 1-based, as is every position here. */
  line?: number | undefined;
  column?: number | undefined;
  endLine?: number | undefined;
  endColumn?: number | undefined;
}

/** Another place a finding speaks of. */
export interface Note {
  message: string;
  file?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
}

/** What a shape saw, before it is placed in a root and bounded. */
export interface Finding extends Omit<Place, 'file'> {
  file?: string | undefined;
  /** Index of the line it begins on, in the text it was read from; orders findings of one severity. */
  at: number;
  severity: Diagnostic['severity'];
  message: string;
  /** The tool, where the shape tells it; the job's name stands in otherwise. */
  tool?: string | undefined;
  rule?: string | undefined;
  /** The rule's documentation. */
  ruleUrl?: string | undefined;
  related?: readonly Note[] | undefined;
  /** A stack, the likeliest frame first: the first of the project's own files is its place where `file` is none. */
  frames?: readonly Place[] | undefined;
  /** The Go package `file` is relative to: `go test` prints base names only. */
  importPath?: string | undefined;
  /** The workspace member whose line it is, as a runner printed it in front. */
  label?: string | undefined;
  /** Directories its tool may have run in, as printed, the likeliest first. */
  directories?: readonly string[] | undefined;
  /** It counts only where its file is one of the tree: the shape alone tells too little. */
  doubtful?: boolean | undefined;
}

/** What one shape found, and the lines that are accounted for, so that no later shape reads them again. */
export class Match {
  readonly findings: Finding[] = [];
  /** Half-open ranges of line indexes. */
  readonly taken: (readonly [from: number, to: number])[] = [];

  add(finding: Finding): void {
    this.findings.push(finding);
  }

  take(from: number, to: number = from + 1): void {
    this.taken.push([from, to]);
  }
}

/** A finding whose lines go up to `to`, that one left out. */
export interface Read {
  finding: Finding;
  to: number;
}

/** What `read` finds at each line in turn, of those it is not given that an earlier finding has read. */
export function matchEach(
  lines: readonly string[],
  read: (line: string, at: number) => Read | undefined,
): Match {
  const match = new Match();
  for (let at = 0; at < lines.length; at++) {
    const found = read(lines[at] ?? '', at);
    if (found === undefined) continue;
    match.add(found.finding);
    match.take(at, found.to);
    at = found.to - 1;
  }
  return match;
}

/** The first of what is made of some values, where anything is. */
export function firstOf<Value, Made>(
  values: readonly Value[],
  make: (value: Value) => Made | undefined,
): Made | undefined {
  for (const value of values) {
    const made = make(value);
    if (made !== undefined) return made;
  }
  return undefined;
}

/** A shape made of lines. `lines` are clean (no escape or control characters) and bounded in length. */
export type LineShape = (lines: readonly string[]) => Match;

/** A shape that is a whole document, perhaps in the midst of other output; `rest` is that other output. */
export type DocumentShape = (text: string) => { findings: Finding[]; rest: string };

/** A 1-based position as printed; what is 0, absurdly large or no number is no position. */
export function position(digits: string | undefined): number | undefined {
  if (digits === undefined || !/^\d{1,9}$/.test(digits)) return undefined;
  const value = Number(digits);
  return value >= 1 ? value : undefined;
}

/** The severity a word or letter of some tool stands for. */
export function severityOf(word: string | undefined): Finding['severity'] {
  const said = (word ?? '').toLowerCase();
  if (/^(?:w|c|r|warn|warning|convention|refactor|medium|minor|moderate|suspicious|▲|⚠|!|‼|low)$/.test(said))
    return 'warning';
  if (/^(?:i|info|information|informational|note|notice|hint|help|style|suggestion|ℹ|none|off)$/.test(said))
    return 'info';
  return 'error';
}
