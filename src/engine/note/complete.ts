import type { Config } from '../../contract/config.ts';
import { standardJob } from '../config/standard-names.ts';
import { changedPaths } from '../git/diff.ts';
import { fullName, resolveCommit } from '../git/refs.ts';
import { generatedJob } from '../jobs/generated.ts';
import { classify, insideProject } from '../jobs/scopes.ts';
import { scopeJob } from '../jobs/selectors.ts';
import type { Statement } from './statement.ts';

/**
 * What a statement leaves out that a gate of its tree runs, in words: a job, a generator, a standard that each `done` measures, or
 * the gate of a scope that differs from the trunk it names. `undefined` where it is complete.
 */
export async function missingOf(
  cwd: string,
  { jobs, generated, standards, scopes }: Config,
  { tree, project: prefix }: { tree: string; project: string },
  statement: Statement,
): Promise<string | undefined> {
  const { trunk, trunk_commit: base, jobs: stated } = statement.predicate.discern;
  const named = new Set(stated.map(({ name }) => name));
  const always = [
    ...jobs.map(({ name }) => name),
    ...generated.map(({ name }) => generatedJob(name)),
    ...standards.filter(({ measure }) => measure !== 'on-demand').map(({ name }) => standardJob(name)),
  ];
  const missing = always.find((name) => !named.has(name));
  if (missing !== undefined) return `it does not name the job ${missing}`;
  if (scopes.every(({ name, gate }) => gate === undefined || named.has(scopeJob(name)))) return undefined;
  if (!fullName.test(base) || (await resolveCommit(cwd, base)) === undefined)
    return `the commit of ${trunk} it was judged against is not here, so nothing tells whose gates it needed`;
  const changed = (await changedPaths(cwd, base, tree)).flatMap(
    (path) => insideProject({ prefix }, path) ?? [],
  );
  const left = classify(scopes, changed).scopes.find(
    ({ name, gate, triggered }) => triggered && gate !== undefined && !named.has(scopeJob(name)),
  );
  return left && `it does not name the gate of the scope ${left.name}, which differs from ${trunk}`;
}
