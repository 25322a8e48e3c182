import * as z from 'zod';
import type { Proof } from '../gate/proof.ts';

/** The types of an in-toto statement (in-toto attestation framework, v1) of a test result, as it is noted on what landed. */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';

const Digest = z.record(z.string(), z.string());

/** What a note of ours states. Whatever else stands there is left alone, as both specifications ask. */
export const Statement = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.object({ name: z.string().optional(), digest: Digest })).min(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.object({
    result: z.enum(['PASSED', 'WARNED', 'FAILED']),
    configuration: z.array(z.object({ name: z.string().optional(), digest: Digest })),
    passedTests: z.array(z.string()),
    discern: z.object({
      version: z.literal(1),
      project: z.string().describe('Its directory below the git top.'),
      trunk: z.string(),
      trunk_commit: z.string(),
      gated_at: z.string(),
      jobs: z.array(
        z.object({
          name: z.string(),
          stage: z.string(),
          outcome: z.string(),
          duration_ms: z.number(),
          replayed_from: z.string().optional(),
          receipt: z.object({ key: z.string(), commit: z.string(), at: z.string() }).optional(),
        }),
      ),
    }),
  }),
});
export type Statement = z.infer<typeof Statement>;

/**
 * States a proof, of the tree first: a squash or a rebase with the same tree has another commit and the same evidence. No path of
 * this machine is in it.
 */
export function statementOf(proof: Proof, name: string): Statement {
  const { commit, tree, config_digest: sha256, project, trunk, trunk_commit, gated_at } = proof;
  const jobs = proof.jobs.map(({ receipt, ...job }) => ({
    ...job,
    ...(receipt && { receipt: { key: receipt.key, commit: receipt.commit, at: receipt.at } }),
  }));
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name, digest: { gitTree: tree, gitCommit: commit } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      result: 'PASSED',
      configuration: [{ name: project ? `${project}/discern.toml` : 'discern.toml', digest: { sha256 } }],
      passedTests: jobs.filter(({ outcome }) => outcome === 'passed').map(({ name: job }) => job),
      discern: { version: 1, project, trunk, trunk_commit, gated_at, jobs },
    },
  };
}

/** What is noted, for the tree and config it must be of: the statement, or why it says nothing of them, in words. */
export function statementFor(
  payload: unknown,
  { tree, config, project }: { tree: string; config: string; project: string },
): { statement: Statement } | { why: string } {
  const parsed = Statement.safeParse(payload);
  if (!parsed.success) return { why: 'it is no statement of a test result that we know' };
  const statement = parsed.data;
  const { subject, predicate } = statement;
  const { discern } = predicate;
  if (!subject.some(({ digest }) => digest.gitTree === tree)) return { why: 'it is of another tree' };
  if (discern.project !== project) return { why: 'it is of another project' };
  if (!predicate.configuration.some(({ digest }) => digest.sha256 === config))
    return { why: 'it is of another discern.toml' };
  if (predicate.result !== 'PASSED' || discern.jobs.some(({ outcome }) => outcome !== 'passed'))
    return { why: 'it says that the gate did not pass' };
  return { statement };
}
