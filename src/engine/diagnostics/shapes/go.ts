import { type Finding, type LineShape, Match, position } from '../finding.ts';
import { isOwn, type Place, placeAtEnd, placeAtStart, withoutLabel } from '../place.ts';

const running = /^\s*=== (RUN|CONT|NAME|PAUSE) +(\S+)/;
const verdict = /^(\s*)--- (FAIL|PASS|SKIP): (\S+)/;
const logged = /^\s+([^\s:][^:]{0,500}\.go):(\d{1,9}): ?(.*)$/;
const packageVerdict = /^(?:FAIL|ok|\?) *\t([^\s[]+)/;
const panicFrame = /^\t(\S.{0,1000}\.go:\d{1,9})(?: \+0x[0-9a-f]+)?$/;

/** golangci-lint ends its finding in the linter's name, and quotes the source below it. */
const golangci = /^(.{1,1500}) \(([a-z][a-z\d]{2,30})\)$/;
const staticcheck = /^(.{1,1500}) \(((?:SA|ST|S|QF|U)\d{4})\)$/;
/** Other tools' findings in a Go file. */
const verdictWord = /^(?:error|warning|fatal error): /;
const caret = /^\s*\^\s*$/;

const maxElaboration = 8;
const maxFrames = 100;

interface Logged {
  at: number;
  file: string;
  line: number | undefined;
  message: string;
}

/**
 * Failing Go tests, as `go test` prints them with and without `-v`, and panics. What passing tests log is
 * taken as read.
 */
export const goTest: LineShape = (lines) => {
  const match = new Match();
  const logs = new Map<string, Logged[]>();
  const failures: { at: number; test: string; logs: Logged[] }[] = [];
  let open: Logged[] | undefined;
  let unattributed: Finding[] = [];

  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, , started] = running.exec(line) ?? [];
    if (started !== undefined) {
      open = logs.get(started) ?? [];
      logs.set(started, open);
      match.take(at);
      continue;
    }
    const [, , outcome, test] = verdict.exec(line) ?? [];
    if (test !== undefined) {
      open = logs.get(test) ?? [];
      logs.delete(test);
      if (outcome === 'FAIL') failures.push({ at, test, logs: open });
      match.take(at);
      continue;
    }
    const [, file, row, text] = logged.exec(line) ?? [];
    if (file !== undefined && open !== undefined) {
      const to = elaborated(lines, at);
      const message = [text, ...lines.slice(at + 1, to).map((more) => more.trim())].join(' ');
      open.push({ at, file, line: position(row), message });
      match.take(at, to);
      at = to - 1;
      continue;
    }
    if (line.startsWith('panic: ') && lines.slice(at, at + 20).some((next) => /^goroutine \d/.test(next))) {
      unattributed.push(readPanic(lines, at));
      match.take(at);
      continue;
    }
    const [, importPath] = packageVerdict.exec(line) ?? [];
    if (importPath !== undefined) {
      for (const finding of reported(failures, unattributed)) match.add({ ...finding, importPath });
      failures.length = 0;
      unattributed = [];
      open = undefined;
      match.take(at);
    }
  }
  for (const finding of reported(failures, unattributed)) match.add(finding);
  return match;
};

/** Index after the lines that continue a log entry: the testing package indents them four further. */
function elaborated(lines: readonly string[], at: number): number {
  const indent = /^\s*/.exec(lines[at] ?? '')?.[0].length ?? 0;
  const deeper = ' '.repeat(indent + 4);
  let to = at + 1;
  while (to <= at + maxElaboration && (lines[to] ?? '').startsWith(deeper)) to++;
  return to;
}

