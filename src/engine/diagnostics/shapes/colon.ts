import { type Finding, type LineShape, Match, type Note, severityOf } from '../finding.ts';
import { isSourceFile, placeAtEnd, placeAtStart, withoutLabel } from '../place.ts';

const verdict =
  /^(fatal error|internal compiler error|error|warning|note|remark|info|style)(?:\[([\w:-]{1,100})\])?: (.*)$/i;
const code = /^([A-Z]{1,6}\d{2,5}):? (?:\[\*\] )?(.*)$/;
const linkerVerdict = /^(?:undefined reference to|multiple definition of|undefined symbol) /;
const linkerSummary =
  /^(?:\S*[\\/])?(?:collect2|clang|clang\+\+|gcc|g\+\+|cc)(?:-\d+)?: error: (?:ld returned \d+ exit status|linker command failed)/;
const driver =
  /^(?:\S*[\\/])?(?:[\w.-]+-)?(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+|cc1|cc1plus|collect2|ld(?:\.\w+)?|ld64\.lld)(?:-\d+)?(?:\.exe)?: (.*)$/;
const linkedPlace = /^((?:[A-Za-z]:(?=[\\/]))?[^:]+):(?:(\d{1,9})|\([^)]{1,100}\)): (.*)$/;
const included = /^(?:In file included from|\s{17,22}from) (\S.{0,1000}?)[,:]$/;
const underline = /^\s*(?:\d{0,7} ?\|)? *(?:~*)(\^)(~*)(?:\s.*)?$/;

const cFamily = /\.(?:c|cc|cpp|cxx|c\+\+|cu|h|hh|hpp|hxx|inc|ipp|m|mm|s|y|l)$/i;

/** How far below its finding a note stands, the quoted source between them. */
const maxToNote = 40;

/**
 * `file:1:2: error: message [rule]`, which gcc and clang print and many tools after them (javac, swiftc, clang-tidy,
 * cppcheck, shellcheck, actionlint, `rustc --error-format short`); flake8's `file:1:2: E501 message`; and what a C linker or
 * compiler driver says without a place. Notes, and the files that include the one at fault, are related places.
 */
export const colon: LineShape = (lines) => {
  const match = new Match();
  const flake8 = lines.some((line) => /^[^:]{1,500}\.pyi?:\d{1,9}:\d{1,9}: [FCNBDSQT]\d{3} /.test(line));
  const ruff = lines.some((line) => /^(?:Found \d{1,6} errors?\.|\[\*\] \d{1,6} fixable)/.test(line));
  let last: Finding | undefined;
  let from: Note[] = [];
  for (const [at, printed] of lines.entries()) {
    const line = withoutLabel(printed);
    const outer = included.exec(line)?.[1];
    const place = outer === undefined ? undefined : placeAtEnd(outer);
    if (place !== undefined) {
      from.push({ message: 'Included here.', ...place });
      continue;
    }
    if (/^\s/.test(line) || line === '') continue;
    const note = noteOf(line);
    if (note !== undefined) {
      if (last !== undefined && at - last.at <= maxToNote) {
        last.related = [...(last.related ?? []), note];
        match.take(at);
      }
      continue;
    }
    // The linker's driver sums up what the linker has said.
    if (last?.tool === 'cc' && linkerSummary.test(line)) {
      match.take(at);
      continue;
    }
    const finding = atPlace(line, ruff ? 'ruff' : flake8 ? 'flake8' : undefined) ?? linked(line);
    if (finding === undefined) continue;
    last = { ...finding, at, ...endOf(finding, lines, at), related: from.length > 0 ? from : undefined };
    from = [];
    match.add(last);
    match.take(at);
  }
  return match;
};

type Unplaced = Omit<Finding, 'at'>;

function noteOf(line: string): Note | undefined {
  const place = placeAtStart(line);
  const [, word, , message] = place === undefined ? [] : (verdict.exec(place.rest) ?? []);
  if (
    place === undefined ||
    word === undefined ||
    message === undefined ||
    !/^(?:note|remark)$/i.test(word) ||
    / \[SC\d{4}\]$/.test(message)
  )
    return undefined;
  return { message, file: place.file, line: place.line, column: place.column };
}

