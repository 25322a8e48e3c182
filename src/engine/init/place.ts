import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Refusal } from '../call/refusal.ts';
import { exists } from '../files/files.ts';
import { type Checkout, openCheckout } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';

/** Where a project is to be made: a checkout that has a commit, and the directory in it. */
export interface InitPlace extends Checkout {
  root: string;
  commit: string;
}

/** Files that make a directory a package of its own, also seen from below. */
const manifest =
  /^(?:package\.json|deno\.jsonc?|Cargo\.toml|go\.mod|pyproject\.toml|Pipfile|composer\.json|Gemfile|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|.+\.(?:slnx?|[cf]sproj|vbproj))$/;
/** Files that do so only where they are named: directories of documents have them too. */
const weakManifest = /^(?:GNUmakefile|[Mm]akefile|requirements.*\.txt)$/;

/**
 * The directory `discern.toml` goes into, seen from `directory`: itself when it has a manifest, else the nearest above that
 * has one, else the git top.
 *
 * Refuses `not_a_git_repository`, `unborn_repository`, and `path_exists` where there is a `discern.toml` already, there or
 * above: then the directory is a project's.
 */
export async function findInitPlace(directory: string, signal?: AbortSignal): Promise<InitPlace> {
  const checkout = await openCheckout(directory, signal);
  for (let dir = directory; ; dir = dirname(dir)) {
    if (await exists(join(dir, CONFIG_FILE))) throw alreadyThere(directory, dir, checkout);
    if (dir === checkout.top || dirname(dir) === dir) break;
  }
  const { commit } = checkout;
  if (commit === undefined) {
    throw new Refusal(
      'unborn_repository',
      `${checkout.top} has no commit yet, and worktrees start from commits: make the first one ("git add -A && git commit"), then call init again.`,
      { data: { root: directory, branch: checkout.branch } },
    );
  }
  return { ...checkout, commit, root: await packageAround(directory, checkout.top) };
}

function alreadyThere(directory: string, found: string, { branch, commit }: Checkout): Refusal {
  const advice =
    found === directory
      ? 'edit it, and run done to see whether its gate passes'
      : `edit that one; a package below it that is to be a project of its own gets a ${CONFIG_FILE} by hand`;
  return new Refusal('path_exists', `${join(found, CONFIG_FILE)} is there already: ${advice}.`, {
    data: { root: found, branch, ...(commit !== undefined && { commit }) },
  });
}

async function packageAround(directory: string, top: string): Promise<string> {
  for (let dir = directory; ; dir = dirname(dir)) {
    const names = await readdir(dir);
    if (names.some((name) => manifest.test(name) || (dir === directory && weakManifest.test(name))))
      return dir;
    if (dir === top || dirname(dir) === dir) return top;
  }
}
