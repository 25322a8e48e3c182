import type { Finding } from '../finding.ts';

/** A finding whose place and words stand on lines of their own. */
export interface Block {
  tool: string;
  /** Groups as of a row; `message` may be missing. */
  head: RegExp;
  /** Below the head: the place, where the head has none. The lines between may be many. */
  place?: RegExp;
  /** How far below it stands. */
  within?: number;
  /** Below the place: the words, group `message` and perhaps `rule` and `severity`. */
  said?: RegExp;
  /** Lines that belong to it, and go on with its message where `join` says so. */
  body?: RegExp;
  join?: RegExp;
  /** Stops the search for the place and the words. */
  stop?: RegExp;
  base?: number;
  severity?: Finding['severity'];
  message?: string;
  /** Only where the words were found. */
  needsWords?: boolean;
}
