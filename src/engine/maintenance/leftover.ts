import type { Context } from '../call/context.ts';
import type { Repository } from '../repository/repository.ts';

/** Something an interrupted run, or a person, left behind. */
export interface Leftover {
  /** What it is, in whole sentences. */
  what: string;
  /** The one command that cleans it up. */
  remedy: string;
  /** Absent where a person must decide. */
  cleanup?: Cleanup;
  /** The branch that nothing holds any more once it is cleaned up, as a full ref. */
  frees?: string;
  /** The branch it is, as a full ref. */
  branch?: string;
}

export interface Cleanup {
  /** What would be done, in two or three words, and to what. */
  action: string;
  detail: string;
  /** A directory that is there no more once it is done, or there again. */
  removes?: string;
  restores?: string;
  /**
   * Looks again, under the locks that matter, and does it. Resolves with a note worth telling, if there is one, and refuses
   * where things are not as they were found.
   */
  perform(repo: Repository, ctx: Context): Promise<string | undefined>;
}
