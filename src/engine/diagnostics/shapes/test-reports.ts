import { type Finding, firstOf, type LineShape, Match, matchEach, type Place, position } from '../finding.ts';
import { placeAtEnd } from '../place.ts';

/** How a runner reports a failing test: its title, and below it, within some lines, words and places. */
interface Report {
  tool: string;
  /** Group 1 is the test's name; a group `file` (and `line`) is its place where none is told below. */
  title: RegExp;
  /** Group 1 is what failed: its first match, or else the first line that says something. */
  said?: RegExp;
  /** Lines that say nothing. */
  mute?: RegExp;
  /** Groups file, line, column. */
  place: RegExp;
  /** The last frame that fits is nearest to the cause, not the first. */
  last?: boolean;
  /** Ends the report. */
  end: RegExp;
  /** How many lines of words join the message. */
  words?: number;
  /** The title alone is no sure sign: without a place it is none. */
  needsPlace?: boolean;
}

const java =
  /^\s+at (?:app\/\/|[\w.-]{1,60}(?:@[\w.]{1,40})?\/)?(?<type>[\w$.]{1,300})\.[\w$<>]{1,200}\((?<file>[\w$]{1,200}\.(?:java|kt|scala|groovy)):(?<line>\d{1,9})\)$/;
const libraries = /(?:^|\/)(?:vendor|gems|deps|ruby\/\d[\d.]*|Pods|packages\/.*\.framework)\//;
const javaLibraries =
  /^(?:java|javax|jdk|sun|kotlin|scala|groovy|org\.(?:junit|opentest4j|testng|assertj|hamcrest|mockito|gradle|apache\.maven|scalatest|spockframework|codehaus))\./;

