import { type Finding, type LineShape, Match } from '../finding.ts';
import { isSourceFile, placeAtStart, withoutLabel } from '../place.ts';

const verdict = /^(fatal error|internal compiler error|error|warning)(?:\[([\w:-]{1,100})\])?: (.*)$/i;
const code = /^([A-Z]{1,5}\d{2,5}):? (.*)$/;
const linkerVerdict = /^(?:undefined reference to|multiple definition of|undefined symbol) /;
const driver =
  /^(?:\S*[\\/])?(?:[\w.-]+-)?(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+|cc1|cc1plus|collect2|ld(?:\.\w+)?|ld64\.lld)(?:-\d+)?(?:\.exe)?: (.*)$/;
const linkedPlace = /^((?:[A-Za-z]:(?=[\\/]))?[^:]+):(?:(\d{1,9})|\([^)]{1,100}\)): (.*)$/;

const cFamily = /\.(?:c|cc|cpp|cxx|c\+\+|cu|h|hh|hpp|hxx|inc|ipp|m|mm|s|y|l)$/i;

/**
 * `file:1:2: error: message [rule]`, which gcc and clang print and many tools after them (javac, mypy,
 * shellcheck, `rustc --error-format short`); flake8's and ruff's `file:1:2: E501 message`; and what a C
 * linker or compiler driver says without a place. Notes are left out.
 */
export const colon: LineShape = (lines) => {
  const match = new Match();
  for (const [at, printed] of lines.entries()) {
    const line = withoutLabel(printed);
    const finding = /^\s/.test(line) ? undefined : (atPlace(line) ?? linked(line));
    if (finding === undefined) continue;
    match.add({ ...finding, at });
    match.take(at);
  }
  return match;
};

type Unplaced = Omit<Finding, 'at'>;

function atPlace(line: string): Unplaced | undefined {
  const place = placeAtStart(line);
  if (place === undefined) return undefined;
  // Without a column, `db.internal:5432: error: …` looks the same: only a source file's name is believed.
  if (place.column === undefined && !isSourceFile(place.file)) return undefined;
  const { file, line: row, column, rest } = place;
  const [, word, bracketed, text] = verdict.exec(rest) ?? [];
  if (word !== undefined && text !== undefined) {
    const { message, rule } = splitRule(text);
    const severity = word.toLowerCase() === 'warning' ? 'warning' : 'error';
    return { severity, message, tool: toolOf(file), file, line: row, column, rule: bracketed ?? rule };
  }
  const [, rule, message] = column !== undefined && isSourceFile(file) ? (code.exec(rest) ?? []) : [];
  return rule === undefined || message === undefined
    ? undefined
    : { severity: 'error', message, file, line: row, column, rule };
}

/** `[-Wflag]` or `[check-name]` at the end of a message. */
function splitRule(text: string): { message: string; rule: string | undefined } {
  const open = text.endsWith(']') ? text.lastIndexOf(' [') : -1;
  const rule = open === -1 ? '' : text.slice(open + 2, -1);
  if (!/^[\w.,=+:/-]{1,100}$/.test(rule)) return { message: text, rule: undefined };
  return { message: text.slice(0, open), rule };
}

function toolOf(file: string): string | undefined {
  if (cFamily.test(file)) return 'cc';
  return file.endsWith('.rs') ? 'rustc' : undefined;
}

function linked(line: string): Unplaced | undefined {
  const said = driver.exec(line)?.[1];
  const [, word, , text] = said === undefined ? [] : (verdict.exec(said) ?? []);
  if (word !== undefined && text !== undefined) {
    return { severity: word.toLowerCase() === 'warning' ? 'warning' : 'error', message: text, tool: 'cc' };
  }
  const [, file, row, message] = linkedPlace.exec(said ?? line) ?? [];
  if (file === undefined || message === undefined || !linkerVerdict.test(message)) return undefined;
  return {
    severity: 'error',
    message,
    tool: 'cc',
    file: cFamily.test(file) ? file : undefined,
    line: cFamily.test(file) && row !== undefined ? Number(row) : undefined,
  };
}
