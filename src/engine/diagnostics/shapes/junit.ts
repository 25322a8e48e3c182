import { SaxesParser } from 'saxes';
import { plain } from '../clean.ts';
import { type DocumentShape, type Finding, position } from '../finding.ts';
import { fromFileUri } from '../locate.ts';
import { isOwn, type Place, placeAtStart, pythonFrame, scriptFrame } from '../place.ts';

const opening = /<testsuites?[\s>]/;
/** How much is read at a time, and after how many errors of form what follows is no longer taken for XML. */
const chunk = 16_384;
const maxBroken = 1000;
const maxText = 8192;
const maxPlaces = 200;

type Attributes = Readonly<Record<string, string>>;

/** A test case, or a suite that failed on its own account, while it is being read. */
interface Case {
  attributes: Attributes;
  problem?: { attributes: Attributes; text: string };
  skipped: boolean;
}

/**
 * JUnit XML as written by pytest, mocha, node, jest, Maven and others: every failure and error of a case
 * that is not skipped. The document may stand among other output and may break off anywhere.
 */
export const junit: DocumentShape = (text) => {
  const start = opening.exec(text);
  if (start === null) return { findings: [], rest: text };
  const closing = text.lastIndexOf('</testsuite');
  const end = closing === -1 ? -1 : text.indexOf('>', closing);
  const to = end < start.index ? text.length : end + 1;
  const xml = text.slice(start.index, to);
  const strict = readSuites(xml);
  const findings = strict.broken ? readSuites(mended(xml)).findings : strict.findings;
  // Something else that merely speaks of suites is left to the other shapes.
  if (findings.length === 0) return { findings, rest: text };
  const before = text.slice(0, start.index).replace(/<\?xml[^>]{0,200}>\s*$/, '');
  return { findings, rest: `${before}\n${text.slice(to)}` };
};

function readSuites(xml: string): { findings: Finding[]; broken: boolean } {
  const findings: Finding[] = [];
  // Fragments may hold several suites in a row; with a handler, errors of form do not stop the parser.
  const parser = new SaxesParser({ fragment: true, position: false, xmlns: false } as const);
  const suites: Attributes[] = [];
  let current: Case | undefined;
  let inProblem = false;

  const say = (text: string) => {
    if (!inProblem || current?.problem === undefined) return;
    if (current.problem.text.length < maxText) current.problem.text += text.slice(0, maxText);
  };
  const finish = (done: Case) => {
    const finding = read(done, suites.at(-1));
    if (finding !== undefined) findings.push(finding);
  };

  let broken = 0;
  parser.on('error', () => {
    broken++;
  });
  parser.on('text', say);
  parser.on('cdata', say);
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testsuite') suites.push(attributes);
    else if (name === 'testcase') current = { attributes, skipped: false };
    else if (name === 'skipped' && current !== undefined) current.skipped = true;
    else if (name === 'failure' || name === 'error') {
      current ??= { attributes: suites.at(-1) ?? {}, skipped: false };
      current.problem ??= { attributes, text: '' };
      inProblem = true;
    }
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'failure' || name === 'error') inProblem = false;
    if (name === 'testsuite') suites.pop();
    if (current !== undefined && (name === 'testcase' || name === 'testsuite')) {
      finish(current);
      current = undefined;
    }
  });
  for (let from = 0; from < xml.length && broken < maxBroken; from += chunk) {
    parser.write(xml.slice(from, from + chunk));
  }
  // Where the document breaks off, the case being told of counts.
  if (current !== undefined) finish(current);
  return { findings, broken: broken > 0 };
}

/** With what careless writers leave unescaped (terminal colours, bare `&` and `<`) made into text. */
function mended(xml: string): string {
  return plain(xml)
    .replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,4});)/gi, '&amp;')
    .replace(/<(?![A-Za-z/!?])/g, '&lt;');
}

function read({ attributes, problem, skipped }: Case, suite: Attributes | undefined): Finding | undefined {
  if (problem === undefined || skipped) return undefined;
  const lines = problem.text.split('\n').map((line) => line.trimEnd());
  const said =
    problem.attributes.message?.trim() || lines.find((line) => line.trim() !== '')?.trim() || 'failed';
  return {
    at: 0,
    severity: 'error',
    message: `${nameOf(attributes)}: ${said}`,
    tool: 'junit',
    rule: undefined,
    ...placeOf(attributes, suite, lines),
  };
}

function nameOf({ classname, name }: Attributes): string {
  if (classname === undefined || classname === '') return name || 'A test without a name';
  if (name === undefined || name === '') return classname;
  if (name.startsWith(classname) && /^(?:$|\W)/.test(name.slice(classname.length))) return name;
  return `${classname} > ${name}`;
}

/**
 * The case's own `file` and `line`, made exact by what the failure's text says of that file: writers disagree
 * on whether `line` counts from 0, and mean the test's first line rather than the one that failed.
 */
function placeOf(attributes: Attributes, suite: Attributes | undefined, lines: readonly string[]) {
  const file = attributes.file || suite?.file || suite?.filepath;
  const places = placesIn(lines).filter((place) => isOwn(place.file));
  if (file === undefined || file === '') return places[0] ?? {};
  const same = places.find((place) => endsIn(place.file, file) || endsIn(file, place.file));
  if (same !== undefined) return { ...same, file };
  return { file, line: position(attributes.line ?? attributes.lineno) };
}

function endsIn(longer: string, shorter: string): boolean {
  const [x, y] = [longer, shorter].map((path) =>
    fromFileUri(path).replaceAll('\\', '/').replace(/^\.\//, ''),
  );
  return x === y || `${x}`.endsWith(`/${y}`);
}

/**
 * Places in a failure's text, the likeliest cause first: outermost own frame of JavaScript, innermost of
 * Python.
 */
function placesIn(lines: readonly string[]): Place[] {
  let scripts: Place[] = [];
  const others: Place[] = [];
  for (const line of lines.slice(0, maxPlaces)) {
    // Node wraps the error of a subtest in one of its own; the cause tells where it rose.
    if (/^\s*\[?cause\]?: /.test(line)) scripts = [];
    const frame = scriptFrame(line);
    if (frame?.file !== undefined) scripts.push(frame);
    const other = pythonFrame(line) ?? placeAtStart(line.replace(/(:\d{1,9}):?$/, '$1: '));
    if (other !== undefined) others.push(other);
  }
  return [...scripts, ...others.toReversed()].map(({ file, line, column }) => ({ file, line, column }));
}
