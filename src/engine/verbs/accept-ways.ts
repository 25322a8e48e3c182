import type { OtherWay } from '../../contract/data.ts';
import type { Args } from '../../contract/verbs.ts';
import { mayHaveForge } from '../forge/forge.ts';
import { resolveCommit } from '../git/refs.ts';
import { upstreamRef } from '../repository/upstream.ts';
import type { Candidate } from './accept-answer.ts';

/** How else this repository could take the work: what it has no remote or no command line for is left out. Asks no network. */
export async function waysOf(
  { repo, trunk }: Candidate,
  args: Args<'accept'>,
  signal: AbortSignal,
): Promise<OtherWay[]> {
  const upstream = await upstreamRef(repo.top, trunk, signal);
  const known = upstream && (await resolveCommit(repo.top, upstream.ref)) !== undefined;
  const ways: OtherWay[] = ['queue'];
  if (known && !args.push) ways.push('push');
  if (upstream && (await mayHaveForge(repo.top, upstream.remote, signal))) ways.push('pr');
  return ways;
}
