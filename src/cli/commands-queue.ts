import type { Args } from '../contract/verbs.ts';
import type { queueVerbs } from '../contract/verbs-queue.ts';
import { amount, type Command, Misuse, text } from './options.ts';

/** The verbs about work that waits for its turn to land. */
export const queueCommands: { [V in keyof typeof queueVerbs]: Command<V> } = {
  queue: {
    usage: 'queue [action] [entry]',
    describe: 'List what waits to land; run, hold, release or drop',
    positionals: {
      action: 'list, run, hold, release or drop (default: list)',
      entry: 'Its name, branch or worktree, as queue lists it',
    },
    options: {},
    args(parsed) {
      const action = text(parsed.action);
      const entry = text(parsed.entry);
      // Whether it is one of these is for the arguments' schema to say.
      return {
        ...(action && { action: action as NonNullable<Args<'queue'>['action']> }),
        ...(entry && { entry }),
      };
    },
  },
  await: {
    usage: 'await <until> [worktree]',
    describe: 'Wait until work is green or landed, the trunk moved, or a pull request’s checks ended',
    positionals: {
      until: 'green, landed, trunk_moved or checks (of its pull request)',
      worktree: 'A queue entry, branch or worktree (default: this one)',
    },
    options: {
      timeout: { type: 'string', requiresArg: true, describe: 'How many seconds at most (default: 600)' },
    },
    args(parsed) {
      const until = text(parsed.until);
      if (until === undefined)
        throw new Misuse('await needs what to wait for: green, landed, trunk_moved or checks.');
      const worktree = text(parsed.worktree);
      return {
        until: until as Args<'await'>['until'],
        ...(worktree && { worktree }),
        ...amount('timeout', parsed),
      };
    },
  },
};
