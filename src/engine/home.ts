import { basename, dirname, join } from 'node:path';
import type { Anchor } from './anchor.ts';
import { loadConfig } from './config/index.ts';
import { listRefs } from './git/refs.ts';
import { listWorktrees } from './git/worktree.ts';
import { CONFIG_FILE } from './root.ts';
import { exists } from './worktree/place.ts';

/** The project root in the checkout that has the trunk, or in the main one; `undefined` when the repository is gone too. */
export async function homeOf(anchor: Anchor): Promise<string | undefined> {
  const { commonDir, prefix } = anchor;
  if (!(await exists(commonDir))) return undefined;
  // Beside the git directory rather than in it, where `safe.bareRepository` may forbid git to run.
  const cwd = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  const places: { root: string; branch: string | undefined }[] = [];
  for (const { path, branch, bare } of await listWorktrees(cwd)) {
    const root = join(path, prefix);
    if (!bare && (await exists(join(root, CONFIG_FILE)))) places.push({ root, branch });
  }
  const [first] = places;
  if (!first) return undefined;
  for (const name of await trunkNames(cwd, first.root)) {
    const landing = places.find(({ branch }) => branch === `refs/heads/${name}`);
    if (landing) return landing.root;
  }
  return first.root;
}

/** What the trunk may be called, most wanted first (contract §2); a config that cannot be read has no say. */
async function trunkNames(cwd: string, root: string): Promise<string[]> {
  const named = await loadConfig(root).then(
    ({ config }) => config.repository.trunk,
    () => undefined,
  );
  if (named) return [named];
  const [published] = await listRefs(cwd, ['refs/remotes/origin/HEAD']);
  const branch = published?.target?.replace('refs/remotes/origin/', '');
  return [...(branch ? [branch] : []), 'main', 'master'];
}
