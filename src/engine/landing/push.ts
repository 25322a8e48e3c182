import { Refusal } from '../call/refusal.ts';
import { GitError, git } from '../git/core.ts';
import { isAncestor, resolveCommit, setRef } from '../git/refs.ts';
import { asksNobody, withoutSecrets } from '../repository/fetch.ts';
import { landedRef } from '../repository/landed.ts';
import { type Repository, type Trunk, where } from '../repository/repository.ts';
import { type Upstream, upstreamRef } from '../repository/upstream.ts';
import { nameForPush, requireOneAddress } from './push-address.ts';

/** Where the trunk is pushed to, and the commit that was last seen there. */
export interface PushTarget extends Upstream {
  commit: string;
}

/** The trunk's upstream as it was just fetched. Refuses `unknown_ref` where nothing of it is known here, and what {@link requireOneAddress} does. */
export async function pushTarget(repo: Repository, trunk: Trunk): Promise<PushTarget> {
  const upstream = await upstreamRef(repo.top, trunk);
  const commit = upstream && (await resolveCommit(repo.top, upstream.ref));
  if (upstream) await requireOneAddress(repo, upstream.remote, 'or accept without push');
  if (upstream && commit) return { ...upstream, commit };
  throw new Refusal(
    'unknown_ref',
    `${trunk.name} has no upstream that was fetched here, so nothing can be pushed: run "git fetch", set one with "git branch --set-upstream-to=<remote>/<branch> ${trunk.name}", or accept without push.`,
    { data: where(repo) },
  );
}

/** What is pushed: `to`, which contains all that the remote had when it was fetched. */
interface Push {
  to: string;
  /** The commit the work was merged with. */
  base: string;
  target: PushTarget;
}

/** How git says that the remote is not where it was seen last, or is just being moved by somebody else. */
const lostRace =
  /stale info|fetch first|non-fast-forward|remote ref updated since|cannot lock ref|failed to update ref|incorrect old value|reference already exists|but expected/i;

/**
 * Pushes a commit to the trunk's upstream, with a lease on the exact commit it was combined with: where the remote is anywhere else, nothing
 * is pushed and it is `moved`. It only ever moves forward. The person's own `pre-push` hook runs. What landed in other commits is written
 * down first, so that a kill between the two leaves it known; the record says nothing until the trunk bears it out.
 *
 * Refuses `unavailable` where the remote, or a hook, does not take it, and `cancelled` or `timed_out` where it is not known whether
 * it arrived.
 */
export async function push(
  repo: Repository,
  { to, base, target }: Push,
  signal: AbortSignal,
): Promise<'pushed' | 'moved'> {
  const { remote, there, commit } = target;
  const { top: cwd } = repo;
  if (to === commit) return 'pushed';
  if (!(await isAncestor(cwd, commit, to))) throw new Error(`${to} does not contain ${commit} of ${remote}`);
  if (base !== to && !(await isAncestor(cwd, repo.commit, to)))
    await setRef(cwd, landedRef(base, to), repo.commit, 'discern: about to be pushed');
  try {
    const sent = await send(cwd, { remote, there, lease: commit, to }, signal);
    // git notes where the remote is only where its refspec has this branch; what cannot be noted now, the next fetch does.
    if (sent === 'pushed' && (await resolveCommit(cwd, target.ref)) !== to)
      await setRef(cwd, target.ref, to, 'discern: pushed').catch(() => undefined);
    if (typeof sent === 'string') return sent;
    throw notTaken(repo, target, sent);
  } catch (error) {
    if (!Refusal.is(error) || (error.slug !== 'cancelled' && error.slug !== 'timed_out')) throw error;
    throw new Refusal(
      error.slug,
      `The push to ${remote} was cut off, so it is not known whether it arrived; nothing was landed here. Accept again with push, which finds out.`,
      { data: where(repo) },
    );
  }
}

/** One commit for one ref of a remote. */
interface Sent {
  remote: string;
  there: string;
  /** The commit the ref has to be at; empty where it has not to be there. */
  lease: string;
  to: string;
}

/** Why a remote, or a hook, did not take a push: `rejected` is git's own word for it, where it came that far. */
export interface NotSent {
  rejected?: string;
  reason: string;
}

/**
 * Pushes one commit to one ref, with a lease on the commit that is there; `moved` where another is. A lease alone would let a push
 * go back, so `to` has to contain it. Nobody is asked for a password, and the person's own `pre-push` hook runs.
 */
export async function send(
  cwd: string,
  { remote, there, lease, to }: Sent,
  signal: AbortSignal,
): Promise<'pushed' | 'moved' | NotSent> {
  const how = [
    '--porcelain',
    '--no-follow-tags',
    '--recurse-submodules=no',
    `--force-with-lease=${there}:${lease}`,
  ];
  // A mirror's push takes no branch by name, and would take all of them.
  const alone = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `remote.${remote}.mirror`,
    GIT_CONFIG_VALUE_0: 'false',
  };
  const args = ['push', ...how, '--', await nameForPush(cwd, remote, signal), `${to}:${there}`];
  try {
    const { stdout, stderr, code } = await git(cwd, args, {
      ok: [0, 1, 128],
      env: { ...asksNobody, ...alone },
      hooks: true,
      signal,
    });
    if (code === 0) return 'pushed';
    const said = `${stdout.toString('utf8')}\n${stderr}`;
    // "!\t<from>:<to>\t[rejected] (<why>)" (git-push(1), porcelain output)
    const rejected = /^!\t[^\t]*\t(.*)$/m.exec(said)?.[1];
    if (rejected !== undefined && lostRace.test(rejected)) return 'moved';
    return { ...(rejected !== undefined && { rejected }), reason: reasonOf(rejected, stderr) };
  } catch (error) {
    if (error instanceof GitError) return { reason: reasonOf(undefined, error.stderr) };
    throw error;
  }
}

/** The first lines that say why, the remote's own words first. */
function reasonOf(rejected: string | undefined, stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const remotes = lines
    .filter((line) => /^remote: \S/.test(line))
    .map((line) => line.slice('remote: '.length));
  const own = lines.filter((line) => line !== '' && !/^(remote:|To |hint:|error: failed to push)/.test(line));
  const all = [...(rejected === undefined ? [] : [rejected]), ...remotes, ...own.slice(0, 1)];
  return withoutSecrets([...new Set(all)].slice(0, 4).join('; '));
}

function notTaken(repo: Repository, { remote, there }: PushTarget, { rejected, reason }: NotSent): Refusal {
  const name = there.replace(/^refs\/heads\//, '');
  const next =
    rejected === undefined
      ? `see that "git push ${remote}" works without asking, or accept without push`
      : `do what it says (a protected branch takes a pull request: accept with pr), or accept without push`;
  return new Refusal(
    'unavailable',
    `${remote} did not take ${name} (${reason}). Nothing was landed, here or there: ${next}.`,
    { data: where(repo) },
  );
}
