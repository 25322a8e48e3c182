import * as z from 'zod';
import { where } from './data-where.ts';
import { Stage } from './envelope.ts';
export const ProofState = z.strictObject({
  state: z.enum(['none', 'valid', 'stale']),
  commit: z.string().optional().describe('The commit the proof is of.'),
  reason: z.string().optional().describe('Why there is no valid proof.'),
});
export type ProofState = z.infer<typeof ProofState>;

export const ScopeResult = z.strictObject({
  name: z.string(),
  changed: z.boolean(),
  files: z.number().int().describe('Changed paths that fall in this scope.'),
  neutral: z.boolean(),
  previewable: z.boolean(),
  preview: z.string().optional().describe('What shows a change there to a person; discern never runs it.'),
  gate: z.string().optional(),
});
export type ScopeResult = z.infer<typeof ScopeResult>;

export const JobCounts = z.strictObject({
  passed: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  skipped: z.number().int(),
  timed_out: z.number().int(),
});
export type JobCounts = z.infer<typeof JobCounts>;

export const Drift = z.strictObject({
  file: z.string(),
  stage: Stage,
  diff: z.string().describe('What the job changed, bounded.'),
  generated: z.string().optional().describe('The generated group the file belongs to.'),
});
export type Drift = z.infer<typeof Drift>;

/** How a standard fared. Only `held` is good; `deferred` and `skipped` were not measured. */
export const standardStates = ['held', 'regressed', 'loosened', 'unmeasured', 'deferred', 'skipped'] as const;

export const StandardResult = z.strictObject({
  name: z.string(),
  state: z
    .enum(standardStates)
    .describe(
      'held: no worse than its limit; regressed: worse; loosened: the limit is weaker than the trunk’s, or gone; unmeasured: no number could be read; deferred: measured on demand only; skipped: not reached.',
    ),
  direction: z.enum(['up', 'down']).describe('up: the limit is a floor; down: it is a ceiling.'),
  limit: z.number().optional().describe('Absent when the branch deleted the standard.'),
  trunk_limit: z.number().optional().describe('The limit on the trunk, where there is one.'),
  value: z.number().optional().describe('What was measured, as the limit is compared with it.'),
  per: z.string().optional().describe('What the metric is divided by, in words.'),
  replayed_from: z
    .string()
    .optional()
    .describe('The commit the value was measured on; since then no input of the standard changed.'),
  pin: z.number().optional().describe('The limit that pinning would set.'),
  history: z
    .array(z.number())
    .optional()
    .describe('What was measured on clean commits, oldest first, this one last.'),
});
export type StandardResult = z.infer<typeof StandardResult>;

export const GateData = z.strictObject({
  ...where,
  clean: z.boolean().describe('The tree was clean and committed when the run began.'),
  proof: ProofState.optional(),
  jobs: JobCounts,
  scopes: z.array(ScopeResult),
  standards: z.array(StandardResult).optional(),
  drift: z.array(Drift).optional(),
});
export type GateData = z.infer<typeof GateData>;

export const ScopesData = z.strictObject({
  ...where,
  trunk: z.string(),
  scopes: z.array(ScopeResult),
  code: z.array(z.string()).describe('Changed paths in no scope: they count as code.'),
  neutral: z
    .boolean()
    .describe('Every change lies in neutral scopes, so no scope’s gate runs; every job does.'),
});
export type ScopesData = z.infer<typeof ScopesData>;

export const ExplainData = z.strictObject({
  ...where,
  job: z.string(),
  runs: z.boolean().describe('Whether done would run it now.'),
  why: z.string(),
  earlier: z
    .strictObject({
      commit: z.string(),
      worktree: z.string(),
      at: z.string(),
      outcome: z.enum(['passed', 'failed']),
    })
    .optional()
    .describe('The run it is compared with: its last; of one that is reused, the one before that.'),
  files: z.array(z.string()).optional().describe('Its inputs that differ since.'),
  more: z.number().int().optional().describe('How many more do.'),
  differs: z.array(z.string()).optional().describe('What else does, in words.'),
  reused: z.number().int().describe('How often a result stood in.'),
  disagreed: z.number().int().describe('How often a checking run failed where it had passed.'),
});
export type ExplainData = z.infer<typeof ExplainData>;

export const StandardsData = z.strictObject({
  ...where,
  clean: z.boolean().describe('The tree was clean and committed, so the values are kept as history.'),
  standards: z.array(StandardResult),
  limits: z
    .strictObject({ verified: z.boolean(), trunk: z.string().optional() })
    .describe('Whether the limits were compared with the trunk’s; not without a trunk.'),
  drift: z.array(Drift).optional(),
  pinned: z
    .array(z.strictObject({ name: z.string(), from: z.number(), to: z.number() }))
    .optional()
    .describe('The limits that were tightened.'),
  pin_commit: z.string().optional().describe('The commit that tightened them.'),
  proof: ProofState.optional().describe('After a pin: the proof, carried over where there was a valid one.'),
});
export type StandardsData = z.infer<typeof StandardsData>;
