import * as z from 'zod';
import { refusals } from './refusals.ts';

/** The gate's stages, in the order `done` runs them; `check` and `test` run together. */
export const stages = ['fix', 'build', 'check', 'test', 'scope'] as const;
export const Stage = z.enum(stages);
export type Stage = z.infer<typeof Stage>;

export const outcomes = ['passed', 'failed', 'cancelled', 'skipped', 'timed_out'] as const;
export const Outcome = z.enum(outcomes);
export type Outcome = z.infer<typeof Outcome>;

/** What one job did. */
export const Step = z.strictObject({
  name: z.string().describe('The job, or `scope:<name>` for a scope gate.'),
  stage: z.enum([...stages, 'setup']),
  outcome: Outcome,
  duration_ms: z.number().describe('Wall time in milliseconds; 0 for a job that did not run.'),
  exit_code: z.number().int().optional(),
  output_path: z.string().optional().describe('File holding everything the job printed.'),
  output_lines: z.number().int().optional(),
  reused: z
    .strictObject({
      commit: z.string(),
      worktree: z.string().describe('The root it ran in.'),
      at: z.string().describe('When it ended there.'),
    })
    .optional()
    .describe('It did not run: an earlier result of the same declared inputs stands in for it.'),
});
export type Step = z.infer<typeof Step>;

/** Another place that a finding speaks of: where a thing was declared, the other half of a conflict. */
export const Related = z.strictObject({
  message: z.string(),
  file: z.string().optional(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
});
export type Related = z.infer<typeof Related>;

/** One finding a person or an agent can act on. */
export const Diagnostic = z.strictObject({
  tool: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  reproduce_cmd: z.string().describe('The command that shows this again, run in the root.'),
  file: z.string().optional().describe('A file of the root, relative to it.'),
  line: z.number().int().optional().describe('1-based.'),
  column: z.number().int().optional().describe('1-based.'),
  end_line: z.number().int().optional().describe('1-based; the line it ends on.'),
  end_column: z.number().int().optional().describe('1-based; the column behind its last character.'),
  rule: z.string().optional(),
  rule_url: z.string().optional().describe("The rule's documentation, where the tool prints it."),
  related: z.array(Related).optional(),
  output: z.string().optional().describe('The tail of what the job printed, bounded.'),
  output_path: z.string().optional(),
});
export type Diagnostic = z.infer<typeof Diagnostic>;

/** What a preview says would happen; nothing has. */
export const Plan = z.strictObject({
  title: z.string(),
  steps: z.array(
    z.strictObject({
      action: z.string(),
      detail: z.string().optional(),
    }),
  ),
});
export type Plan = z.infer<typeof Plan>;

/** Every verb's answer: the CLI's `--json`, MCP's `structuredContent`, the extension's input. */
export const envelopeShape = {
  ok: z.boolean(),
  verb: z.string(),
  dry_run: z.boolean().optional().describe('True for a preview: nothing was changed.'),
  plan: Plan.optional(),
  steps: z.array(Step).optional(),
  diagnostics: z.array(Diagnostic).optional(),
  hints: z.array(z.string()).optional(),
  error: z.enum(refusals).optional(),
  message: z.string().optional().describe('One plain sentence that says what to do next.'),
  more: z
    .record(z.string(), z.union([z.number(), z.string()]))
    .optional()
    .describe('How many entries each list has beyond those here; `cursor` asks status for the next ones.'),
};

/** The envelope of one verb, its `data` complete on success and partial on refusal. */
export interface Envelope<Data = Record<string, unknown>> {
  ok: boolean;
  verb: string;
  dry_run?: boolean;
  plan?: Plan;
  steps?: Step[];
  diagnostics?: Diagnostic[];
  data?: Partial<Data>;
  hints?: string[];
  error?: (typeof refusals)[number];
  message?: string;
  more?: Record<string, number | string>;
}

/**
 * The schema of a verb's envelope. MCP clients validate refusals against it too, so on the wire every
 * field of `data` is optional; `ok: true` answers carry the whole of `data` (see `verbs`).
 */
export function envelopeSchema<Shape extends z.ZodRawShape>(verb: string, data: z.ZodObject<Shape>) {
  return z.strictObject({ ...envelopeShape, verb: z.literal(verb), data: data.partial().optional() });
}
