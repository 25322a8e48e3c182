import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { ProofState } from '../../contract/data.ts';
import { namesIn, stateDir } from '../files/files.ts';
import { isAncestor, treeOf } from '../git/refs.ts';
import { isClean, listChanges, type TreeStatus } from '../git/status.ts';
import type { Repository } from '../repository/repository.ts';
import { type Found, type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';

/** The record that the gate passed on one commit, with a clean tree, under one config (contract §6). */
const Proof = z.object({
  version: z.literal(1),
  commit: z.string(),
  tree: z.string(),
  project: z.string().describe('The project’s directory below the git top.'),
  config_digest: z.string(),
  trunk: z.string(),
  trunk_commit: z.string(),
  gated_at: z.string(),
  jobs: z.array(
    z.object({
      name: z.string(),
      stage: z.string(),
      outcome: z.string(),
      duration_ms: z.number(),
      replayed_from: z
        .string()
        .optional()
        .describe('The commit a standard was measured on, where that still counts.'),
      receipt: z
        .object({ key: z.string(), commit: z.string(), worktree: z.string(), at: z.string() })
        .optional()
        .describe('What stood in for a run.'),
    }),
  ),
});
export type Proof = z.infer<typeof Proof>;

const kind: Kind<Proof> = { name: 'proof', schema: Proof };

const hash = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);

/** What a proof is looked up by: a checkout as it stands, of whose config only what it says in all is needed. */
export type Provable = Pick<Repository, 'top' | 'gitDir' | 'commonDir' | 'prefix' | 'commit' | 'trunk'> & {
  config: { digest: string };
};

function proofPath(repo: Provable): string {
  const key = hash(repo.prefix, repo.config.digest);
  return join(stateDir(repo.commonDir), 'proofs', `${repo.commit}-${key}.json`);
}

/** The proof last earned in this checkout, whatever its commit: it tells a stale proof from none. */
function latestPath(repo: Provable): string {
  return join(stateDir(repo.commonDir), 'proofs', 'latest', `${hash(repo.gitDir, repo.prefix)}.json`);
}

export async function writeProof(repo: Repository, proof: Proof): Promise<void> {
  for (const path of [proofPath(repo), latestPath(repo)])
    await writeRecordFile(repo.commonDir, path, kind, proof, 'anything');
}

/** The proof that lies where the commit's would, if it is of this commit, config and project; or why it is not taken for one. */
async function readProof(repo: Provable): Promise<Found<Proof> | undefined> {
  const found = await readRecordFile(repo.commonDir, proofPath(repo), kind);
  if (!found || 'distrust' in found) return found;
  const { commit, config_digest: digest, project } = found.value;
  return commit === repo.commit && digest === repo.config.digest && project === repo.prefix
    ? found
    : undefined;
}

/** The proof of a commit of a project, whatever checkout earned it; `undefined` where there is none of this user's. */
export async function proofOf(
  commonDir: string,
  commit: string,
  project: string,
): Promise<Proof | undefined> {
  const dir = join(stateDir(commonDir), 'proofs');
  for (const name of (await namesIn(dir)).filter((one) => one.startsWith(`${commit}-`))) {
    const found = await readRecordFile(commonDir, join(dir, name), kind);
    if (found && 'value' in found && found.value.commit === commit && found.value.project === project)
      return found.value;
  }
  return undefined;
}

/**
 * Carries a valid proof from one commit to the next, which only tightened limits in `discern.toml`: they were measured to
 * hold, and no job's verdict depends on them.
 */
export async function carryProof(from: Repository, to: Repository): Promise<ProofState> {
  const proof = await readProof(from);
  if (!proof || 'distrust' in proof) throw new Error(`${proofPath(from)} is not a proof of ${from.commit}`);
  const tree = await treeOf(to.top, to.commit);
  await writeProof(to, { ...proof.value, commit: to.commit, tree, config_digest: to.config.digest });
  return { state: 'valid', commit: to.commit };
}

/**
 * Whether the checkout's commit is proved as it stands: the proof is of this very commit, this config and this project,
 * the tree is clean, and the trunk has not been rewound since (a longer diff may touch scopes that were not gated).
 */
export async function proofState(repo: Provable, status: TreeStatus): Promise<ProofState> {
  const proof = await readProof(repo);
  if (proof && 'value' in proof) {
    const { commit } = proof.value;
    if (!isClean(status))
      return { state: 'stale', commit, reason: `Uncommitted changes: ${listChanges(status)}.` };
    if (repo.trunk && !(await isAncestor(repo.top, proof.value.trunk_commit, repo.trunk.commit))) {
      return { state: 'stale', commit, reason: `${repo.trunk.name} was rewound since the gate ran.` };
    }
    return { state: 'valid', commit };
  }
  if (proof) {
    const reason = `${proofPath(repo)}, where the proof of this commit would be, ${proof.distrust}, so it counts for nothing: run done.`;
    return { state: 'stale', commit: repo.commit, reason };
  }
  const latest = await readRecordFile(repo.commonDir, latestPath(repo), kind);
  if (!latest || 'distrust' in latest) return { state: 'none', reason: 'Not passed yet.' };
  const { commit } = latest.value;
  return {
    state: 'stale',
    commit,
    reason:
      commit === repo.commit
        ? 'discern.toml changed since the gate passed.'
        : `The gate passed on ${commit.slice(0, 10)}; HEAD is ${repo.commit.slice(0, 10)}.`,
  };
}
