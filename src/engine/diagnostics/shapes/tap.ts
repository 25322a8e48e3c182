import { type Finding, type LineShape, Match, position } from '../finding.ts';
import { fromFileUri } from '../locate.ts';
import { isOwn, type Place, placeAtEnd, scriptFrame } from '../place.ts';
import { type Fields, readFields } from './tap-yaml.ts';

const testPoint = /^(\s*)(not ok|ok)\b(?: +(\d{1,9}))?(?: +-)?(?: +(.*))?$/;
const directive = /(?:^|\s)# *(?:TODO|SKIP)\b/i;
const otherLine = /^\s*(?:not ok\b|ok\b|#|\d+\.\.\d)/;
const bailOut = /^\s*Bail out!(.*)$/i;

/** What a test point has that failed itself, and not through a test inside it. */
const ownWords = ['stack', 'compare', 'found', 'expected', 'actual', 'diff', 'operator'];
const evidence = /^(?:TAP version 1\d|\s*\d{1,6}\.\.\d{1,6}(?:\s|$)|# Subtest: )/;

const maxDetail = 500;

/**
 * TAP 13 and 14, node's own test runner's and mocha's dialects among them: each `not ok` that is neither
 * `# TODO` nor `# SKIP`, placed by its YAML block or by the stack printed in its stead.
 */
export const tap: LineShape = (lines) => {
  const match = new Match();
  // Indents at which a subtest failed since the last test point outside it.
  const failedBelow = new Set<number>();
  const sure = lines.some((line) => evidence.test(line));
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const bail = bailOut.exec(line);
    if (bail !== null) {
      match.add({ at, severity: 'error', message: `Bail out!${bail[1]}`, tool: 'tap' });
      match.take(at);
      continue;
    }
    const [, space, verdict, number, text = ''] = testPoint.exec(line) ?? [];
    if (space === undefined || (number === undefined && !/^\s*(?:not )?ok(?: +-.*)?$/.test(line))) continue;
    // node-tap and vitest open a block of subtests with a brace; those that failed inside speak for it.
    if (text.endsWith('{')) {
      match.take(at);
      continue;
    }
    const indent = space.length;
    const to = detailEnd(lines, at, indent);
    match.take(at, remarkEnd(lines, to));
    const inner = [...failedBelow].filter((deeper) => deeper > indent);
    for (const deeper of inner) failedBelow.delete(deeper);
    if (verdict === 'not ok' && !directive.test(text)) {
      const finding = read(lines, at, to, text);
      const parentOnly = inner.length > 0 && (finding.subtests || finding.file === undefined);
      // Without a plan or a place, a line in some log looks the same.
      const counts = sure || finding.file !== undefined || /^\s*---/.test(lines[at + 1] ?? '');
      if (counts && !parentOnly) match.add(finding.found);
      failedBelow.add(indent);
    }
    at = to - 1;
  }
  return match;
};

/** Index after the lines that belong to a test point: its YAML block, or what is indented below it. */
function detailEnd(lines: readonly string[], at: number, indent: number): number {
  const last = Math.min(lines.length, at + 1 + maxDetail);
  const yaml = /^\s*---/.test(lines[at + 1] ?? '');
  let to = at + 1;
  for (; to < last; to++) {
    const line = lines[to] ?? '';
    if (yaml && line.trim() === '...') return to + 1;
    if (line === '') continue;
    const deeper = line.length - line.trimStart().length > indent;
    if (!deeper || (!yaml && otherLine.test(line))) break;
  }
  return to;
}

/** Index after the remarks that tell of a failing test, so that no other shape reads them. */
function remarkEnd(lines: readonly string[], from: number): number {
  if (!failedTest.test(lines[from] ?? '') && !remark.test(lines[from] ?? '')) return from;
  let to = from;
  while (to < from + 10 && /^\s*#/.test(lines[to] ?? '')) to++;
  return to;
}

function read(lines: readonly string[], at: number, to: number, text: string) {
  const name = text
    .replace(/\s# time=[\d.]{1,20}m?s$/, '')
    .replace(/\\([\\#])/g, '$1')
    .trim();
  const detail = lines.slice(at + 1, to);
  const fields = /^\s*---/.test(detail[0] ?? '') ? readFields(detail.slice(1)) : undefined;
  const remarks = remarksBelow(lines, at);
  const said = fields === undefined ? firstSaid(detail) || remarks.said : messageIn(fields);
  const place = (fields === undefined ? stackPlace(detail) : placeIn(fields)) ?? remarks.place;
  const found: Finding = {
    at,
    severity: 'error',
    message: [name, said].filter((part) => part !== '').join(': ') || 'A test without a name failed',
    tool: 'tap',
    ...place,
  };
  return {
    found,
    file: place?.file,
    subtests:
      fields?.get('failureType') === 'subtestsFailed' ||
      (said === '' && !ownWords.some((key) => fields?.has(key))),
  };
}

const remark =
  /^\s*# {1,8}(?:\(?(?:.{0,300} )?in (?:test )?file (\S[^,]{0,500}), line (\d{1,9})[,)]?.*|at (\S{1,500}) line (\d{1,9})\.)$/;
const failedTest = /^\s*# {1,8}Failed (?:\(\w+\) )?test\b/;

/** The remarks below a test point: Perl's `at t/film.t line 14.`, bats' `in test file …, line 3` and what failed there. */
function remarksBelow(lines: readonly string[], at: number): { place: Place | undefined; said: string } {
  let place: Place | undefined;
  let said = '';
  for (const line of lines.slice(at + 1, at + 10)) {
    if (!/^\s*#/.test(line)) break;
    const [, file, row, perlFile, perlRow] = remark.exec(line) ?? [];
    const named = file ?? perlFile;
    if (named !== undefined) place ??= { file: named, line: position(row ?? perlRow), column: undefined };
    else if (said === '' && !failedTest.test(line)) said = line.replace(/^\s*#\s*/, '');
  }
  return { place, said: place === undefined ? '' : said };
}

function firstSaid(detail: readonly string[]): string {
  return detail.find((line) => scriptFrame(line) === undefined && line.trim() !== '')?.trim() ?? '';
}

function messageIn(fields: Fields): string {
  for (const key of ['error', 'message', 'error.message', 'diag.message', 'name']) {
    const value = fields.get(key);
    if (value !== undefined && value !== '') return value;
  }
  return '';
}

/**
 * The place a YAML block names: `location` or `at` as one text, or `at`'s own fields. A frame of the stack in
 * the same file is nearer to the cause than the line where the test begins.
 */
function placeIn(fields: Fields): Place | undefined {
  const stack = (fields.get('stack') ?? fields.get('diag.stack') ?? '').split('\n');
  const stated =
    [fields.get('location'), fields.get('at')].map(placeOf).find((place) => place !== undefined) ??
    split(fields);
  const deeper = frames(stack).filter(
    (place) => stated === undefined || fromFileUri(place.file) === fromFileUri(stated.file),
  );
  return deeper.find((place) => isOwn(place.file)) ?? stated;
}

function placeOf(value: string | undefined): Place | undefined {
  if (value === undefined || value === '') return undefined;
  const frame = scriptFrame(value, true);
  return frame?.file === undefined ? placeAtEnd(value) : frame;
}

function split(fields: Fields): Place | undefined {
  for (const prefix of ['at.', '', 'location.']) {
    const file = fields.get(`${prefix}file`) ?? fields.get(`${prefix}fileName`);
    if (file === undefined || file === '') continue;
    const line = fields.get(`${prefix}line`) ?? fields.get(`${prefix}lineNumber`);
    const column = fields.get(`${prefix}column`) ?? fields.get(`${prefix}columnNumber`);
    return { file, line: position(line), column: position(column) };
  }
  return undefined;
}

function stackPlace(detail: readonly string[]): Place | undefined {
  const places = frames(detail);
  return places.find((place) => isOwn(place.file)) ?? places[0];
}

function frames(stack: readonly string[]): Place[] {
  return stack.flatMap((line) => {
    const frame = scriptFrame(line, true);
    return frame?.file === undefined ? [] : [frame];
  });
}