/** gcc and clang underline what they mean: caret and tildes, right below the source. */
function endOf({ file, line, column }: Unplaced, lines: readonly string[], at: number) {
  if (file === undefined || line === undefined || column === undefined || !cFamily.test(file)) return {};
  const [, caret, tildes = ''] = underline.exec(lines[at + 2] ?? '') ?? [];
  return caret === undefined || tildes === '' ? {} : { endLine: line, endColumn: column + 1 + tildes.length };
}

function atPlace(line: string, linter: string | undefined): Unplaced | undefined {
  const place = placeAtStart(line);
  if (place === undefined) return undefined;
  // Without a column, `db.internal:5432: error: …` looks the same: only a source file's name is believed.
  if (place.column === undefined && !isSourceFile(place.file)) return undefined;
  const { file, line: row, column, rest } = place;
  const [, word, bracketed, text] = verdict.exec(rest) ?? [];
  if (word !== undefined && text !== undefined) {
    const { message, rule } = splitRule(text);
    const tool = toolOf(file, bracketed ?? rule);
    return {
      severity: severityOf(word),
      message,
      tool,
      file,
      line: row,
      column,
      rule: bracketed ?? rule,
      doubtful: true,
    };
  }
  const [, rule, message] = isSourceFile(file) ? (code.exec(rest) ?? []) : [];
  if (rule === undefined || message === undefined) return undefined;
  const tool = /\.(?:pyi?|ipynb)$/.test(file) ? linter : undefined;
  return { severity: 'error', message, tool, file, line: row, column, rule, doubtful: true };
}

/** `[-Wflag]` or `[check-name]` at the end of a message. */
function splitRule(text: string): { message: string; rule: string | undefined } {
  const open = text.endsWith(']') ? text.lastIndexOf(' [') : -1;
  const rule = open === -1 ? '' : text.slice(open + 2, -1);
  if (!/^[\w.,=+:/-]{1,100}$/.test(rule)) return { message: text, rule: undefined };
  return { message: text.slice(0, open).trimEnd(), rule: rule.replace(/,-warnings-as-errors$/, '') };
}

const tidy =
  /^(?:abseil|altera|android|boost|bugprone|cert|clang-(?:analyzer|diagnostic)|concurrency|cppcoreguidelines|fuchsia|google|hicpp|linuxkernel|llvm|llvmlibc|misc|modernize|mpi|objc|openmp|performance|portability|readability|zircon)-/;

function toolOf(file: string, rule = ''): string | undefined {
  if (/^SC\d{4}$/.test(rule)) return 'shellcheck';
  if (tidy.test(rule)) return 'clang-tidy';
  if (cFamily.test(file)) return /^[a-z]+[A-Z]\w*$/.test(rule) ? 'cppcheck' : 'cc';
  if (file.endsWith('.java')) return 'javac';
  if (file.endsWith('.swift')) return 'swiftc';
  if (/\.kts?$/.test(file)) return 'kotlinc';
  return file.endsWith('.rs') ? 'rustc' : undefined;
}

function linked(line: string): Unplaced | undefined {
  const said = driver.exec(line)?.[1];
  const [, word, , text] = said === undefined ? [] : (verdict.exec(said) ?? []);
  if (word !== undefined && text !== undefined)
    return { severity: severityOf(word), message: text, tool: 'cc' };
  const [, file, row, message] = linkedPlace.exec(said ?? line) ?? [];
  if (file === undefined || message === undefined || !linkerVerdict.test(message)) return undefined;
  // The linker names an object's source without its directory, or the object itself.
  const source = cFamily.test(file);
  return {
    severity: 'error',
    message,
    tool: 'cc',
    file: source ? file : undefined,
    line: source && row !== undefined ? Number(row) : undefined,
  };
}
