import type * as z from 'zod';

/**
 * Where a verb begins. `project`: at a project's root. `directory`: at a directory that is there, a project's or not.
 * `anywhere`: also at one that is gone. `none`: it is about no checkout, takes no `path`, and answers wherever it is called.
 * `known`: at the projects this user has, the one of `path` or of the held root first; it needs neither.
 */
export type Begins = 'project' | 'directory' | 'anywhere' | 'known' | 'none';

/**
 * Whether a call may run commands that the project or its repository names: jobs, standards, setup, hooks, and what makes and
 * removes a worktree's resources. `when` holds if every argument has that value, `unless` fails if any one has.
 */
export type RunsCommands =
  | 'never'
  | 'may'
  | { readonly when: Readonly<Record<string, unknown>> }
  | { readonly unless: Readonly<Record<string, unknown>> };

/** What the programs must know of a verb. Every one is required: a verb that nobody classified does not compile. */
export interface VerbTraits {
  readonly begins: Begins;
  readonly runsCommands: RunsCommands;
  /** Its success may move the held root: later calls without `path` wait for it. */
  readonly movesHeldRoot: boolean;
  /**
   * What it does where its caller stands in another checkout (contract §3). `follow`: it judges a tree or moves a branch, and
   * about the wrong one it would be a false green, or worse. `tell`: it only looks, and says so. `ignore`: it names what it is
   * about, or is about no checkout.
   */
  readonly callerElsewhere: 'follow' | 'tell' | 'ignore';
  /** Its end is a reason for the views of VS Code to read the status again. */
  readonly refreshesViews: boolean;
  /** The Gate view `offers` it on buttons, `shows` its jobs once they run, or has `nothing` to show of it. */
  readonly gateView: 'offers' | 'shows' | 'nothing';
  /** Reads git and answers soon, so VS Code may stop waiting for it. */
  readonly quick: boolean;
  /** Cancelling may end any git of it: it moves nothing and has nothing to tell then, or takes back what it made. */
  readonly cancelsAnywhere: boolean;
  /** `own`: the texts for agents and for terminals have lines of its own. `common`: what they say of every verb is enough. */
  readonly report: 'own' | 'common';
  /** Its title in VS Code's command palette; null for a verb that is not there. */
  readonly palette: string | null;
}

/** Everything about one verb that is more than code. */
export interface VerbDescriptor {
  readonly title: string;
  /** What agents read, on a server that holds a root. */
  readonly description: string;
  /** The same where there is no held root; null where the words are true of both. */
  readonly remoteDescription: string | null;
  /**
   * How it is described where it is told to only look (`Context.lookOnly`), though on its own it may change something. Null for
   * a verb that never changes anything, and for one that a server with `--read-only` withholds.
   */
  readonly looking: { readonly description: string; readonly remoteDescription: string } | null;
  readonly args: z.ZodObject;
  readonly data: z.ZodObject;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  readonly traits: VerbTraits;
}
