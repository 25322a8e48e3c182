import * as z from 'zod';
import { ExplainData, VerifyData } from './data.ts';
import type { VerbDescriptor } from './verb.ts';
import { path } from './verb-arguments.ts';

const traits = {
  begins: 'project',
  runsCommands: 'never',
  movesHeldRoot: false,
  callerElsewhere: 'tell',
  refreshesViews: false,
  gateView: 'nothing',
  cancelsAnywhere: true,
  report: 'common',
  palette: null,
} as const;

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

/** The verbs that say what a result rests on. */
export const evidenceVerbs = {
  explain: {
    title: 'Explain why a job runs or is reused',
    description: 'Say why `done` would run a job or reuse its result, and which inputs differ.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ job: z.string().describe('As discern.toml names it.'), path }),
    data: ExplainData,
    annotations,
    traits: { ...traits, quick: true },
  },
  verify: {
    title: 'Check the proof of a commit',
    description: 'Check the note that proves a commit’s tree: what it says, and who signed it.',
    remoteDescription: null,
    looking: null,
    args: z.strictObject({ commit: z.string().optional().describe('Default: HEAD.'), path }),
    data: VerifyData,
    annotations,
    traits: { ...traits, quick: false },
  },
} as const satisfies Record<string, VerbDescriptor>;
