import { changedPaths } from '../git/diff.ts';
import { resolveCommit } from '../git/refs.ts';
import { scopeMatchers } from '../jobs/scope-paths.ts';
import { insideProject } from '../jobs/scopes.ts';
import type { Repository } from '../repository/repository.ts';
import type { Parts } from './receipt.ts';

/** What a job depends on, as it was on one commit. */
export interface At {
  parts: Parts;
  commit: string;
}

export interface Difference {
  /** Inputs of the commits that differ, from the project's root. */
  files: string[];
  /** Everything else, in words. */
  others: string[];
}

/** How what a job depends on differs between two runs of it. */
export async function compare(repo: Repository, from: At, to: At): Promise<Difference> {
  const others: string[] = [];
  const say = (words: string, a: unknown, b: unknown) => {
    if (JSON.stringify(a) !== JSON.stringify(b)) others.push(words);
  };
  const [before, after] = [from.parts, to.parts];
  say('its command', before.commands, after.commands);
  say('what is measured', before.measure ?? null, after.measure ?? null);
  say('the platform', before.platform, after.platform);
  say('its list of inputs', before.inputs.patterns, after.inputs.patterns);
  say('its list of artifacts', before.artifacts, after.artifacts);
  say('files among its inputs that git ignores', before.ignored, after.ignored);
  others.push(
    ...named(before.toolchain, after.toolchain).map((name) => `${name} of its toolchain`),
    ...named(before.environment, after.environment).map((name) => `the variable ${name}`),
    ...named(before.needs, after.needs).map((name) => `${name}, which it needs`),
  );
  if (before.inputs.digest === after.inputs.digest) return { files: [], others };
  const files = await inputsBetween(repo, from, to);
  if (files === undefined) {
    others.push(`its inputs, in files of ${from.commit.slice(0, 10)}, which git has no more`);
  }
  if (files?.length === 0) others.push('its inputs in a submodule or behind a link');
  return { files: files ?? [], others };
}

/** The names whose values differ, those that only one side has among them. */
const named = (before: Record<string, string>, after: Record<string, string>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort();

/** The inputs that differ between two commits; `undefined` where one of them is gone. */
async function inputsBetween(repo: Repository, from: At, to: At): Promise<string[] | undefined> {
  for (const { commit } of [from, to])
    if ((await resolveCommit(repo.top, commit)) === undefined) return undefined;
  const was = scopeMatchers(from.parts.inputs.patterns);
  const is = scopeMatchers(to.parts.inputs.patterns);
  return (await changedPaths(repo.top, from.commit, to.commit))
    .flatMap((path) => insideProject(repo, path) ?? [])
    .filter((path) => was(path) || is(path));
}