const reports: readonly Report[] = [
  {
    tool: 'phpunit',
    title: /^\d{1,6}\) ([\w\\]{1,300}::\S.{0,300})$/,
    place: /^(?<file>\S[^:]{0,500}(?::[\\/][^:]{0,500})?\.php):(?<line>\d{1,9})$/,
    end: /^(?:\d{1,6}\) |FAILURES!|ERRORS!|OK, but|Tests: |--$|There (?:was|were) )/,
    words: 1,
  },
  {
    tool: 'pest',
    title: /^\s{2,3}(?:FAILED|• )\s{1,4}(\S.{0,300}?)(?: {2,}\S.{0,100})?$/,
    place: /^\s{2,4}at (?<file>\S[^:]{0,500}\.php):(?<line>\d{1,9})$/,
    end: /^\s{2,3}(?:FAILED|Tests:)/,
    words: 1,
    needsPlace: true,
  },
  {
    tool: 'exunit',
    title: /^ {2}\d{1,6}\) ((?:test|doctest|property) .{1,300})$/,
    mute: /^\s+\S{1,300}\.exs?:\d{1,9}$/,
    place: /^\s{6,}(?:\([^)]{1,100}\) )?(?<file>[^\s:]{1,500}\.exs?):(?<line>\d{1,9}): /,
    end: /^(?: {2}\d{1,6}\) |Finished in |\.+$)/,
    words: 1,
  },
  {
    tool: 'rspec',
    title: /^ {2}\d{1,6}\) (\S.{0,300})$/,
    said: /^ {5}Failure\/Error: (.*)$/,
    place: /^\s{5,}# (?<file>[^\s:]{1,500}\.rb):(?<line>\d{1,9})(?::in .*)?$/,
    end: /^(?: {2}\d{1,6}\) |Finished in |Failed examples:|\d+ examples?, )/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'minitest',
    title: /^\s{1,4}\d{1,6}\) (?:Failure|Error):\s*$/,
    place: /^(?:\s+|.{1,300}\[)(?<file>[^\s:[\]]{1,500}\.rb):(?<line>\d{1,9})(?:\]:?|:in .*)?$/,
    end: /^(?:\s{1,4}\d{1,6}\) |\d+ runs, )/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'rails',
    title: /^(?:Failure|Error):$/,
    place: /^(?:\s+|.{1,300}\[)(?<file>[^\s:[\]]{1,500}\.rb):(?<line>\d{1,9})(?:\]:?|:in .*)?$/,
    end: /^(?:Failure|Error):$|^\d+ runs, |^bin\/rails test/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'dotnet',
    title: /^\s{1,4}(?:Failed|X|✗|×) (\S.{0,300}?)(?: \[.{1,30}\])?$/,
    mute: /^\s*(?:Error Message|Stack Trace|Standard Output Messages?):$/,
    place: /^\s{3,}at .{1,500} in (?<file>\S.{0,500}):line (?<line>\d{1,9})$/,
    end: /^(?:\s{1,4}(?:Failed|Passed|Skipped) |Failed! |Total tests)/,
    words: 3,
    needsPlace: true,
  },
  {
    tool: 'surefire',
    title: /^\[ERROR\] ([\w$.]{1,300}(?:\(.{0,200}\))?) +(?:--|Time elapsed).*<<< (?:FAILURE|ERROR)!$/,
    place: java,
    end: /^\[(?:ERROR|INFO)\] /,
    words: 1,
  },
  {
    tool: 'gradle',
    title: /^(\S.{0,300} > .{1,300}) FAILED$/,
    place: java,
    end: /^\S/,
    words: 1,
  },
  {
    tool: 'googletest',
    title:
      /^(?<file>(?:[A-Za-z]:)?[^:\s(][^:(]{0,500})(?::(?<line>\d{1,9}): Failure|\((?<row>\d{1,9})\): error: .*)$/,
    place: /^(?!)/,
    end: /^(?:\[|\S[^:]{0,500}:\d{1,9}: Failure$)/,
    words: 4,
  },
  {
    tool: 'catch2',
    title: /^(?<file>(?:[A-Za-z]:)?[^:\s][^:]{0,500}):(?<line>\d{1,9}): FAILED:$/,
    place: /^(?!)/,
    end: /^(?:[-=.]{5,}|\S[^:]{0,500}:\d{1,9}: )/,
    words: 4,
  },
  {
    tool: 'busted',
    title: /^(?:Failure|Error) (?:→|->) (?<file>\S{1,500}) @ (?<line>\d{1,9})$/,
    place: /^(?<file>[^\s:]{1,500}\.(?:lua|moon)):(?<line>\d{1,9}): /,
    end: /^(?:Failure|Error) (?:→|->) /,
    words: 2,
  },
  {
    tool: 'testthat',
    title:
      /^(?:──|--) (?:Failure|Error) \('(?<file>[^':]{1,300})(?::(?<line>\d{1,9}))?(?::\d{1,9})?'\)(?::? .*?)?[─-]*$/,
    place: /^(?!)/,
    end: /^(?:──|--|\[ FAIL)/,
    words: 3,
  },
  {
    tool: 'hspec',
    title:
      /^ {2}(?<file>[^\s:]{1,500}\.l?hs):(?<line>\d{1,9}):(?<column>\d{1,9}): $|^ {2}(?<file2>[^\s:]{1,500}\.l?hs):(?<line2>\d{1,9}):(?<column2>\d{1,9}):$/,
    place: /^(?!)/,
    end: /^ {2}To rerun|^ {2}\S{1,500}\.l?hs:\d|^Randomized/,
    words: 4,
  },
  {
    tool: 'scalatest',
    title: /^(?:\[info\] )?\s*- (\S.{0,300}) \*\*\* FAILED \*\*\*(?: \(.{1,40}\))?$/,
    place: /\((?<file>[\w$]{1,200}\.scala):(?<line>\d{1,9})\)$/,
    end: /^(?:\[info\] )?\s*- |^(?:\[info\] )?(?:Run completed|Tests:)/,
    words: 1,
  },
  {
    tool: 'cucumber',
    title: /^(?:\d{1,6}\) )?(Scenario: .{1,300}?) # (?<file>[^\s:]{1,500}\.feature):(?<line>\d{1,9})$/,
    said: /^\s{6,}(\w{0,60}(?:Error|Exception|expected).*)$/,
    place:
      /^\s{3,}[✖x] .{1,300} # (?!)$|^\s{6,}at .{0,200}?\(?(?<file>(?:file:\/\/)?[^\s():]{1,500}):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?\)?$/,
    end: /^(?:\d{1,6}\) Scenario|\d+ scenarios?)/,
    needsPlace: true,
  },
  {
    tool: 'deno',
    title: /^(\S.{0,300}) => (?<file>\S{1,500}?):(?<line>\d{1,9}):(?<column>\d{1,9})$/,
    said: /^error: (.*)$/,
    place: /^\s{4,}at .{0,300}?\(?(?<file>file:\/\/\S{1,500}?):(?<line>\d{1,9}):(?<column>\d{1,9})\)?$/,
    end: /^(?:\S.{0,300} => \S{1,500}:\d|\s?FAILURES|FAILED \|)/,
    needsPlace: true,
  },
  {
    tool: 'ava',
    title: /^ {2}(?!\d)(\S.{0,200})$/,
    place:
      /^\s{2,}(?:› |at ).{0,300}?\(?(?<file>(?:file:\/\/)?\/?[^\s():]{1,500}\.[cm]?[jt]sx?):(?<line>\d{1,9}):(?<column>\d{1,9})\)?$/,
    end: /^ {2}─|^\s{2}\d+ tests? failed/,
    words: 1,
    needsPlace: true,
  },
];

