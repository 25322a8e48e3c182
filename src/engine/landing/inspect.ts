import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { operationUnderWay } from '../checkout.ts';
import { exists } from '../files.ts';
import { FileSet, keyOf, type NamedEntry, submodule } from '../git/compare.ts';
import { fields, git, gitLine, pathText } from '../git/core.ts';
import { isClean, listChanges, readStatus, type TreeStatus } from '../git/status.ts';
import { gitDirOf } from '../identity.ts';
import type { Repository } from '../repository.ts';

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
  const [status, overlooked, operation] = await Promise.all([
    readStatus(checkout, { submodules: 'dirty', ignored: true }),
    overlookedEdits(checkout),
    operationUnderWay(gitDir),
  ]);
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
  const { overlooked } = await specialEntries(checkout, env);
  return editedAmong(checkout, overlooked, env);
}

/**
 * The files of a checkout that its index was told to overlook, so that `git status` does not show edits of them. A gate
 * that judged such edits judged another tree than the commit.
 */
export class OverlookedEntries {
  readonly #checkout: Pick<Repository, 'top' | 'gitDir'>;
  readonly #entries: NamedEntry[];
  readonly #index: string | undefined;

  private constructor(
    checkout: Pick<Repository, 'top' | 'gitDir'>,
    entries: NamedEntry[],
    index: string | undefined,
  ) {
    this.#checkout = checkout;
    this.#entries = entries;
    this.#index = index;
  }

  static async read(checkout: Pick<Repository, 'top' | 'gitDir'>): Promise<OverlookedEntries> {
    const index = await indexIdentity(checkout.gitDir);
    const { overlooked } = await specialEntries(checkout.top, {});
    return new OverlookedEntries(checkout, overlooked, index);
  }

  /**
   * Which of them are now not as the index has them: edited, or not there at all, as a sparse checkout leaves them out. The
   * index is read again only where it was written since.
   */
  async differing(): Promise<{ edited: string[]; absent: string[] }> {
    const { top, gitDir } = this.#checkout;
    const same = this.#index !== undefined && this.#index === (await indexIdentity(gitDir));
    const entries = same ? this.#entries : (await specialEntries(top, {})).overlooked;
    return differingAmong(top, entries, {});
  }
}

/** Tells one writing of the index from another: git replaces the file, so inode and change time are new each time. */
async function indexIdentity(gitDir: string): Promise<string | undefined> {
  const found = await stat(join(gitDir, 'index'), { bigint: true }).catch(() => undefined);
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}

/** The index's entries that are overlooked or are submodules (git-ls-files(1): a small letter, or `S`; mode 160000). */
async function specialEntries(
  checkout: string,
  env: Env,
): Promise<{ overlooked: NamedEntry[]; submodules: Buffer[] }> {
  const overlooked: NamedEntry[] = [];
  const submodules: Buffer[] = [];
  const { stdout } = await git(checkout, ['ls-files', '-v', '-s', '-z'], { env });
  for (const line of fields(stdout)) {
    // "<tag> <mode> <id> <stage>\t<path>"
    const tab = line.indexOf(0x09);
    const [tag = '', mode = '', id = ''] = line.subarray(0, tab).toString('latin1').split(' ');
    const path = line.subarray(tab + 1);
    if (mode === submodule) submodules.push(path);
    else if (tag === 'S' || tag !== tag.toUpperCase()) overlooked.push({ path, mode, id });
  }
  return { overlooked, submodules };
}

/** A file that is not there is no loss to a removal: the commit has it. */
async function editedAmong(checkout: string, entries: readonly NamedEntry[], env: Env): Promise<string[]> {
  return (await differingAmong(checkout, entries, env)).edited;
}

async function differingAmong(
  checkout: string,
  entries: readonly NamedEntry[],
  env: Env,
): Promise<{ edited: string[]; absent: string[] }> {
  if (entries.length === 0) return { edited: [], absent: [] };
  const set = await FileSet.open(checkout, entries, env);
  try {
    const differing = await set.differing();
    const those = (how: 'changed' | 'absent') =>
      entries.filter(({ path }) => differing.get(keyOf(path)) === how).map(({ path }) => pathText(path));
    return { edited: those('changed'), absent: those('absent') };
  } finally {
    await set.close();
  }
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
  const { submodules } = await specialEntries(checkout, {});
  const found: NamedEntry[] = [];
  for (const { path, inner, env } of await populated(checkout, submodules)) {
    found.push({ path, mode: submodule, id: await gitLine(inner, ['rev-parse', 'HEAD'], { env }) });
  }
  return found;
}
