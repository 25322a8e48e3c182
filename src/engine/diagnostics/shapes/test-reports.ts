import { type Finding, firstOf, type LineShape, Match, matchEach, type Place, position } from '../finding.ts';
import { placeAtEnd } from '../place.ts';
import { java, type Report, reports } from '../tools/test-runners.ts';

const libraries = /(?:^|\/)(?:vendor|gems|deps|ruby\/\d[\d.]*|Pods|packages\/.*\.framework)\//;
const javaLibraries =
  /^(?:java|javax|jdk|sun|kotlin|scala|groovy|org\.(?:junit|opentest4j|testng|assertj|hamcrest|mockito|gradle|apache\.maven|scalatest|spockframework|codehaus))\./;

const maxReport = 120;
const noise = /^\s*(?:[-=─_]{3,}|\d{1,6} ?[|│].*|>\s*\d{1,6} ?[|│].*|[|│].*|\.{2,}|#.*)?$/;

/** Those reports of test runners whose parts the table tells. */
export const testReports: LineShape = (lines) => {
  return matchEach(lines, (line, at) => {
    if (line.length < 4) return undefined;
    return firstOf(reports, (report) => {
      const title = report.title.exec(line);
      return title === null ? undefined : readReport(lines, at, report, title);
    });
  });
};

function readReport(lines: readonly string[], at: number, report: Report, title: RegExpExecArray) {
  if (report.next !== undefined && !report.next.test(lines[at + 1] ?? '')) return undefined;
  const words: string[] = [];
  const frames: Place[] = [];
  let told: string | undefined;
  // Where the place stands in the name's line, words follow it.
  let named = false;
  let to = at + 1;
  for (; to < lines.length && to < at + maxReport; to++) {
    const line = lines[to] ?? '';
    if (report.end.test(line)) break;
    const said = report.said?.exec(line)?.[1];
    const groups = report.place.exec(line)?.groups;
    if (groups?.file !== undefined) {
      frames.push(...placesOf(groups));
      named ||= frames.length > 0 && /^\S.* \[.*\]:?$/.test(line);
      if (report.placeSays || named) words.push(line.trim());
    } else if (told === undefined && said !== undefined) told = said;
    else if ((frames.length === 0 || named) && tells(line, report)) words.push(line.trim());
  }
  const own = titlePlace(title.groups);
  if (report.needsPlace && frames.length === 0 && own === undefined) return undefined;
  if (report.needsSaid && told === undefined) return undefined;
  const name = report.nameBelow
    ? testName(words.shift())
    : own?.file === title[1]
      ? undefined
      : title[1]?.trim();
  const count = report.words ?? 1;
  const text = (told === undefined ? words.slice(0, count) : [told, ...words.slice(0, count - 1)])
    .map((line) => line.replace(/^\[info\] *| \([\w$]{1,200}\.scala:\d{1,9}\)$/g, ''))
    .join(' ')
    .replace(/^Failure\/Error: /, '');
  const finding: Finding = {
    at,
    severity: 'error',
    message: [name, text || 'failed'].filter(Boolean).join(': '),
    tool: report.tool,
    ...(frames.length === 0 ? own : {}),
    frames: own === undefined ? frames : [...frames, own],
  };
  return { finding, to: Math.max(to, at + 1) };
}

function tells(line: string, { mute }: Report): boolean {
  return !noise.test(line) && !/^\s+at /.test(line) && !(mute?.test(line) ?? false);
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

const avaFailed = /^ {2}✘ \[fail\]: (.{1,300}?)(?: (?:Error|Rejected|Test|Did).{0,100})?$/;
const avaFrame =
  /^ {2,}(?:› |at ).{0,300}?\(?((?:file:\/\/)?\/?[^\s():]{1,500}\.[cm]?[jt]sx?):(\d{1,9}):(\d{1,9})\)?$/;

/** ava's failing tests: named first, told of below under their names. */
export const ava: LineShape = (lines) => {
  const match = new Match();
  const names = new Set(lines.flatMap((line) => avaFailed.exec(line)?.[1] ?? []));
  if (names.size === 0) return match;
  for (let at = 0; at < lines.length; at++) {
    const name = /^ {2}(\S.{0,300})$/.exec(lines[at] ?? '')?.[1];
    if (name === undefined || !names.has(name)) continue;
    names.delete(name);
    const frames: Place[] = [];
    const words: string[] = [];
    let to = at + 1;
    for (; to < lines.length && to < at + maxReport; to++) {
      const line = lines[to] ?? '';
      if (/^ {2}─|^ {2}\d+ tests? failed/.test(line) || names.has(line.trim())) break;
      const [, file, row, column] = avaFrame.exec(line) ?? [];
      if (file !== undefined) frames.push({ file, line: position(row), column: position(column) });
      else if (
        frames.length === 0 &&
        /^ {2}\S/.test(line) &&
        !/^ {2}(?:\S{1,300}:\d{1,9}|\d+:.*|.{0,60} thrown in test:|\w{1,40} \{|\})$/.test(line)
      )
        words.push(line.trim());
    }
    match.add({
      at,
      severity: 'error',
      message: `${name}: ${words.slice(0, 3).join(' ') || 'failed'}`,
      tool: 'ava',
      frames,
    });
    match.take(at, to);
    at = to - 1;
  }
  return match;
};

const rubyRaised =
  /^([^\s:]{1,500}\.(?:rb|rake|ru)):(\d{1,9}):in [`'].{1,200}': (.*) \(([A-Z][\w:]{1,100})\)$/;
const rubyFrame = /^\s+(?:\d{1,4}: )?from ([^\s:]{1,500}):(\d{1,9}):in /;

/** What a Ruby program died of. */
export const rubyStack: LineShape = (lines) => {
  const match = new Match();
  for (const [at, line] of lines.entries()) {
    const [, file, row, message, type] = rubyRaised.exec(line) ?? [];
    if (file === undefined) continue;
    const frames = [{ file, line: position(row) }];
    let to = at + 1;
    for (; to < lines.length; to++) {
      const [, outer, outerRow] = rubyFrame.exec(lines[to] ?? '') ?? [];
      if (outer === undefined) break;
      frames.push({ file: outer, line: position(outerRow) });
    }
    match.add({ at, severity: 'error', message: `${type}: ${message}`, tool: 'ruby', frames });
    match.take(at, to);
  }
  return match;
};
