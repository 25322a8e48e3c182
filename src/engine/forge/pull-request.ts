import type { PullRequestCheck } from '../../contract/pull-request.ts';
import type { ForgeRepository } from '../fleet/ticket-ref.ts';
import type { ForgeTool } from './run-cli.ts';

/** Where pull requests of a repository go: its forge, and the command line that speaks to it. */
export interface Forge extends ForgeRepository {
  tool: ForgeTool;
  /** The git remote that branches are pushed to. */
  remote: string;
  /** The trunk's name over there. */
  base: string;
}

/** A pull request, or merge request, of one branch. */
export interface Found {
  number: number;
  url: string;
  state: 'open' | 'merged';
  /** The commit it is at, where the forge tells. */
  head?: string;
}

/** A check of a pull request, and what its log is asked by. */
export interface Check extends PullRequestCheck {
  job?: string;
}

/** What a new pull request says. */
export interface Wording {
  branch: string;
  title: string;
  body: string;
}

/** Where a forge's command line is run, and for how long. */
export interface Where {
  cwd: string;
  signal: AbortSignal;
}

/** One forge's command line. What fails is refused `unavailable`, in its own words. */
export interface ForgeCli {
  /** The pull requests of a branch that are open or merged, the newest first. */
  find(forge: Forge, branch: string, at: Where): Promise<Found[]>;
  /** Opens one, and resolves with its URL where it was told. */
  open(forge: Forge, wording: Wording, at: Where): Promise<string | undefined>;
  /** What its checks have come to; `undefined` where the command line cannot tell. */
  checks(forge: Forge, found: Found, at: Where): Promise<Check[] | undefined>;
  /** The command that shows a check's log. */
  logArgs(forge: Forge, check: Check): string[] | undefined;
}
