import type { GateVerb } from './traits.ts';

/** What each verb the Gate view has a button for does, in the order of the buttons. */
export const gateVerbWords: Readonly<Record<GateVerb, string>> = {
  prepare: 'Runs the fixers and the checks.',
  test: 'Runs the tests.',
  done: 'Runs every job, and on a clean commit earns the proof.',
};

export const gateVerbs = Object.keys(gateVerbWords) as GateVerb[];
