import { type Finding, type LineShape, Match } from '../finding.ts';
import { isOwn, placeAtEnd } from '../place.ts';

const head = /^(error|warning)(?:\[([A-Z]\d{4})\])?: (.*)$/;
const lint = /`#\[(?:warn|deny|forbid)\(([\w:]{1,100})\)\]`|`-[DWF] ([\w:-]{1,100})` implied/;
const panic = /^thread '([^']{1,500})'(?: \(\d+\))? panicked at (.*)$/;
const panicEnd = /^(?:$|stack backtrace:|note: |thread ')/;
const oldPanic = /^'(.*)', ([^']{1,1024})$/;

/** How far below its head a diagnostic's `-->` stands: its message may take several lines. */
const maxToArrow = 8;
const maxBlock = 200;
const maxPanicLines = 6;

/** rustc's and clippy's diagnostics, and the panics of tests under cargo. */
export const rust: LineShape = (lines) => {
  const match = new Match();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const to = line.startsWith('thread ') ? readPanic(lines, at, match) : readDiagnostic(lines, at, match);
    at = Math.max(at, to - 1);
  }
  return match;
};

/** Returns the index after what it took; `at` where it recognised nothing. */
function readDiagnostic(lines: readonly string[], at: number, match: Match): number {
  const [, severity, code, text] = head.exec(lines[at] ?? '') ?? [];
  if (text === undefined) return at;
  let to = at + 1;
  while (to < lines.length && to < at + maxBlock && lines[to] !== '') to++;
  const block = lines.slice(at + 1, to);
  const arrow = block.findIndex((line, index) => index < maxToArrow && /^\s*--> /.test(line));
  // Without a code or a place it is any program's `error: …`, or rustc's own summing up.
  if (arrow === -1 && code === undefined) return at;
  const place = arrow === -1 ? undefined : placeAtEnd((block[arrow] ?? '').replace(/^\s*--> /, ''));
  match.add({
    at,
    severity: severity === 'error' ? 'error' : 'warning',
    message: [text, ...block.slice(0, Math.max(arrow, 0)).map((line) => line.trim())].join(' '),
    tool: 'rustc',
    ...place,
    rule: code ?? lintOf(block),
  });
  match.take(at, to);
  return to;
}

function lintOf(block: readonly string[]): string | undefined {
  for (const line of block) {
    const found = lint.exec(line);
    if (found !== null) return found[1] ?? found[2];
  }
  return undefined;
}

function readPanic(lines: readonly string[], at: number, match: Match): number {
  const [, thread, rest] = panic.exec(lines[at] ?? '') ?? [];
  if (thread === undefined || rest === undefined) return at;
  const old = oldPanic.exec(rest);
  let to = at + 1;
  const last = old === null ? Math.min(lines.length, at + 1 + maxPanicLines) : to;
  while (to < last && !panicEnd.test(lines[to] ?? '')) to++;
  const said =
    old === null
      ? lines
          .slice(at + 1, to)
          .map((line) => line.trim())
          .join(' ')
      : (old[1] ?? '');
  const finding: Finding = {
    at,
    severity: 'error',
    message: `${thread === 'main' ? 'panicked' : thread}: ${said}`,
    tool: 'cargo',
    ...(ownBacktrace(lines, to) ?? placeAtEnd(old?.[2] ?? rest)),
  };
  match.add(finding);
  match.take(at, to);
  return to;
}

/**
 * Where the panic rose in the project itself, if a backtrace was printed and the panic's own place is not
 * it.
 */
function ownBacktrace(lines: readonly string[], from: number) {
  if (lines[from] !== 'stack backtrace:') return undefined;
  for (const line of lines.slice(from + 1, from + maxBlock)) {
    if (!line.startsWith(' ')) return undefined;
    const place = /^\s+at /.test(line) ? placeAtEnd(line.replace(/^\s+at /, '')) : undefined;
    if (place !== undefined && isOwn(place.file)) return place;
  }
  return undefined;
}
