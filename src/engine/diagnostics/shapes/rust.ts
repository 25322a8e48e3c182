import { type Finding, type LineShape, Match } from '../finding.ts';
import { type Place, placeAtEnd } from '../place.ts';

const panic = /^thread '([^']{1,500})'(?: \(\d+\))? panicked at (.*)$/;
const panicEnd = /^(?:$|stack backtrace:|note: |thread ')/;
const passedTest = /^test (\S{1,500})(?: - should panic)? \.\.\. ok$/;
const sectionHead = /^---- (\S{1,500}) stdout ----$/;
const oldPanic = /^'(.*)', ([^']{1,1024})$/;

const maxBlock = 200;
const maxPanicLines = 6;

/** The panics of tests under cargo, and tests that returned an error. A test that passed may panic as it should. */
export const rust: LineShape = (lines) => {
  const match = new Match();
  const passed = new Set<string>();
  for (const line of lines) {
    const name = passedTest.exec(line)?.[1];
    if (name !== undefined) passed.add(name);
  }
  let section: { at: number; test: string } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const test = sectionHead.exec(line)?.[1];
    if (test !== undefined) section = { at, test };
    const returned = section === undefined ? undefined : /^Error: (.+)$/.exec(line)?.[0];
    if (returned !== undefined && section !== undefined && at <= section.at + 3) {
      match.add({ at, severity: 'error', message: `${section.test}: ${returned}`, tool: 'cargo' });
      match.take(section.at, at + 1);
    }
    if (line.startsWith('thread ')) at = Math.max(at, readPanic(lines, at, match, passed) - 1);
  }
  return match;
};

/** Returns the index after what it took; `at` where it recognised nothing. */
function readPanic(lines: readonly string[], at: number, match: Match, passed: ReadonlySet<string>): number {
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
    frames: framesOf(lines, to, placeAtEnd(old?.[2] ?? rest)),
  };
  if (!passed.has(thread)) match.add(finding);
  match.take(at, to);
  return to;
}

/** Where the panic rose, and the frames of its backtrace where one was printed. */
function framesOf(lines: readonly string[], from: number, raised: Place | undefined): Place[] {
  const frames = raised === undefined ? [] : [raised];
  if (lines[from] !== 'stack backtrace:') return frames;
  for (const line of lines.slice(from + 1, from + maxBlock)) {
    if (!line.startsWith(' ')) break;
    const place = /^\s+at /.test(line) ? placeAtEnd(line.replace(/^\s+at /, '')) : undefined;
    if (place !== undefined) frames.push(place);
  }
  return frames;
}
