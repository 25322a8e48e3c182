import { type Finding, type LineShape, Match, position, severityOf } from '../finding.ts';
import { isPath, placeAtStart, withoutLabel } from '../place.ts';

const entry =
  /^\s+(\d{1,9}):(\d{1,9})(?:-(\d{1,9}):(\d{1,9}))?\s+(?:(error|warning|warn|info|information|hint|suggestion)\b|([✖×✗⚠‼ℹ▲✘])(?!\s+\d+ problem))\s+(\S.*)$/i;
const trailing = /^\s+([✖×⚠]) {1,4}(\d{1,9}):(\d{1,9}) {1,4}(\S.*)$/;
const placeless = /^\s{2,}([✖×✗⚠‼✘]|error|warning) {1,4}(\S.*)$/;
const ruleName = /^(?:(?:@?[\w-]+\/)*@?[\w.-]+|[\w-]{1,40}\([@\w/-]{1,80}\))$/;
const codeFirst = /^([a-z\d]+(?:-[A-Za-z\d]+)+) {2,}(\S.*?)(?: {2,}(\S+))?$/;
const bracketed = / {2}\(([a-z-]{1,60})\)$/;
const unixVerdict = /^\[(Error|Warning)(?:\/([^\]\s]{1,200}))?\]$/;

/**
 * A line with the file, then its findings indented, until an empty line: ESLint's `stylish`, and with marks or columns of
 * their own stylelint, xo, yamllint, textlint, remark, solhint and spectral.
 */
export const headed: LineShape = (lines) => {
  const match = new Match();
  let file: string | undefined;
  let header = 0;
  for (const [at, line] of lines.entries()) {
    if (line === '') {
      // xo and textlint leave a line empty between the file and its findings.
      if (at !== header + 1) file = undefined;
      continue;
    }
    // remark's findings stand at the margin, as its files do.
    const atMargin = file !== undefined && entry.test(` ${line}`);
    if (
      (!/^\s/.test(line) && !atMargin) ||
      /^ {1,2}\S[^\s:]{0,400}\.\w{1,10}(?::\d{1,9}:\d{1,9})?$/.test(line)
    ) {
      const name = withoutLabel(line.trim()).replace(/:\d{1,9}:\d{1,9}$/, '');
      file = isPath(name) ? name : undefined;
      header = at;
      continue;
    }
    if (file === undefined) continue;
    const finding =
      readEntry(atMargin ? ` ${line}` : line, at, file) ??
      readTrailing(line, at, file) ??
      readPlaceless(line, at, file);
    if (finding === undefined) continue;
    match.add(finding);
    match.take(header, at + 1);
    header = at;
  }
  return match;
};

function readEntry(line: string, at: number, file: string): Finding | undefined {
  const [, row, column, endRow, endColumn, word, mark, text] = entry.exec(line) ?? [];
  if (text === undefined) return undefined;
  const spectral = /\.(?:ya?ml|json)$/.test(file) ? codeFirst.exec(text) : null;
  if (spectral !== null) {
    const [, rule, message = ''] = spectral;
    return {
      at,
      severity: severityOf(word ?? mark),
      message,
      tool: 'spectral',
      file,
      line: position(row),
      column: position(column),
      rule,
    };
  }
  const yaml = bracketed.exec(text);
  const parted =
    yaml === null ? splitRule(text) : { rule: yaml[1], message: text.slice(0, yaml.index).trim() };
  return {
    at,
    severity: severityOf(word ?? mark),
    message: parted.message,
    tool: yaml !== null ? 'yamllint' : mark !== undefined ? 'stylelint' : toolOf(file, parted),
    file,
    line: position(row),
    column: position(column),
    endLine: position(endRow),
    endColumn: position(endColumn),
    rule: parted.rule,
  };
}

function toolOf(file: string, { rule }: { rule?: string | undefined }): string {
  if (file.endsWith('.sol')) return 'solhint';
  if (/^[A-Za-z][\w-]{0,40}\.[A-Z]\w{0,40}$/.test(rule ?? '')) return 'vale';
  if (rule?.endsWith(')')) return 'oxlint';
  return /^ja-|^textlint/.test(rule ?? '') || (/\.(?:md|txt)$/.test(file) && rule === 'todo')
    ? 'textlint'
    : 'eslint';
}

/** xo's form: the mark, the position, the message, the rule. */
function readTrailing(line: string, at: number, file: string): Finding | undefined {
  const [, mark, row, column, text] = trailing.exec(line) ?? [];
  if (text === undefined) return undefined;
  return {
    at,
    severity: severityOf(mark),
    ...splitRule(text),
    tool: file.endsWith('.test-d.ts') ? 'tsd' : 'xo',
    file,
    line: position(row),
    column: position(column),
  };
}

/** stylelint's findings of a whole file have no position. */
function readPlaceless(line: string, at: number, file: string): Finding | undefined {
  const [, mark, text] = placeless.exec(line) ?? [];
  if (text === undefined || !/ {2,}\S+$/.test(text)) return undefined;
  return { at, severity: severityOf(mark), ...splitRule(text), tool: 'stylelint', file };
}

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
      severity: severityOf(verdict),
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
