import { type LineShape, Match } from '../finding.ts';
import { isOwn, type Place, pythonFrame } from '../place.ts';

const exception = /^\s*((?:[A-Za-z_]\w{0,100}\.){0,10}[A-Z_]\w{0,100})(?:: (.*))?$/;
const chained =
  /^\s*(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):$/;
const unittestTitle = /^(?:FAIL|ERROR): (\S.*)$/;

const maxTraceback = 2000;

/**
 * Python tracebacks, and the syntax errors that come without their header. Placed at the innermost frame that
 * is no library's; of chained exceptions the last one counts.
 */
export const python: LineShape = (lines) => read(lines, false);

/** Those that stand below unittest's name of a failing test, which leads the message. */
export const unittest: LineShape = (lines) => read(lines, true);

function read(lines: readonly string[], titled: boolean): Match {
  const match = new Match();
  for (let at = 0; at < lines.length; at++) {
    const first = pythonFrame(lines[at] ?? '');
    if (first === undefined) continue;
    const places: Place[] = [];
    let to = at;
    while (to < lines.length && to < at + maxTraceback) {
      const line = lines[to] ?? '';
      const frame = pythonFrame(line);
      if (frame !== undefined && frame.indent >= first.indent) {
        places.push({ file: frame.file, line: frame.line, column: undefined });
      } else if (indentOf(line) <= first.indent && !isElided(line)) {
        break;
      }
      to++;
    }
    const raised = exception.exec(lines[to] ?? '')?.[0].trim();
    const next = lines.slice(to + 1, to + 4).find((line) => line !== '') ?? '';
    const test = titleAbove(lines, at);
    if (raised !== undefined && !chained.test(next) && (test !== undefined) === titled) {
      const message = test === undefined ? raised : `${test}: ${raised}`;
      match.add({ at, severity: 'error', message, tool: 'python', frames: ordered(places, first) });
      match.take(at, to + 1);
    }
    at = Math.max(at, to - 1);
  }
  return match;
}

/** The innermost of the project's own first; a library's where there is no other. */
function ordered(places: readonly Place[], first: Place): Place[] {
  const inner = places.toReversed();
  const own = inner.filter((place) => isOwn(place.file));
  return own.length > 0 ? own : [inner[0] ?? first];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isElided(line: string): boolean {
  return /^\s+\[Previous line repeated /.test(line);
}

/**
 * unittest's `FAIL: test_x (pkg.Case.test_x)`, which stands above a rule, a docstring perhaps, and the
 * traceback.
 */
function titleAbove(lines: readonly string[], at: number): string | undefined {
  for (let above = at - 1; above >= Math.max(0, at - 5); above--) {
    const name = unittestTitle.exec(lines[above] ?? '')?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}
