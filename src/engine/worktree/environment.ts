import { posix } from 'node:path';
import { fields, git, pathText } from '../git/core.ts';
import { readStatus } from '../git/status.ts';
import { type Repository, rootIn } from '../repository/repository.ts';
import { type EnvFiles, hasEnvFile, inheritEnv, recordEnv } from './env-file.ts';
import { type Identity, identityVariables } from './handles.ts';
import { homeCheckout } from './place.ts';

/**
 * Fills a new worktree's env files: `[worktree].inherit_env` from the checkout work lands in, then the worktree's own
 * identity, of which `[worktree].export_port` asks for id and port. Doing it again changes nothing. Returns what a person should
 * know of it.
 */
export async function fillEnvFiles(
  repo: Repository,
  fresh: Repository,
  identity: Identity,
): Promise<string[]> {
  const { env_files: files, inherit_env: names, export_port, resources } = fresh.config.config.worktree;
  const home: EnvFiles = { root: rootIn(repo, repo.landing?.path ?? homeCheckout(repo)), files };
  const worktree: EnvFiles = { root: fresh.root, files, tracked: () => trackedAmong(fresh.root, files) };
  const inherited = await inheritEnv(home, worktree, names);
  const managed = resources.filter(({ create, destroy }) => create !== '' || destroy !== '');
  const variables = Object.entries(
    identityVariables(
      identity,
      managed.map(({ name }) => name),
    ),
  );
  const wanted = variables.filter(([name]) =>
    /^DISCERN_WORKTREE_/.test(name) ? export_port : managed.length > 0,
  );
  const recorded = await recordEnv(worktree, Object.fromEntries(wanted));
  return [
    ...inherited.hints,
    ...recorded.hints,
    ...(await visible(fresh, [...inherited.written, ...recorded.written])),
  ];
}

/** Says that the port `[worktree].export_port` asks for stands in no file, where no env file is there to hold it. */
export async function portUnwritten({ root, config }: Repository): Promise<string[]> {
  const { env_files: files, export_port: port } = config.config.worktree;
  if (!port || (await hasEnvFile({ root, files }))) return [];
  return [
    `[worktree].export_port wrote nothing: none of ${files.join(', ')} is in ${root}. Jobs have DISCERN_WORKTREE_PORT all the same; for others, let a setup step make the file.`,
  ];
}

/** Those of the files that git tracks, as they are listed. */
async function trackedAmong(root: string, files: readonly string[]): Promise<Set<string>> {
  const { stdout } = await git(root, ['--literal-pathspecs', 'ls-files', '-z', '--', ...files]);
  const tracked = new Set(fields(stdout).map(pathText));
  return new Set(files.filter((file) => tracked.has(posix.normalize(file))));
}

/** Says which of the files git does not ignore: writing them has made the worktree unclean. */
async function visible(fresh: Repository, written: readonly string[]): Promise<string[]> {
  if (written.length === 0) return [];
  const { staged, unstaged, untracked } = await readStatus(fresh.top, { compare: 'not' });
  const changed = new Set([...staged, ...unstaged, ...untracked]);
  const below = fresh.prefix ? `${fresh.prefix}/` : '';
  return [...new Set(written)]
    .filter((file) => changed.has(`${below}${file.replace(/^(\.\/)+/, '')}`))
    .map(
      (file) =>
        `git does not ignore ${file}, which now holds values of this worktree, so the worktree counts as changed: add it to .gitignore.`,
    );
}
