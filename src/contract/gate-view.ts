import * as z from 'zod';
import { Drift, JobCounts, ProofState, ScopeResult, StandardResult } from './data.ts';
import { Diagnostic, Outcome, stages } from './envelope.ts';
import { gateVerbs } from './gate-verbs.ts';

/** One job of a run as the Gate view draws it. Times are milliseconds since the run began. */
export const GateJob = z.object({
  name: z.string(),
  stage: z.enum([...stages, 'setup']),
  /** `running` until it has an outcome. */
  state: z.union([z.literal('running'), Outcome]),
  start: z.number(),
  end: z.number().optional(),
  exit_code: z.number().optional(),
  output_path: z.string().optional(),
  output_lines: z.number().optional(),
  /** Whose result stands in for it, in words; it did not run. */
  reused: z.string().optional(),
  /** How far it says it is, in words; only while it runs. */
  far: z.string().optional(),
});
export type GateJob = z.infer<typeof GateJob>;

/** One run of a gate verb, whoever asked for it. */
export const GateRunView = z.object({
  call: z.number(),
  verb: z.string(),
  caller: z.enum(['person', 'agent']),
  root: z.string(),
  branch: z.string().nullable().optional(),
  commit: z.string().optional(),
  running: z.boolean(),
  /** Milliseconds the run has taken so far, when this was sent. */
  elapsed: z.number(),
  jobs: z.array(GateJob),
  /** What it waits for, if it does. */
  waiting: z.string().optional(),
  ok: z.boolean().optional(),
  error: z.string().optional(),
  message: z.string().optional(),
  hints: z.array(z.string()),
  diagnostics: z.array(Diagnostic),
  proof: ProofState.optional(),
  counts: JobCounts.optional(),
  scopes: z.array(ScopeResult),
  standards: z.array(StandardResult),
  drift: z.array(Drift),
});
export type GateRunView = z.infer<typeof GateRunView>;

/** A run that has ended, in a line. */
export const PastRun = z.object({
  call: z.number(),
  verb: z.string(),
  root: z.string(),
  ok: z.boolean(),
  /** When it ended, in milliseconds since 1970. */
  ended: z.number(),
  elapsed: z.number(),
  /** How long this verb usually takes: the median of the ten before it; absent of the first. */
  usual: z.number().optional(),
  ran: z.number(),
  reused: z.number(),
});
export type PastRun = z.infer<typeof PastRun>;

/** Verbs that the view may ask for: those of the gate, and whatever comes next. */
export const offeredVerbs = [...gateVerbs, 'accept', 'update', 'start'] as const;
export type OfferedVerb = (typeof offeredVerbs)[number];

/** What the Gate view shows; the extension sends the whole of it whenever it changes. */
export const GateViewState = z.object({
  /** Why nothing can run, such as an untrusted workspace; shown instead of the welcome. */
  blocked: z.string().optional(),
  held: z.string().nullable(),
  /** An editor or the panel, which have room for all of a run; the side bar has not. */
  roomy: z.boolean().optional(),
  /** The one thing to do next in the held root. */
  next: z.object({ verb: z.enum(offeredVerbs), words: z.string() }).optional(),
  /** How the held root's proof stands; absent while its status is not known. */
  proof: ProofState.optional(),
  /** Whether the held root has something to land, to be reviewed. */
  reviewable: z.boolean().optional(),
  /** The newest first. */
  history: z.array(PastRun).optional(),
  run: GateRunView.optional(),
});
export type GateViewState = z.infer<typeof GateViewState>;

/** Extension → view. */
export type ToGateView =
  | { type: 'state'; state: GateViewState }
  /** The answer to `output`: the end of a job's output, and how many bytes come before it. */
  | { type: 'output'; job: string; text: string; cut: number };

/** View → extension. */
export const FromGateView = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('run'), verb: z.enum(offeredVerbs) }),
  z.object({ type: z.literal('review') }),
  z.object({ type: z.literal('openEditor') }),
  /** Show a run of the history; the last one again without `call`. */
  z.object({ type: z.literal('showRun'), call: z.number().optional() }),
  /** Open a place that a job of the shown run printed. */
  z.object({
    type: z.literal('openPlace'),
    file: z.string(),
    line: z.number(),
    column: z.number().optional(),
  }),
  z.object({ type: z.literal('openUrl'), url: z.string() }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('output'), job: z.string() }),
  /** Open the whole output in an editor. */
  z.object({ type: z.literal('openOutput'), job: z.string() }),
  /** Open a finding's place; the index is into `run.diagnostics`. */
  z.object({ type: z.literal('open'), diagnostic: z.number() }),
]);
export type FromGateView = z.infer<typeof FromGateView>;