/** A panic ends its package: the test that failed last and said nothing is the one that panicked. */
function reported(
  failures: readonly { at: number; test: string; logs: Logged[] }[],
  panics: readonly Finding[],
): Finding[] {
  const [panic, ...others] = panics;
  const last = failures.findLast(({ logs }) => logs.length === 0);
  if (panic === undefined || last === undefined) return told(failures).concat(panics);
  const named = { ...panic, message: `${last.test}: ${panic.message}` };
  const ended = failures.filter(({ test }) => test === last.test || !last.test.startsWith(`${test}/`));
  return told(ended.filter((failure) => failure !== last)).concat([named, ...others]);
}

function told(failures: readonly { at: number; test: string; logs: Logged[] }[]): Finding[] {
  const parents = new Set(failures.map(({ test }) => test.slice(0, Math.max(0, test.lastIndexOf('/')))));
  return failures.flatMap(({ at, test, logs }): Finding[] => {
    const base = { severity: 'error' as const, tool: 'go' };
    if (logs.length > 0) {
      return logs.map((log) => ({ ...base, ...log, message: `${test}: ${log.message}`, at: log.at }));
    }
    // A parent fails because its subtest did, and says nothing itself.
    return parents.has(test) ? [] : [{ ...base, at, message: `${test} failed` }];
  });
}

function readPanic(lines: readonly string[], at: number): Finding {
  const message = (lines[at] ?? '').replace(/ \[recovered\].*$/, '');
  const frames: Place[] = [];
  for (const line of lines.slice(at + 1, at + maxFrames)) {
    const [, printed] = panicFrame.exec(line) ?? [];
    const place = printed === undefined ? undefined : placeAtEnd(printed);
    if (place !== undefined && isOwn(place.file) && !isGoRoot(place.file))
      frames.push({ file: place.file, line: place.line });
  }
  return { at, severity: 'error', message, tool: 'go', frames };
}

function isGoRoot(file: string): boolean {
  return /[\\/](?:src[\\/](?:runtime|testing|net|reflect|sync|os|internal|time|fmt|io|context|errors|bufio|strings|bytes)|pkg[\\/]mod)[\\/]/.test(
    file,
  );
}

/** Whether this line is source over a caret, not words of the finding above. */
function quoted(lines: readonly string[], at: number): boolean {
  return caret.test(lines[at + 1] ?? '');
}

function quoteEnd(lines: readonly string[], from: number): number {
  return quoted(lines, from) ? from + 2 : from;
}

/** What the Go compiler and `go vet` print: `./file.go:1:2: message`, with continuation lines. */
export const goBuild: LineShape = (lines) => {
  const match = new Match();
  for (let at = 0; at < lines.length; at++) {
    const line = withoutLabel(lines[at] ?? '').replace(/^vet: /, '');
    const place = /^\S/.test(line) ? placeAtStart(line) : undefined;
    if (
      place === undefined ||
      place.column === undefined ||
      !place.file.endsWith('.go') ||
      verdictWord.test(place.rest)
    )
      continue;
    const { file, line: row, column, rest } = place;
    const linted = golangci.exec(rest);
    if (linted !== null) {
      const [, said = '', linter] = linted;
      const to = quoteEnd(lines, at + 1);
      match.add({
        at,
        severity: 'error',
        message: said,
        tool: 'golangci-lint',
        file,
        line: row,
        column,
        rule: linter,
      });
      match.take(at, to);
      at = to - 1;
      continue;
    }
    const checked = staticcheck.exec(rest);
    if (checked !== null) {
      match.add({
        at,
        severity: 'error',
        message: checked[1] ?? '',
        tool: 'staticcheck',
        file,
        line: row,
        column,
        rule: checked[2],
      });
      match.take(at);
      continue;
    }
    let to = at + 1;
    while (to <= at + maxElaboration && /^\t\S/.test(lines[to] ?? '') && !quoted(lines, to)) to++;
    const message = [rest, ...lines.slice(at + 1, to).map((more) => more.trim())].join(' ');
    match.add({ at, severity: 'error', message, tool: 'go', file, line: row, column });
    match.take(at, to);
    at = to - 1;
  }
  return match;
};
