import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { count } from '../../contract/count.ts';
import type { TrunkUpstream } from '../../contract/data.ts';
import { orWhenAbsent } from '../files/files.ts';
import { git } from '../git/core.ts';
import { aheadBehind, resolveCommit } from '../git/refs.ts';
import { shellWord } from '../words/shell-word.ts';
import type { Repository } from './repository.ts';

/**
 * How far the local trunk is behind its upstream, as far as the last fetch told; absent when it is not, or there is none. Asks no
 * network. The upstream is the one git was told (`branch.<trunk>.merge`), else the branch of that name on `origin`.
 */
export async function trunkBehind(
  repo: Repository,
  signal?: AbortSignal,
): Promise<TrunkUpstream | undefined> {
  const { trunk, top, commonDir } = repo;
  if (!trunk || !(await mayHaveRemotes(commonDir))) return undefined;
  const upstream = await upstreamRef(top, trunk, signal);
  const commit = upstream && (await resolveCommit(top, upstream.ref));
  if (!upstream || !commit) return undefined;
  const { ref } = upstream;
  const { ahead, behind } = await aheadBehind(top, commit, trunk.commit);
  if (behind === 0) return undefined;
  const name = ref.replace(/^refs\/remotes\//, '');
  return { name, commit, ahead, behind, remedy: remedy(repo, ref, name, ahead) };
}

/** One sentence on a trunk that is behind. */
export const behindWords = (trunk: string, { name, ahead, behind }: TrunkUpstream): string =>
  `${trunk} is ${count(behind, 'commit')} behind ${name}${ahead > 0 ? ` and ${ahead} ahead of it` : ''}, as last fetched.`;

/** Whether git has to be asked at all: a remote or an upstream stands in the repository's config, or in one it includes. */
async function mayHaveRemotes(commonDir: string): Promise<boolean> {
  const config = await readFile(join(commonDir, 'config'), 'utf8').catch(orWhenAbsent(''));
  return /\[\s*(remote|branch|include)/i.test(config);
}

export interface Upstream {
  /** Where it was last seen here. */
  ref: string;
  remote: string;
  /** Its name over there. */
  there: string;
}

/** The trunk's upstream. A local branch that the trunk follows is no upstream in this sense. */
export async function upstreamRef(
  cwd: string,
  trunk: { name: string; ref: string },
  signal?: AbortSignal,
): Promise<Upstream | undefined> {
  const format = ['refname', 'upstream', 'upstream:remotename', 'upstream:remoteref'];
  const asking = `--format=${format.map((one) => `%(${one})`).join('%00')}`;
  const { stdout } = await git(cwd, ['for-each-ref', asking, '--', trunk.ref], { signal });
  // A branch that stands below it (main/x) would match as well, so the name is compared.
  const lines = stdout.toString('utf8').split('\n');
  const [, ref = '', remote = '', there = ''] =
    lines.map((line) => line.split('\0')).find(([name]) => name === trunk.ref) ?? [];
  if (ref.startsWith('refs/heads/') && (remote === '' || remote === '.')) return undefined;
  if (ref && remote && there && !ref.startsWith('refs/heads/')) return { ref, remote, there };
  // A mirror's refspec puts the remote's branches where those of this repository are: what was seen there is kept apart from them.
  const [from, its] = ref && remote && there ? [remote, there] : ['origin', trunk.ref];
  return { ref: `refs/remotes/${from}/${its.replace(/^refs\/heads\//, '')}`, remote: from, there: its };
}

/** What brings the trunk up to its upstream; a trunk with commits of its own is merged, which git stops at a conflict. */
function remedy({ landing, trunk }: Repository, ref: string, name: string, ahead: number): string {
  const branch = trunk?.name ?? '';
  if (landing) {
    return `git -C ${shellWord(landing.path)} merge ${ahead > 0 ? '' : '--ff-only '}${shellWord(name)}`;
  }
  if (ahead > 0) return `git switch ${shellWord(branch)} && git merge ${shellWord(name)}`;
  return `git fetch . ${shellWord(`${ref}:${trunk?.ref ?? ''}`)}`;
}
