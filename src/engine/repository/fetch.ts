import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../call/refusal.ts';
import { type GitError, git, tryGit } from '../git/core.ts';
import { type Repository, requireTrunk, where } from './repository.ts';
import { type Upstream, upstreamRef } from './upstream.ts';

/** Nobody is there to answer: whoever asks for a password is told no, by each of the ways git and ssh have to ask. */
export const asksNobody = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
};

/** How often a fetch is tried that met another one of the same refs. */
const ATTEMPTS = 5;

/** How long a worktree that is being made is waited for between two of them, in milliseconds. */
const MAKING_MS = 200;

/**
 * Fetches the trunk's upstream, and nothing else: no tags, no submodules, no pruning, no housekeeping, and what a person last fetched
 * (FETCH_HEAD) stays. Moves no branch. Refuses `unknown_ref` where there is no upstream, here or over there, and `unavailable`
 * where the remote cannot be reached or does not let us in.
 */
export async function fetchUpstream(
  repo: Repository,
  signal: AbortSignal,
  otherwise = 'call update without fetch',
): Promise<void> {
  const trunk = requireTrunk(repo);
  const upstream = await upstreamRef(repo.top, trunk, signal);
  const remotes = (await git(repo.top, ['remote'], { signal })).stdout.toString('utf8').split('\n');
  if (!upstream || !remotes.includes(upstream.remote)) {
    throw new Refusal(
      'unknown_ref',
      `${trunk.name} has no upstream to fetch: set one with "git branch --set-upstream-to=<remote>/<branch> ${trunk.name}", or ${otherwise}.`,
      { data: where(repo) },
    );
  }
  const { remote, there, ref } = upstream;
  const how = ['--quiet', '--no-tags', '--no-prune', '--no-recurse-submodules', '--no-auto-maintenance'];
  // The remote's own refspec may name branches of this repository, as that of a mirror does: then a fetch overwrites them.
  const only = ['--refmap=', '--no-write-fetch-head', '--', remote, `+${there}:${ref}`];
  const args = ['fetch', ...how, ...only];
  for (let attempt = 1; ; attempt++) {
    const fetched = await tryGit(repo.top, args, { env: asksNobody, signal });
    if (!(fetched instanceof Error)) return;
    // A worktree that is just being made has no commit yet, and git takes that for a broken one.
    const making = /bad object worktrees\//.test(fetched.stderr);
    const met = making || fetched.kind === 'locked' || fetched.kind === 'ref_moved';
    if (making) await sleep(MAKING_MS);
    if (!met || attempt >= ATTEMPTS) throw unfetched(repo, upstream, fetched, otherwise);
  }
}

function unfetched(
  repo: Repository,
  { remote, there }: Upstream,
  error: GitError,
  otherwise: string,
): Refusal {
  const data = where(repo);
  if (error.kind === 'no_remote_ref') {
    return new Refusal(
      'unknown_ref',
      `${remote} has no ${there.replace(/^refs\/heads\//, '')}: push it, set another upstream of the trunk, or ${otherwise}. Nothing was changed.`,
      { data },
    );
  }
  return new Refusal(
    'unavailable',
    `${remote} could not be fetched (${withoutSecrets(error.firstLine)}), and nothing was changed: see that "git fetch ${remote}" works without asking, or ${otherwise}.`,
    { data },
  );
}

/** A line that git printed, without what an address may carry of a password. */
export const withoutSecrets = (line: string): string =>
  line
    .replace(/^(fatal|error|remote): /, '')
    .replace(/:\/\/[^/@\s]*@/g, '://')
    .slice(0, 300) || 'git printed no reason';
