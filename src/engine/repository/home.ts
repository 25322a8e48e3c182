import { basename, dirname, join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { exists } from '../files/files.ts';
import { listWorktrees, type WorktreeEntry } from '../git/worktree.ts';
import type { Anchor } from './anchor.ts';
import { CONFIG_FILE } from './root.ts';
import { trunkNames } from './trunk-names.ts';

/** Beside the git directory rather than in it, where `safe.bareRepository` may forbid git to run. */
const besideGit = (commonDir: string) => (basename(commonDir) === '.git' ? dirname(commonDir) : commonDir);

/** Every checkout of a repository that is known by its git directory alone; the main one, or the bare repository, first. */
export function checkoutsOf(commonDir: string, signal?: AbortSignal): Promise<WorktreeEntry[]> {
  const cwd = besideGit(commonDir);
  return listWorktrees(cwd, signal, cwd === commonDir ? commonDir : undefined);
}

/** The project root in the checkout that has the trunk, or in the main one; `undefined` when the repository is gone too. */
export async function homeOf(anchor: Pick<Anchor, 'commonDir' | 'prefix'>): Promise<string | undefined> {
  const { commonDir, prefix } = anchor;
  if (!(await exists(commonDir))) return undefined;
  const cwd = besideGit(commonDir);
  const places: { root: string; branch: string | undefined }[] = [];
  for (const { path, branch, bare } of await checkoutsOf(commonDir)) {
    const root = join(path, prefix);
    if (!bare && (await exists(join(root, CONFIG_FILE)))) places.push({ root, branch });
  }
  const [first] = places;
  if (!first) return undefined;
  // A config that cannot be read has no say.
  const named = await loadConfig(first.root).then(
    ({ config }) => config.repository.trunk,
    () => undefined,
  );
  for (const name of await trunkNames({ root: cwd, commonDir }, named)) {
    const landing = places.find(({ branch }) => branch === `refs/heads/${name}`);
    if (landing) return landing.root;
  }
  return first.root;
}
