import { type LineShape, Match, position } from '../finding.ts';
import { isPath, withoutLabel } from '../place.ts';

// `--pretty false`; MSVC and the .NET compilers print the same, the column optional, their own codes.
const parenthesised =
  /^((?:[A-Za-z]:(?=[\\/]))?[^:]+)\((\d{1,9})(?:,(\d{1,9})(?:,\d{1,9},\d{1,9})?)?\) ?: (fatal error|error|warning) ([A-Z]{1,10}\d{1,6}): (.*)$/;
const pretty = /^((?:[A-Za-z]:(?=[\\/]))?[^:]+):(\d{1,9}):(\d{1,9}) - (error|warning) (TS\d{1,6}): (.*)$/;
const global = /^(error) (TS\d{1,6}): (.*)$/;

/** How many lines of an elaboration (`  Types of property 'a' are incompatible.`) join the message. */
const maxElaboration = 5;

/** tsc's diagnostics, plain and pretty, each with the indented elaboration that follows it. */
export const tsc: LineShape = (lines) => {
  const match = new Match();
  for (let at = 0; at < lines.length; at++) {
    const line = withoutLabel(lines[at] ?? '');
    const found = read(line);
    if (found === undefined) continue;
    let to = at + 1;
    while (to <= at + maxElaboration && /^ {2,}\S/.test(lines[to] ?? '')) to++;
    const message = [found.message, ...lines.slice(at + 1, to).map((more) => more.trim())].join(' ');
    match.add({ ...found, at, message });
    match.take(at, to);
    at = to - 1;
  }
  return match;
};

function read(line: string) {
  const placed = parenthesised.exec(line) ?? pretty.exec(line);
  if (placed === null) {
    const [, , code, message] = global.exec(line) ?? [];
    if (code === undefined || message === undefined) return undefined;
    return { severity: 'error' as const, message, tool: 'tsc', rule: code };
  }
  const [, file = '', row, column, severity, code = '', message = ''] = placed;
  if (!isPath(file)) return undefined;
  return {
    severity: severity === 'warning' ? ('warning' as const) : ('error' as const),
    message,
    tool: code.startsWith('TS') ? 'tsc' : undefined,
    file,
    line: position(row),
    column: position(column),
    rule: code,
  };
}
