import {
  type Finding,
  firstOf,
  type LineShape,
  matchEach,
  position,
  type Read,
  severityOf,
} from '../finding.ts';
import { isPath, isSourceFile } from '../place.ts';

/** A tool whose findings stand on one line each: an expression whose named groups are a finding's fields. */
export interface Row {
  tool: string;
  /**
   * Groups: file, line, column, endLine, endColumn, severity, rule, message, url. Anchored, every repetition bounded or followed
   * by what it cannot match: a line of any content takes time linear in its length.
   */
  line: RegExp;
  severity?: Finding['severity'];
  /** What is added to a column, for tools that count from 0. */
  base?: number;
  /** Where the line has no words of its own. */
  message?: string;
  /** The severity by the rule, where the line names none. */
  graded?: (rule: string) => Finding['severity'];
  /** Lines below that go on with the message. */
  more?: RegExp;
  /** Reads the rule off the end of the whole message: groups message and rule. */
  end?: RegExp;
  /** It counts only where its file is one of the tree: the rest of the shape tells too little. */
  weak?: boolean;
  /** Lines below that quote the source, and are no one else's. */
  quote?: RegExp;
  /** The carets below tell where it ends. */
  carets?: boolean;
}

/** A path as rows take it: no colon but a drive's or a file URI's own. */
export const file = '(?<file>(?:file://)?(?:[A-Za-z]:(?=[\\\\/]))?[^:\\s][^:]{0,500})';
export const place = `${file}:(?<line>\\d{1,9}):(?<column>\\d{1,9})`;

export function row(tool: string, source: string, more: Partial<Row> = {}): Row {
  return { tool, line: new RegExp(source), ...more };
}

const maxMore = 12;
const maxQuote = 6;
const carets = /^[\s\d|:>]{0,40}?(\^[\^~]*)\s*$/;

/** The shape of many such tools; of the rows that fit a line the first is taken. */
export function rowShape(rows: readonly Row[]): LineShape {
  return (lines) =>
    matchEach(lines, (line, at) => {
      if (line.length < 5 || !/[/.:[(]/.test(line)) return undefined;
      return firstOf(rows, (one) => readRow(one, lines, at));
    });
}

function readRow(one: Row, lines: readonly string[], at: number): Read | undefined {
  const groups = one.line.exec(lines[at] ?? '')?.groups;
  const name = groups?.file;
  if (groups === undefined || name === undefined) return undefined;
  if (one.weak ? !isSourceFile(name) : !isPath(name)) return undefined;
  let to = at + 1;
  const said = [one.message ?? groups.message ?? ''];
  if (one.more !== undefined) {
    for (; to <= at + maxMore && one.more.test(lines[to] ?? ''); to++)
      said.push((lines[to] ?? '').trim().replace(/^\[ERROR\] +/, ''));
  }
  const whole = said.join(' ');
  const tail = one.end?.exec(whole)?.groups;
  const rule = groups.rule ?? tail?.rule;
  let length: number | undefined;
  for (const last = to + maxQuote; to < last && one.quote?.test(lines[to] ?? '') === true; to++) {
    length ??= one.carets ? carets.exec(lines[to] ?? '')?.[1]?.length : undefined;
  }
  const line = position(groups.line);
  const column =
    groups.column === undefined ? undefined : position(String(Number(groups.column) + (one.base ?? 0)));
  const stated =
    groups.endColumn === undefined ? undefined : position(String(Number(groups.endColumn) + (one.base ?? 0)));
  const endColumn = stated ?? (length !== undefined && column !== undefined ? column + length : undefined);
  const finding: Finding = {
    at,
    severity:
      one.severity ??
      (groups.severity === undefined ? (one.graded?.(rule ?? '') ?? 'error') : severityOf(groups.severity)),
    message: tail?.message ?? whole,
    tool: one.tool,
    file: name,
    line,
    column,
    endLine: position(groups.endLine) ?? (endColumn === undefined ? undefined : line),
    endColumn,
    rule,
    ruleUrl: groups.url,
    doubtful: one.weak,
  };
  return { finding, to };
}