const maxReport = 120;
const noise = /^\s*(?:[-=─_]{3,}|\d{1,6} ?[|│].*|>\s*\d{1,6} ?[|│].*|[|│].*|\.{2,}|#.*)?$/;

/** Those reports of test runners whose parts the table tells. */
export const testReports: LineShape = (lines) => {
  // A line of four words looks like an ava title: only where ava sums up.
  const ava =
    lines.some((line) => /^ {2}\d{1,6} tests? failed/.test(line)) &&
    lines.some((line) => /^ {2}✘ \[fail\]: /.test(line));
  const table = reports.filter((report) => report.tool !== 'ava' || ava);
  return matchEach(lines, (line, at) => {
    if (line.length < 4) return undefined;
    return firstOf(table, (report) => {
      const title = report.title.exec(line);
      return title === null ? undefined : readReport(lines, at, report, title);
    });
  });
};

function readReport(lines: readonly string[], at: number, report: Report, title: RegExpExecArray) {
  const words: string[] = [];
  const frames: Place[] = [];
  let told: string | undefined;
  let to = at + 1;
  for (; to < lines.length && to < at + maxReport; to++) {
    const line = lines[to] ?? '';
    if (report.end.test(line)) break;
    const groups = report.place.exec(line)?.groups;
    if (groups?.file !== undefined) {
      frames.push(...placesOf(groups));
      if (report.tool === 'scalatest')
        words.push(
          line
            .trim()
            .replace(/^\[info\] */, '')
            .replace(/ \([\w$]{1,200}\.scala:\d{1,9}\)$/, ''),
        );
      continue;
    }
    const said = report.said?.exec(line)?.[1];
    if (told === undefined && said !== undefined) told = said;
    else if (
      frames.length === 0 &&
      !noise.test(line) &&
      !(report.mute?.test(line) ?? false) &&
      !/^\s+at /.test(line)
    )
      words.push(line.trim());
  }
  const own = titlePlace(title.groups);
  if (frames.length === 0 && own === undefined && report.needsPlace) return undefined;
  const name =
    title[1] === undefined || own?.file === title[1]
      ? report.tool === 'minitest' || report.tool === 'rails'
        ? testName(words.shift())
        : undefined
      : title[1].trim();
  const count = report.words ?? 1;
  const text = (told === undefined ? words.slice(0, count) : [told, ...words.slice(0, count - 1)])
    .join(' ')
    .replace(/^Failure\/Error: /, '');
  const ordered = report.last ? frames.reverse() : frames;
  const finding: Finding = {
    at,
    severity: 'error',
    message: [name, text || 'failed'].filter(Boolean).join(': '),
    tool: report.tool,
    ...(frames.length === 0 ? own : {}),
    frames: own === undefined ? ordered : [...ordered, own],
  };
  return { finding, to: Math.max(to, at + 1) };
}

function titlePlace(groups: Record<string, string> | undefined): Place | undefined {
  const file = groups?.file ?? groups?.file2;
  if (file === undefined) return undefined;
  const line = position(groups?.line ?? groups?.line2 ?? groups?.row);
  return { file, line, column: position(groups?.column ?? groups?.column2) };
}

function placesOf({ type, file = '', line, column }: Record<string, string>): Place[] {
  const at = { line: position(line), column: position(column) };
  if (type === undefined) return libraries.test(file) ? [] : [{ file, ...at }];
  if (javaLibraries.test(type)) return [];
  const folder = type.split('.').slice(0, -1).join('/');
  return [...(folder === '' ? [] : [{ file: `${folder}/${file}`, ...at }]), { file, ...at }];
}

/** minitest's `CalcTest#test_adds [test/calc_test.rb:5]:` without the place. */
function testName(printed: string | undefined): string | undefined {
  return printed?.replace(/ ?\[[^\]]{1,500}\]:?$/, '').replace(/:$/, '');
}

