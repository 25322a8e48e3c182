import { type LineShape, Match } from '../finding.ts';
import { isOwn, type Place, placeAtEnd, scriptFrame } from '../place.ts';

const error =
  /^\s*(?:Uncaught |Unhandled |Exception during run: |Message: )?([A-Za-z_$][\w$.]{0,100})?(?:Error|Exception)(?: \[[^\]]{1,100}\])?(?:: .*|)(?: \{)?$/;
const cause = /^\s*\[(?:cause|errors)\]: /;
const specTitle = /^\s*✖ (?!\d+ problem)(.+?)(?: \([\d.]{1,20}ms\))?(?: # (TODO|SKIP).*)?$/;
const consoleTitle = /^ {2}● Console$/;
const otherTitle = /^(?: {2}● (?!Console$)|\s{1,4}(?:FAIL|×) {1,2}|\s+×\s)(\S.*)$/;
const mochaTitle = /^ {2}\d{1,6}\) (\S.*)$/;

/** How far above its first frame an error's head may stand; assertion diffs come between. */
const maxAbove = 60;
const maxMochaTitle = 8;
const maxSaid = 10;

interface Title {
  text: string;
  /** Index after its last line. */
  to: number;
  expected: boolean;
}

/**
 * Errors with a JavaScript stack, placed at the first frame that is the project's own. A stack that no error
 * heads (a trace, a warning) is passed over.
 */
export const nodeStack: LineShape = (lines) => read(lines, false);

/**
 * Those that stand below the title of a failing test, as mocha, node's spec reporter, jest and vitest print
 * it.
 */
export const nodeTests: LineShape = (lines) => read(lines, true);

function read(lines: readonly string[], titled: boolean): Match {
  const match = new Match();
  let floor = 0;
  for (let at = 0; at < lines.length; at++) {
    if (scriptFrame(lines[at] ?? '') === undefined) continue;
    let to = at;
    const places: Place[] = [];
    for (; to < lines.length; to++) {
      const frame = scriptFrame(lines[to] ?? '');
      if (frame === undefined) break;
      if (frame.file !== undefined) places.push(frame);
    }
    const from = Math.max(floor, at - maxAbove);
    const title = titleIn(lines, from, at);
    const head = headIn(lines, title?.to ?? from, at, title !== undefined);
    floor = to;
    if (head !== undefined && (title !== undefined) === titled && title?.expected !== true) {
      const source = sourceLine(lines, from, at);
      const own = places.filter((seen) => isOwn(seen.file));
      const frames = source === undefined ? places : own.length > 0 ? [...own, source] : [source];
      const said = saidFrom(lines, head, at);
      match.add({
        at: head,
        severity: 'error',
        message: title === undefined ? said : `${title.text}: ${said}`,
        tool: 'node',
        frames,
      });
    }
    at = to - 1;
  }
  return match;
}

/**
 * The error's words; where its first line only announces them (`to be strictly equal:`), with those below.
 */
function saidFrom(lines: readonly string[], head: number, to: number): string {
  const first = (lines[head] ?? '')
    .trim()
    .replace(/ \{$/, '')
    .replace(/^Exception during run: /, '');
  if (!first.endsWith(':')) return first;
  const below = lines.slice(head + 1, Math.min(to, head + maxSaid)).map((line) => line.trim());
  const diff = below.findIndex((line) => /^\+ (?:expected - actual|actual - expected)$/.test(line));
  return [first, ...(diff > 0 ? below.slice(0, diff) : below)].join(' ');
}

/** The nearest line that names an error; below a failing test's title its first words do. */
function headIn(lines: readonly string[], from: number, to: number, titled: boolean): number | undefined {
  for (let at = to - 1; at >= from; at--) {
    const line = lines[at] ?? '';
    if (cause.test(line)) return undefined;
    if (error.test(line)) return at;
  }
  if (!titled) return undefined;
  for (let at = from; at < to; at++) if (lines[at] !== '') return at;
  return undefined;
}

function titleIn(lines: readonly string[], from: number, to: number): Title | undefined {
  for (let at = to - 1; at >= from; at--) {
    const line = lines[at] ?? '';
    // What a test wrote to its console is no failure, though it look like one.
    if (consoleTitle.test(line)) return { text: 'Console', to: at + 1, expected: true };
    const spec = specTitle.exec(line);
    if (spec !== null) return { text: spec[1] ?? '', to: at + 1, expected: spec[2] !== undefined };
    const other = otherTitle.exec(line)?.[1];
    if (other !== undefined) return { text: other, to: at + 1, expected: false };
    const first = mochaTitle.exec(line)?.[1];
    if (first !== undefined) return mochaFrom(lines, at, to);
  }
  return undefined;
}

/** mocha's title is the path of suites, a line each, its last line ending in a colon. */
function mochaFrom(lines: readonly string[], at: number, to: number): Title {
  const last = Math.min(to, at + maxMochaTitle);
  let end = at;
  while (end < last - 1 && !(lines[end] ?? '').endsWith(':')) end++;
  const path = lines.slice(at, end + 1).map((line) => line.trim());
  const text = path
    .join(' ')
    .replace(/^\d+\) /, '')
    .replace(/:$/, '');
  return { text, to: end + 1, expected: false };
}

/** `file:12` on a line of its own, which node prints above the source of a syntax error. */
function sourceLine(lines: readonly string[], from: number, to: number): Place | undefined {
  for (let at = to - 1; at >= from; at--) {
    const line = lines[at] ?? '';
    const place = /^\S/.test(line) ? placeAtEnd(line) : undefined;
    if (place !== undefined) return isOwn(place.file) ? place : undefined;
  }
  return undefined;
}
