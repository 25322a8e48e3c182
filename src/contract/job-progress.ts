import * as z from 'zod';

const Count = z.int().min(0);
const text = (most: number) =>
  z
    .string()
    .min(1)
    .transform((given) => (given.length <= most ? given : `${given.slice(0, most)}…`));

/** How far a running job says it is. */
export const JobProgress = z.object({
  kind: z.string().optional(),
  completed: Count.optional(),
  total: Count.optional(),
  passed: Count.optional(),
  failed: Count.optional(),
  skipped: Count.optional(),
  active: z.array(z.string()).optional(),
});
export type JobProgress = z.infer<typeof JobProgress>;

/** A failure it has found already. */
export const JobFailure = z.object({
  name: text(512),
  message: text(4096),
  file: text(1024).optional(),
  line: Count.optional(),
  reproduce: text(2048).optional(),
});
export type JobFailure = z.infer<typeof JobFailure>;

/** What stands behind the word DISCERN_PROGRESS on a line a job prints. Members we do not know are left alone. */
export const ProgressLine = z.object({
  units: z.object({ kind: text(64), completed: Count, total: Count.nullish() }).optional(),
  results: z
    .object({ passed: Count.optional(), failed: Count.optional(), skipped: Count.optional() })
    .optional(),
  active: z.array(text(256)).max(32).optional(),
  elapsed_ms: Count.optional(),
  partial: z.boolean().optional(),
  failure: JobFailure.optional(),
});
