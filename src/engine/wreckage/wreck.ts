import type { Context } from '../context.ts';
import type { Repository } from '../repository.ts';

/** The command that mends what discern can mend itself. */
export const PRUNE = 'discern prune --no-dry-run';

/** Something an interrupted run, or a hand, left behind. */
export interface Wreck {
  /** What it is, in whole sentences. */
  what: string;
  /** The one command that mends it. */
  remedy: string;
  /** Absent where a person must decide. */
  mend?: Mend;
  /** The branch that nothing holds any more once it is mended. */
  frees?: string;
}

export interface Mend {
  /** What would be done, in two or three words, and to what. */
  action: string;
  detail: string;
  /**
   * Looks again, under the locks that matter, and does it. Resolves with a note worth telling, if there is one, and refuses
   * where things are not as they were found.
   */
  perform(repo: Repository, ctx: Context): Promise<string | undefined>;
}
