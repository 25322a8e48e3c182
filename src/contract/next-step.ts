import type { StatusData } from './data.ts';

/** A verb that may be what comes next. */
export type NextVerb = 'start' | 'update' | 'done' | 'accept';

export interface NextStep {
  verb: NextVerb;
  /** What it does here, as one short sentence. */
  words: string;
}

/**
 * The one thing to do next in a checkout: start a worktree from the trunk, bring the trunk in where it moved on, land what is proved,
 * else run the gate. Undefined in a worktree in which nothing has been done yet.
 */
export function nextStep({
  branch,
  trunk,
  ahead,
  behind,
  clean,
  proof,
}: Pick<StatusData, 'branch' | 'trunk' | 'ahead' | 'behind' | 'clean' | 'proof'>): NextStep | undefined {
  if (branch === trunk && clean) return { verb: 'start', words: 'Begin work in a worktree of its own.' };
  if (branch === trunk) return { verb: 'done', words: `The changes here are on ${trunk} itself.` };
  if (behind > 0) return { verb: 'update', words: `Bring ${trunk} in: it has moved on.` };
  if (proof.state === 'valid' && ahead > 0)
    return { verb: 'accept', words: `It is proved: land it on ${trunk}.` };
  if (ahead === 0 && clean) return undefined;
  return { verb: 'done', words: clean ? 'Run the gate to earn the proof.' : 'Commit, then run the gate.' };
}
