import type { Diagnostic } from '../../contract/envelope.ts';

/** What a shape saw, before it is placed in a root and bounded. */
export interface Finding {
  /** Index of the line it begins on, in the text it was read from; orders findings of one severity. */
  at: number;
  severity: Diagnostic['severity'];
  message: string;
  /** The tool, where the shape tells it; the job's name stands in otherwise. */
  tool?: string | undefined;
  /** As printed. */
  file?: string | undefined;
  /** 1-based. */
  line?: number | undefined;
  /** 1-based. */
  column?: number | undefined;
  rule?: string | undefined;
  /** The Go package `file` is relative to: `go test` prints base names only. */
  importPath?: string | undefined;
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
