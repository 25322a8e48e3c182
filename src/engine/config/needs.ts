import type { Job, Scope, Standard } from '../../contract/config.ts';
import { nearest } from '../words/nearest.ts';
import { tableName } from './problems.ts';
import { quoted } from './quoted.ts';
import type { Reader } from './reader.ts';

/** Everything of a file that other tables may need, or measure. */
interface Producers {
  jobs: readonly Job[];
  scopes: readonly Scope[];
  standards: readonly Standard[];
}

/** One command that says what must pass before it. */
interface Consumer {
  /** As others name it: `jobs.test`, `scopes.web.gate`, `standards.coverage`. */
  selector: string;
  path: string[];
  needs: readonly string[];
  producer?: string;
  artifacts: readonly string[];
}

/**
 * Finds what `needs` and `producer` name and nobody has, what waits for itself, and an `artifact` that its maker does not
 * declare: such a command could never run, or never be measured.
 */
export function checkNeeds(reader: Reader, { jobs, scopes, standards }: Producers): void {
  const section = (name: string, older: readonly string[], now: string) =>
    [now, ...older].find((one) => reader.find(one, name) !== undefined) ?? now;
  const consumers: Consumer[] = [
    ...jobs.map(({ name, needs = [], artifacts = [] }) => ({
      selector: `jobs.${name}`,
      path: [section(name, ['capabilities', 'checks'], 'jobs'), name],
      needs,
      artifacts,
    })),
    ...scopes
      .filter(({ gate }) => gate !== undefined)
      .map(({ name, needs = [], artifacts = [] }) => ({
        selector: `scopes.${name}.gate`,
        path: ['scopes', name],
        needs,
        artifacts,
      })),
    ...standards.map(({ name, needs = [], producer, artifacts = [] }) => ({
      selector: `standards.${name}`,
      path: [section(name, ['ratchets'], 'standards'), name],
      needs,
      ...(producer !== undefined && { producer }),
      artifacts,
    })),
  ];
  const known = new Map(consumers.map((one) => [one.selector, one]));
  for (const { path, needs, producer } of consumers) {
    const named = [
      ...needs.map((selector) => ['needs', selector] as const),
      ...(producer === undefined ? [] : [['producer', producer] as const]),
    ];
    for (const [key, selector] of named) {
      // One that is there and wrong is told of where it stands.
      if (known.has(selector) || isDeclared(reader, selector)) continue;
      const entry = reader.find(...path, key);
      const meant = nearest(selector, [...known.keys()]);
      const advice = meant ? `did you mean "${meant}"?` : 'nothing that runs has that name';
      if (entry) {
        reader.problem(
          entry.key,
          [...path, key],
          `${tableName(path)}.${key} names ${quoted(selector)}; ${advice}`,
        );
      }
    }
  }
  checkArtifacts(reader, standards, known);
  const cycle = findCycle(known);
  const [first] = cycle;
  const place = first && known.get(first);
  const entry = place && (reader.find(...place.path, 'needs') ?? reader.find(...place.path, 'producer'));
  if (place && entry) {
    const round = [...cycle, first].join(' → ');
    reader.problem(
      entry.key,
      [...place.path, 'needs'],
      `these wait for one another, so none could run: ${round}`,
    );
  }
}

/** Whether a table has what a selector names, be it right or wrong. */
function isDeclared(reader: Reader, selector: string): boolean {
  const [table = '', ...rest] = selector.split('.');
  const older: Record<string, string[]> = { jobs: ['capabilities', 'checks'], standards: ['ratchets'] };
  return [table, ...(older[table] ?? [])].some((one) => reader.find(one, ...rest) !== undefined);
}

function checkArtifacts(
  reader: Reader,
  standards: readonly Standard[],
  known: ReadonlyMap<string, Consumer>,
): void {
  for (const { name, artifact, producer } of standards) {
    const maker = known.get(producer ?? `standards.${name}`);
    const path = known.get(`standards.${name}`)?.path ?? ['standards', name];
    const entry = reader.find(...path, 'artifact');
    if (artifact === undefined || !maker || !entry || maker.artifacts.includes(artifact)) continue;
    reader.problem(
      entry.key,
      [...path, 'artifact'],
      `${tableName(path)}.artifact is ${quoted(artifact)}, which is none of the artifacts of ${maker.selector}`,
    );
  }
}

/** The selectors of one round of commands that wait for one another; empty where there is none. */
function findCycle(known: ReadonlyMap<string, Consumer>): string[] {
  const done = new Set<string>();
  for (const start of known.keys()) {
    const way: string[] = [];
    const ahead: { selector: string; depth: number }[] = [{ selector: start, depth: 0 }];
    for (let next = ahead.pop(); next; next = ahead.pop()) {
      for (const left of way.splice(next.depth)) done.add(left);
      const { selector, depth } = next;
      const at = way.indexOf(selector);
      if (at !== -1) return way.slice(at);
      const one = known.get(selector);
      if (!one || done.has(selector)) continue;
      way.push(selector);
      const below = [...one.needs, ...(one.producer === undefined ? [] : [one.producer])];
      for (const need of below) ahead.push({ selector: need, depth: depth + 1 });
    }
    for (const left of way) done.add(left);
  }
  return [];
}
