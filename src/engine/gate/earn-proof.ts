import { count } from '../../contract/count.ts';
import type { ProofState } from '../../contract/data.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';
import { isClean, listChanges, type TreeStatus } from '../git/status.ts';
import type { JobResult } from '../jobs/planned-job.ts';
import { type Repository, requireTrunk } from '../repository/repository.ts';
import type { Measuring } from '../standards/measure.ts';
import { writeProof } from './proof.ts';

/** Writes the proof of a green run on the tree that was `status` before it and `after` behind it, or says why there is none. */
export async function earnProof(
  {
    repo,
    status,
    measuring,
  }: { repo: Repository; status: TreeStatus; measuring?: Pick<Measuring, 'replayed'> | undefined },
  error: RefusalSlug | undefined,
  results: JobResult[],
  { after, submodules, tree }: { after: TreeStatus; submodules: readonly string[]; tree: string },
): Promise<ProofState> {
  if (error) return { state: 'none', reason: 'The gate did not pass.' };
  if (!isClean(status)) {
    return {
      state: 'none',
      reason: `The tree has uncommitted changes (${listChanges(status)}): commit or ignore them and run done again.`,
    };
  }
  if (!isClean(after)) {
    return {
      state: 'none',
      reason: `Files appeared or changed while the jobs ran (${listChanges(after)}), so no commit holds what was judged: commit or ignore them and run done again.`,
    };
  }
  const { edited, absent } = after.overlooked ?? { edited: [], absent: [] };
  if (absent.length > 0) {
    return {
      state: 'none',
      reason: `${count(absent.length, 'file')} of the commit ${absent.length === 1 ? 'is' : 'are'} not in this tree (${absent.slice(0, 5).join(', ')}): a sparse checkout or an index flag leaves ${absent.length === 1 ? 'it' : 'them'} out, so not the whole commit was judged. Run "git sparse-checkout disable" or "git update-index --no-skip-worktree --no-assume-unchanged" on ${absent.length === 1 ? 'it' : 'them'}, restore what is missing, and run done again.`,
    };
  }
  if (edited.length > 0) {
    return {
      state: 'none',
      reason: `git was told to overlook edits in ${edited.slice(0, 5).join(', ')}, so no commit holds what was judged: run "git update-index --no-assume-unchanged --no-skip-worktree" on them, commit, and run done again.`,
    };
  }
  if (submodules.length > 0) {
    return {
      state: 'none',
      reason: `Not the whole commit was judged: ${submodules.slice(0, 5).join('; ')}. Run "git submodule update --init --recursive" here (or have [worktree.setup] run it), and run done again.`,
    };
  }
  const trunk = requireTrunk(repo);
  await writeProof(repo, {
    version: 1,
    commit: repo.commit,
    tree,
    project: repo.prefix,
    config_digest: repo.config.digest,
    trunk: trunk.name,
    trunk_commit: trunk.commit,
    gated_at: new Date().toISOString(),
    jobs: [
      ...results.map(({ step, receipt }) => ({
        name: step.name,
        stage: step.stage,
        outcome: step.outcome,
        duration_ms: step.duration_ms,
        ...(step.reused && receipt !== undefined && { receipt: { key: receipt, ...step.reused } }),
      })),
      ...(measuring?.replayed ?? []).map(({ name, commit }) => ({
        name,
        stage: 'test',
        outcome: 'passed',
        duration_ms: 0,
        replayed_from: commit,
      })),
    ],
  });
  return { state: 'valid', commit: repo.commit };
}

/** What became of the proof, as a sentence. */
export function proofSentence(proof: ProofState): string {
  return proof.state === 'valid'
    ? 'Proof recorded.'
    : `No proof: ${proof.reason ?? 'the tree is not clean.'}`;
}
