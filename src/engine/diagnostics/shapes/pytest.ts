import { type Finding, type LineShape, Match, position } from '../finding.ts';
import { isOwn, type Place, pythonFrame } from '../place.ts';

const section = /^={3,} (?:(FAILURES|ERRORS)|(short test summary info)|.{1,200}) ={3,}$/;
/** `-rA` and `-rP` show what passing tests printed. */
const passes = /^={3,} (?:PASSES|warnings summary|XPASSES|xfail) /;
const title = /^_{3,} (.{1,500}) _{3,}$/;
const captured = /^-{3,} (?:Captured|generated xml) .{1,200}-{3,}$/;
const crash = /^((?:[A-Za-z]:(?=[\\/]))?[^\s:][^:]{0,1000}\.py[xi]?):(\d{1,9}):(?: (.*))?$/;
const entry = /^(?:FAILED|ERROR) ((?:[A-Za-z]:(?=[\\/]))?[^\s:][^:]{0,1000}\.py)(?:::(\S.*))?$/;
const said = /^E {2,}(\S.*)$/;
const raised = /^([A-Za-z_][\w.]{0,200}(?:Error|Exception|Failed|Exit|Interrupt|Warning))(?:: |$)/;

/** How many reports and summary lines are joined; a run with more failing tests is counted no further. */
const maxReports = 5000;

/** A line of the short summary. */
interface Entry {
  at: number;
  file: string;
  name: string;
  message: string;
}

/** One test's report while it is being read. */
interface Block {
  at: number;
  name: string;
  messages: string[];
  places: Place[];
}

/**
 * pytest's reports in any `--tb` style, joined with its short summary. The blocks of failing tests are taken
 * whole, what they captured included; a summary line without a block (`--tb=no`) stands for itself.
 */
export const pytest: LineShape = (lines) => {
  const match = new Match();
  const blocks: Block[] = [];
  const entries: Entry[] = [];
  let mode: 'outside' | 'reports' | 'captured' | 'passes' = 'outside';
  let block: Block | undefined;

  for (const [at, line] of lines.entries()) {
    const header = section.exec(line);
    if (header !== null) {
      mode = header[1] !== undefined ? 'reports' : passes.test(line) ? 'passes' : 'outside';
      block = undefined;
      match.take(at);
      continue;
    }
    if (mode === 'passes') {
      match.take(at);
      continue;
    }
    const listed = readEntry(line);
    if (listed !== undefined) {
      if (entries.length < maxReports) entries.push({ at, ...listed });
      mode = 'outside';
      match.take(at);
      continue;
    }
    if (mode === 'outside') continue;
    match.take(at);
    const name = title.exec(line)?.[1];
    if (name !== undefined) {
      block = { at, name: testName(name), messages: [], places: [] };
      if (blocks.length < maxReports) blocks.push(block);
      mode = 'reports';
    } else if (block === undefined) {
      readLineStyle(line, at, match);
    } else if (captured.test(line)) {
      mode = 'captured';
    } else if (mode === 'reports') {
      readReport(line, block);
    }
  }
  report(match, blocks, entries);
  return match;
};

function readEntry(line: string): Omit<Entry, 'at'> | undefined {
  if (!/^(?:FAILED|ERROR) /.test(line)) return undefined;
  let dash = line.indexOf(' - ');
  // A parameter's id may hold ` - `, but only inside its brackets.
  if (/\[[^\]]*$/.test(line.slice(0, Math.max(dash, 0)))) dash = line.indexOf(' - ', line.indexOf('] - '));
  const [, file, name] = entry.exec(dash === -1 ? line : line.slice(0, dash)) ?? [];
  if (file === undefined) return undefined;
  return {
    file,
    // Reports join class and method with a dot; what a parameter holds stays as it is.
    name: name?.replace(/^[^[]*/, (path) => path.replaceAll('::', '.')) ?? file,
    message: dash === -1 ? '' : line.slice(dash + 3),
  };
}

/** `ERROR at setup of test_x` and `ERROR collecting test_b.py` without what is not the test's name. */
function testName(printed: string): string {
  return printed.replace(/^ERROR (?:at (?:setup|teardown) of|collecting) /, '');
}

function readReport(line: string, block: Block): void {
  const message = said.exec(line)?.[1];
  if (message !== undefined) {
    block.messages.push(message);
    return;
  }
  const [, file, row] = crash.exec(line) ?? [];
  if (file !== undefined) {
    block.places.push({ file, line: position(row), column: undefined });
    return;
  }
  const frame = pythonFrame(line);
  if (frame !== undefined) block.places.push({ file: frame.file, line: frame.line, column: undefined });
  // `--tb=native` ends a traceback in the exception, unmarked.
  else if (raised.test(line)) block.messages.push(line);
}

/** `--tb=line`: one line a failure and no titles; its paths are absolute, those a test logs need not be. */
function readLineStyle(line: string, at: number, match: Match): void {
  const [, file, row, message] = crash.exec(line) ?? [];
  if (file === undefined || message === undefined || !/^(?:[\\/]|[A-Za-z]:)/.test(file)) return;
  match.add({ at, severity: 'error', message, tool: 'pytest', file, line: position(row) });
}

function report(match: Match, blocks: readonly Block[], entries: readonly Entry[]): void {
  // `--tb=line` printed the places of failures whose names only the summary has.
  const placed = match.findings.slice(0, maxReports);
  const waiting = [...entries];
  for (const block of blocks) {
    const places = block.places.filter((place) => isOwn(place.file));
    const place = places.at(-1) ?? block.places.at(-1);
    const frames = places.toReversed();
    const index = waiting.findIndex(
      (listed) =>
        listed.name === block.name &&
        (place === undefined ||
          places.some((seen) => sameFile(seen.file, listed.file)) ||
          places.length === 0),
    );
    const [listed] = index === -1 ? [] : waiting.splice(index, 1);
    const message = block.messages.slice(0, 3).join(' ') || listed?.message || 'failed';
    match.add({
      at: block.at,
      severity: 'error',
      message: `${block.name}: ${message}`,
      tool: 'pytest',
      frames:
        listed === undefined
          ? frames.length > 0
            ? frames
            : block.places
          : [...frames, { file: listed.file }],
    });
  }
  for (const { at, file, name, message } of waiting) {
    const known = placed.findIndex((finding) => startsAlike(finding, file, message));
    const [twin] = known === -1 ? [] : placed.splice(known, 1);
    if (twin !== undefined) twin.message = `${name}: ${twin.message}`;
    else
      match.add({ at, severity: 'error', message: `${name}: ${message || 'failed'}`, tool: 'pytest', file });
  }
}

function startsAlike(finding: Finding, file: string, message: string): boolean {
  const stem = message.replace(/\.\.\.$/, '');
  return finding.message.startsWith(stem) && sameFile(finding.file ?? '', file);
}

/** Whether one printed path ends in the other: pytest prints absolute and relative names of one file. */
function sameFile(a: string, b: string): boolean {
  const [x, y] = [a, b].map((path) => path.replaceAll('\\', '/').replace(/^\.\//, ''));
  return x === y || `${x}`.endsWith(`/${y}`) || `${y}`.endsWith(`/${x}`);
}