const summary =
  /^\[ERROR\] {2,}(?:[\w$.]{1,300}\.)?([A-Z][\w$]{0,200})\.(\w{1,200})(?:[({].{0,200})?:(\d{1,9})(?:->.{0,200}?)? +(?:»\s*)?(.*)$/;
const exception =
  /^(?:Exception in thread "[^"]{1,200}" |Caused by: )([\w$.]{1,300}(?:Exception|Error|Throwable)\b(?:: .*)?)$/;

/** Surefire's summary of failing tests, which names the class and the line. */
export const surefireSummary: LineShape = (lines) => {
  const match = new Match();
  for (const [at, line] of lines.entries()) {
    const [, type, test, row, message] = summary.exec(line) ?? [];
    if (type === undefined || message === undefined) continue;
    const name = type.replace(/\$.*$/, '');
    const frames = ['java', 'kt', 'groovy', 'scala'].map((kind) => ({
      file: `${name}.${kind}`,
      line: position(row),
    }));
    match.add({ at, severity: 'error', message: `${type}.${test}: ${message}`, tool: 'surefire', frames });
    match.take(at);
  }
  return match;
};

/** What a Java program died of. */
export const javaStack: LineShape = (lines) =>
  matchEach(lines, (line, at) => {
    const said = exception.exec(line)?.[1];
    if (said === undefined || line.startsWith('Caused by')) return undefined;
    const frames: Place[] = [];
    let to = at + 1;
    for (; to < lines.length && /^\s+(?:at |\.\.\. )|^Caused by: /.test(lines[to] ?? ''); to++) {
      const groups = java.exec(lines[to] ?? '')?.groups;
      if (groups !== undefined) frames.push(...placesOf(groups));
    }
    return { finding: { at, severity: 'error', message: said, tool: 'java', frames }, to };
  });

const bunFail = /^\(fail\) (.{1,300}?)(?: \[[\d.]{1,12}m?s\])?$/;
const babel =
  /^\s{4}(SyntaxError|Error|TypeError): (\S[^:]{0,500}(?::[\\/][^:]{0,500})?): (.{1,500}) \((\d{1,9}):(\d{1,9})\)$/;

/** bun's failing tests, whose names stand below their stacks, and files that jest could not read. */
export const scriptReports: LineShape = (lines) => {
  const match = new Match();
  let said: { at: number; message: string } | undefined;
  let frames: Place[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, kind, file, message, row, column] = babel.exec(line) ?? [];
    if (file !== undefined && message !== undefined) {
      const place = { file, line: position(row), column: position(column) };
      let to = at + 1;
      while (
        to < lines.length &&
        to < at + maxReport &&
        !/^(?:\S| {2}● | (?:FAIL|PASS) )/.test(lines[to] ?? '')
      )
        to++;
      let from = at;
      while (
        from > 0 &&
        at - from < 3 &&
        ((lines[from - 1] ?? '') === '' || (lines[from - 1] ?? '').startsWith('  ● '))
      )
        from--;
      match.add({ at, severity: 'error', message: `${kind}: ${message}`, tool: 'jest', ...place });
      match.take(from, to);
      at = to - 1;
      continue;
    }
    if (/^(?:error: |\w{1,40}Error: )/.test(line)) {
      said = { at, message: line.replace(/^error: /, '') };
      frames = [];
      continue;
    }
    if (said !== undefined && /^\s{4,}at /.test(line)) {
      const place = placeAtEnd(line.replace(/\)$/, '').replace(/^\s+at (?:.{0,300}? \()?/, ''));
      if (place !== undefined) frames.push(place);
      continue;
    }
    const name = bunFail.exec(line)?.[1];
    if (name === undefined) continue;
    match.add({
      at: said?.at ?? at,
      severity: 'error',
      tool: 'bun',
      message: `${name}: ${said?.message ?? 'failed'}`,
      frames,
    });
    match.take(said?.at ?? at, at + 1);
    said = undefined;
    frames = [];
  }
  return match;
};
