import { join } from 'node:path';
import { exists } from '../files/files.ts';
import { type NamedEntry, submodule } from '../git/compare.ts';
import { fields, git, gitLine } from '../git/core.ts';
import { isClean, listChanges, readStatus, type TreeStatus } from '../git/status.ts';
import { operationUnderWay } from '../repository/checkout.ts';
import { gitDirOf } from './identity.ts';

/** Everything a checkout holds that goes with it: what `git status` tells, and what it does not. */
export interface Inspection {
  status: TreeStatus;
  /** Edited files that the index was told to overlook (assume-unchanged, skip-worktree). */
  overlooked: string[];
  /** What git is in the middle of there, in words. */
  operation?: string;
}

type Env = Record<string, string>;

/**
 * Looks at the files of a checkout before it is removed, and at what git is doing there; what repositories lie in it is for
 * `lookInto` to tell. It may have been renamed.
 */
export async function inspect(checkout: string, gitDir: string): Promise<Inspection> {
  const [status, operation] = await Promise.all([
    readStatus(checkout, { submodules: 'dirty', ignored: true }),
    operationUnderWay(gitDir),
  ]);
  // A file that is not there is no loss: the commit has it.
  const overlooked = status.overlooked?.edited ?? [];
  return { status, overlooked, ...(operation && { operation: operation.what }) };
}

/** What a removal would lose, in words; `undefined` when nothing. */
export function holdings({ status, overlooked, operation }: Inspection): string | undefined {
  const what = [
    ...(operation === undefined ? [] : [`${operation} that is under way`]),
    ...(isClean(status) ? [] : [`uncommitted changes (${listChanges(status, 20)})`]),
    ...(overlooked.length === 0
      ? []
      : [`edits git was told to overlook (${overlooked.slice(0, 20).join(', ')})`]),
  ];
  return what.length === 0 ? undefined : what.join('; ');
}

/** The files of a checkout that its index was told to overlook and that are edited. */
export async function overlookedEdits(checkout: string, env: Env = {}): Promise<string[]> {
  const asking = { untracked: 'no', submodules: 'all' } as const;
  const own = Object.keys(env).length > 0 && { env };
  return (await readStatus(checkout, { ...asking, ...own })).overlooked?.edited ?? [];
}

/** The submodules the index has (git-ls-files(1), mode 160000). */
export async function submodulesIn(checkout: string, env: Env = {}): Promise<Buffer[]> {
  const { stdout } = await git(checkout, ['ls-files', '-s', '-z'], { env });
  return fields(stdout)
    .filter((line) => line.toString('latin1', 0, submodule.length) === submodule)
    .map((line) => line.subarray(line.indexOf(0x09) + 1));
}

/** A submodule that is checked out, and the environment in which git works on it wherever it lies. */
interface Submodule {
  path: Buffer;
  inner: string;
  env: Env;
}

async function populated(checkout: string, paths: readonly Buffer[]): Promise<Submodule[]> {
  const found: Submodule[] = [];
  for (const path of paths) {
    const inner = join(checkout, path.toString('utf8'));
    const own = join(inner, '.git');
    if (await exists(own))
      found.push({ path, inner, env: { GIT_DIR: (await gitDirOf(inner)) ?? own, GIT_WORK_TREE: inner } });
  }
  return found;
}

/** The submodules that are checked out, each with the commit it has. */
export async function submoduleCommits(checkout: string): Promise<NamedEntry[]> {
  const submodules = await submodulesIn(checkout);
  const found: NamedEntry[] = [];
  for (const { path, inner, env } of await populated(checkout, submodules)) {
    found.push({ path, mode: submodule, id: await gitLine(inner, ['rev-parse', 'HEAD'], { env }) });
  }
  return found;
}
