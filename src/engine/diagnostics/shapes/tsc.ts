import { type LineShape, Match, type Note, position } from '../finding.ts';
import { isPath, placeAtEnd, withoutLabel } from '../place.ts';

// `--pretty false`; MSVC and the .NET compilers print the same, the column optional, their own codes.
const parenthesised =
  /^((?:[A-Za-z]:(?=[\\/]))?[^:]+)\((\d{1,9})(?:,(\d{1,9})(?:,\d{1,9},\d{1,9})?)?\) ?: (fatal error|error|warning) ([A-Z]{1,10}\d{1,6}): (.*)$/;
const pretty = /^((?:[A-Za-z]:(?=[\\/]))?[^:]+):(\d{1,9}):(\d{1,9}) - (error|warning) (TS\d{1,6}): (.*)$/;
const global = /^(error) (TS\d{1,6}): (.*)$/;

const dotnet = /^(?:CS|MSB|NU|NETSDK|CA|IDE|SA|FS|BC|C|LNK|RS|xUnit|S)\d{1,6}$/;

/** How many lines of an elaboration (`  Types of property 'a' are incompatible.`) join the message. */
const maxElaboration = 5;
const maxQuote = 12;

/** tsc's diagnostics, plain and pretty, each with the indented elaboration that follows it. */
export const tsc: LineShape = (lines) => {
  const match = new Match();
  for (let at = 0; at < lines.length; at++) {
    const line = withoutLabel(lines[at] ?? '');
    const found = read(line);
    if (found === undefined) continue;
    let to = at + 1;
    while (
      to <= at + maxElaboration &&
      /^ {2,}\S/.test(lines[to] ?? '') &&
      placeAtEnd((lines[to] ?? '').trim()) === undefined
    )
      to++;
    const message = [found.message, ...lines.slice(at + 1, to).map((more) => more.trim())].join(' ');
    const quote = readQuote(lines, to);
    const end =
      found.column === undefined || quote.length === undefined
        ? {}
        : { endLine: found.line, endColumn: found.column + quote.length };
    match.add({
      ...found,
      at,
      message: message.replace(/ \[[^\][]{1,500}\.\w{0,4}proj(?:::TargetFramework=[^\]]{1,60})?\]$/, ''),
      ...end,
      related: quote.related,
    });
    to = Math.max(to, quote.to);
    match.take(at, to);
    at = to - 1;
  }
  return match;
};

/** The source that `--pretty` quotes: how long what it underlines is, and the other places it tells of. */
function readQuote(lines: readonly string[], from: number) {
  const related: Note[] = [];
  let length: number | undefined;
  let to = from;
  for (let at = from; at < lines.length && at < from + maxQuote; at++) {
    const line = lines[at] ?? '';
    const underline = length === undefined && at <= from + 3 ? /^\s+(~{1,500})$/.exec(line)?.[1] : undefined;
    if (underline !== undefined && /^\d/.test(lines[at - 1] ?? '')) {
      length = underline.length;
      to = at + 1;
    }
    const place = /^ {2}\S/.test(line) ? placeAtEnd(line.trim()) : undefined;
    const told =
      place === undefined
        ? undefined
        : lines.slice(at + 1, at + 4).find((below) => /^ {4}[^\d\s~]/.test(below));
    if (place !== undefined && told !== undefined && place.column !== undefined) {
      related.push({ message: told.trim(), ...place });
      to = lines.indexOf(told, at) + 1;
      at = to - 1;
    } else if (/^\S/.test(line) && !/^\d+\s/.test(line)) break;
  }
  return { length, to, related: related.length > 0 ? related : undefined };
}

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
    tool: code.startsWith('TS') ? 'tsc' : dotnet.test(code) ? 'msbuild' : undefined,
    file,
    line: position(row),
    column: position(column),
    rule: code,
  };
}
