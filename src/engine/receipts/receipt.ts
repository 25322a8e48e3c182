import { createHash } from 'node:crypto';
import * as z from 'zod';

/** Everything a result depends on, as far as its job declares it. Two results of equal parts are interchangeable. */
export const Parts = z.object({
  version: z.literal(1),
  project: z.string(),
  job: z.string(),
  commands: z.array(z.string()),
  platform: z.string(),
  inputs: z.object({ patterns: z.array(z.string()), files: z.number().int(), digest: z.string() }),
  toolchain: z.record(z.string(), z.string()),
  ignored: z.string().describe('A digest of its inputs that git ignores; empty for none.'),
  environment: z.record(z.string(), z.string()).describe('Each value under a key of this user’s.'),
  artifacts: z.array(z.string()),
  needs: z.record(z.string(), z.string()).describe('What each needed job stands for, in turn.'),
  measure: z.string().optional().describe('Of a standard: what is measured, and how.'),
});
export type Parts = z.infer<typeof Parts>;

/** The name of a result: what it depends on, in one line. */
export const keyOf = (parts: Parts): string => digestOf(parts);

export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** A copy of a file a job made. */
export const KeptFile = z.object({
  path: z.string(),
  sha256: z.string(),
  mode: z.number().int(),
  size: z.number().int(),
});
export type KeptFile = z.infer<typeof KeptFile>;

/** The record of how a job fared on one set of parts. */
export const Receipt = z.object({
  version: z.literal(1),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  parts: Parts,
  outcome: z.enum(['passed', 'failed']),
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  worktree: z.string().describe('The project root it ran in.'),
  began: z.number().describe('Milliseconds since 1970.'),
  ended: z.number(),
  duration_ms: z.number(),
  value: z.number().optional().describe('What a standard was measured as.'),
  artifacts: z.array(KeptFile),
});
export type Receipt = z.infer<typeof Receipt>;

export const receiptKind = { name: 'receipt', schema: Receipt };

/** How often results of each job stood in, and how often a run that was made all the same said otherwise. */
export const Counts = z.object({
  version: z.literal(1),
  jobs: z.record(
    z.string(),
    z.object({ reused: z.number().int().min(0), disagreed: z.number().int().min(0) }),
  ),
});
export type Counts = z.infer<typeof Counts>;

export const countsKind = { name: 'receipt-counts', schema: Counts };
