import type { Step } from './envelope.ts';

/** Of which run a job's result is, in words that follow the job's name. */
export const reusedWords = ({ commit, at, worktree }: NonNullable<Step['reused']>): string =>
  `reused from ${commit.slice(0, 10)} (${at.slice(0, 16).replace('T', ' ')} UTC in ${worktree})`;
