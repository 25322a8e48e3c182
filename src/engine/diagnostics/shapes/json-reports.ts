import type { DocumentShape, Finding } from '../finding.ts';
import { readFields } from './json-fields.ts';
import { jsonObjects } from './json-objects.ts';
import { readTestRun } from './json-tests.ts';
import { type Json, object, text } from './json-values.ts';

/** Where such a document may begin: at a line's start, or behind what a runner puts there. */
const opening = /(?<=^|[\s:|])(?:\[\s{0,200}\{\s{0,1000}"|\{\s{0,1000}")[\w$:.\\/ -]{1,200}"\s{0,100}:/gm;

/**
 * The JSON that tools write for machines, the whole output or in its midst, a line each or over many: of linters and
 * compilers by the names of its fields, of test runners by the runner. `go test -json` is turned back into its text.
 */
export const jsonReports: DocumentShape = (whole) => {
  if (!whole.includes('{')) return { findings: [], rest: whole };
  const findings: Finding[] = [];
  const parts: string[] = [];
  const goOutput = new Map<string, string[]>();
  let from = 0;
  let at = 0;
  for (const { value, from: start, to } of jsonObjects(whole, opening)) {
    const output = goEvent(value, goOutput);
    const read = output ? [] : (readTestRun(value) ?? readFields(value));
    if (read === undefined) continue;
    // Orders those of several documents.
    for (const finding of read) findings.push({ ...finding, at: at++ });
    parts.push(whole.slice(from, start), '\n');
    from = to;
  }
  if (parts.length === 0) return { findings, rest: whole };
  parts.push(whole.slice(from), '\n');
  for (const output of goOutput.values()) parts.push(...output, '\n');
  return { findings, rest: parts.join('') };
};

const actions = new Set(
  'start run pause cont pass bench fail output skip build-output build-fail attr'.split(' '),
);

/** Takes in an event of `go test -json` or `go build -json`; packages may run at once, so that each keeps its own text. */
function goEvent(value: unknown, output: Map<string, string[]>): boolean {
  const { Action, Package, ImportPath, Output } = object(value) as Json;
  if (typeof Action !== 'string' || !actions.has(Action)) return false;
  const unit = text(Package) ?? text(ImportPath);
  if (unit === undefined) return false;
  const lines = output.get(unit) ?? [];
  output.set(unit, lines);
  if (typeof Output === 'string') lines.push(Output);
  return true;
}
