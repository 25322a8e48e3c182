import type { Verb } from './verbs.ts';

/**
 * Verbs that only look when they are told to (`Context.lookOnly`), though on their own they may change something; and how
 * they are described then. A server started with `--read-only` keeps these and the verbs whose annotations say
 * `readOnlyHint`, and withholds every other.
 */
export const lookingVerbs: Partial<Record<Verb, string>> = {
  status:
    'Show which checkout discern operates on (the held root), its branch, changes, distance from the trunk, proof, and all worktrees. An interrupted landing is named, not finished: this server only looks. Call it first, and whenever edits and gate results seem to disagree.',
};
