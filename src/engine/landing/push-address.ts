import { Refusal } from '../call/refusal.ts';
import { git } from '../git/core.ts';
import { type Repository, where } from '../repository/repository.ts';

/** The addresses a push to a remote goes to, or those it is read from, as git uses them (git-remote(1), `get-url --all`). */
export async function addressesOf(
  cwd: string,
  remote: string,
  way: 'push' | 'fetch',
  signal?: AbortSignal,
): Promise<string[]> {
  const how = way === 'push' ? ['--push', '--all'] : ['--all'];
  // A remote that is not there has none: git-remote(1) ends with 2 then, and did with 128.
  const { stdout } = await git(cwd, ['remote', 'get-url', ...how, '--', remote], { ok: [0, 2, 128], signal });
  return stdout.toString('utf8').split('\n').filter(Boolean);
}

/** Refuses `unavailable` where one push goes to several places: one of them could take it, and another not. */
export async function requireOneAddress(repo: Repository, remote: string, otherwise: string): Promise<void> {
  const push = await addressesOf(repo.top, remote, 'push');
  if (push.length <= 1) return;
  throw new Refusal(
    'unavailable',
    `${remote} has ${push.length} push addresses (remote.${remote}.pushurl), and one could take what another rejects: leave one of them, ${otherwise}. Nothing was landed, here or there.`,
    { data: where(repo) },
  );
}

/**
 * What to name in a push to a remote: its name, but its address where it is a mirror's. There git itself would move the branches of this
 * repository to what was pushed (git-push(1) updates what the remote's refspec says was seen over there).
 */
export async function nameForPush(cwd: string, remote: string, signal?: AbortSignal): Promise<string> {
  const asking = ['config', '--get-all', `remote.${remote}.fetch`];
  const { stdout } = await git(cwd, asking, { ok: [0, 1], signal });
  const isMirror = stdout
    .toString('utf8')
    .split('\n')
    .some((spec) => /:refs\/(?:\*|heads\/)/.test(spec));
  if (!isMirror) return remote;
  return (await addressesOf(cwd, remote, 'push', signal))[0] ?? remote;
}
