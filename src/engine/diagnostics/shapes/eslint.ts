import { type LineShape, Match, position } from '../finding.ts';
import { isPath, placeAtStart, withoutLabel } from '../place.ts';

const stylishLine = /^\s+(\d{1,9}):(\d{1,9})\s+(error|warning) +(\S.*)$/;
const ruleName = /^(?:@?[\w-]+\/)*@?[\w.-]+$/;
const unixVerdict = /^\[(Error|Warning)(?:\/([^\]\s]{1,200}))?\]$/;

/** ESLint's `stylish` format: a line with the file, then its findings indented, until an empty line. */
export const eslintStylish: LineShape = (lines) => {
  const match = new Match();
  let file: string | undefined;
  let header = 0;
  for (const [at, line] of lines.entries()) {
    if (line === '') {
      file = undefined;
      continue;
    }
    if (!/^\s/.test(line)) {
      const name = withoutLabel(line);
      file = isPath(name) ? name : undefined;
      header = at;
      continue;
    }
    const [, row, column, severity, text] = file === undefined ? [] : (stylishLine.exec(line) ?? []);
    if (text === undefined) continue;
    const { message, rule } = splitRule(text);
    match.add({
      at,
      severity: severity === 'error' ? 'error' : 'warning',
      message,
      tool: 'eslint',
      file,
      line: position(row),
      column: position(column),
      rule,
    });
    match.take(header, at + 1);
    header = at;
  }
  return match;
};

/** The rule is the last column of a table whose columns are two blanks apart; a parse error has none. */
function splitRule(text: string): { message: string; rule: string | undefined } {
  const gap = text.lastIndexOf('  ');
  const rule = gap === -1 ? '' : text.slice(gap + 2).trim();
  if (!ruleName.test(rule)) return { message: text.trim(), rule: undefined };
  return { message: text.slice(0, gap).trim(), rule };
}

/** ESLint's `unix` format: `file:1:2: message [Error/rule]`. */
export const eslintUnix: LineShape = (lines) => {
  const match = new Match();
  for (const [at, line] of lines.entries()) {
    if (!line.endsWith(']')) continue;
    const place = placeAtStart(withoutLabel(line));
    if (place === undefined) continue;
    const open = place.rest.lastIndexOf('[');
    const [, verdict, rule] = unixVerdict.exec(place.rest.slice(open)) ?? [];
    if (verdict === undefined) continue;
    match.add({
      at,
      severity: verdict === 'Error' ? 'error' : 'warning',
      message: place.rest.slice(0, open).trim(),
      tool: 'eslint',
      file: place.file,
      line: place.line,
      column: place.column,
      rule,
    });
    match.take(at);
  }
  return match;
};
