/** The command that clears away what discern itself can. */
export const PRUNE = 'discern prune --no-dry-run';
