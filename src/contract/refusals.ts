/**
 * Every reason a verb may refuse or fail, as one closed union (contract §4). A slug is
 * stable: callers branch on it; the sentence beside it is for reading.
 */
export const refusals = [
  'not_initialized',
  'not_a_git_repository',
  'unborn_repository',
  'already_in_worktree',
  'not_in_worktree',
  'behind_trunk',
  'dirty_worktree',
  'dirty_landing_checkout',
  'landing_parked',
  'locked_worktree',
  'branch_exists',
  'path_exists',
  'path_not_found',
  'unknown_ref',
  'ambiguous_ref',
  'unknown_argument',
  'invalid_argument',
  'config_error',
  'gate_failed',
  'tree_drift',
  'generated_drift',
  'merge_conflict',
  'standard_regressed',
  'standard_loosened',
  'root_missing',
  'busy',
  'path_required',
  'cancelled',
  'timed_out',
  'partial_acceptance',
  'untrusted',
  'outside_project',
  'caller_elsewhere',
  'unavailable',
  'ambiguous',
  'internal_error',
] as const;

/** One stable slug of {@link refusals}. */
export type RefusalSlug = (typeof refusals)[number];
