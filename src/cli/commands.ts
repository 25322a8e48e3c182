import type { Args, Verb } from '../contract/verbs.ts';
import { fleetCommands } from './commands-fleet.ts';
import { queueCommands } from './commands-queue.ts';

import {
  byTicket,
  type Command,
  consenting,
  dryRun,
  gateVerb,
  Misuse,
  preview,
  shared,
  text,
  ticketOf,
} from './options.ts';
/** The verbs, in the order work goes through them. */
export const commands: { [V in Verb]: Command<V> } = {
  status: {
    usage: 'status',
    describe: 'Show the branch, its changes and proof, and all worktrees',
    positionals: {},
    options: byTicket,
    args: ticketOf,
  },
  start: {
    usage: 'start [name..]',
    describe: 'Make a worktree on a new branch for one piece of work',
    positionals: { name: 'What the work is about, in a few words; names the branch' },
    options: {
      from: {
        type: 'string',
        requiresArg: true,
        describe: 'Branch, tag or commit to start from (default: the trunk)',
      },
      ...dryRun,
    },
    args(parsed) {
      const name = text(Array.isArray(parsed.name) ? parsed.name.join(' ') : undefined);
      const from = text(parsed.from);
      return { ...(name && { name }), ...(from && { from }), ...preview(parsed) };
    },
  },
  prepare: gateVerb('prepare', 'Run the fix jobs, which rewrite files, and the check jobs'),
  test: gateVerb('test', 'Run the test jobs'),
  commit: {
    usage: 'commit [paths..]',
    describe: 'Commit in this worktree, as git commit would: these paths, or everything',
    positionals: { paths: 'Files or directories, relative to the project (default: everything)' },
    options: {
      message: { type: 'string', alias: 'm', requiresArg: true, describe: 'The message of the commit' },
      ...dryRun,
    },
    args(parsed) {
      const message = text(parsed.message);
      if (message === undefined) throw new Misuse('commit needs a message: --message "…".');
      const paths = Array.isArray(parsed.paths) ? parsed.paths.map(String) : [];
      return { message, ...(paths.length > 0 && { paths }), ...preview(parsed) };
    },
  },
  done: {
    ...gateVerb('done', 'Run the whole gate, and record the proof when it is green'),
    options: {
      ...dryRun,
      rerun: {
        type: 'boolean',
        describe: 'Run every job, also where an earlier result would stand in for it',
      },
      ci: {
        type: 'boolean',
        describe: 'Run nothing where a signed note proves this very tree already',
      },
    },
    args: (parsed) => ({ ...preview(parsed), ...(parsed.rerun === true && { rerun: true }) }),
  },
  update: {
    usage: 'update [from]',
    describe: "Merge the trunk, or another branch, into this worktree's branch",
    positionals: { from: 'Branch, tag or commit to merge (default: the trunk)' },
    options: {
      fetch: {
        type: 'boolean',
        describe: "Fetch the trunk's upstream first, and merge it where it has more",
      },
      ...dryRun,
    },
    args(parsed) {
      const from = text(parsed.from);
      return { ...(from && { from }), ...(parsed.fetch === true && { fetch: true }), ...preview(parsed) };
    },
  },
  accept: {
    usage: 'accept',
    describe: 'Land this worktree on the trunk, then remove it and its branch',
    positionals: {},
    options: {
      push: {
        type: 'boolean',
        describe: "Fetch the trunk's upstream, land together with it, and push the trunk; never forces",
      },
      pr: {
        type: 'boolean',
        describe:
          'Land nothing: push the branch and open a pull request by gh, glab or tea; again tells its checks',
      },
      queue: {
        type: 'boolean',
        describe: 'Give it a place in the queue, and return at once; await and queue run land it',
      },
      how: {
        type: 'string',
        requiresArg: true,
        describe: 'ff, merge, squash or rebase (default: [landing] how of discern-vscode.toml, else ff)',
      },
      ...consenting,
      ...dryRun,
    },
    args(parsed) {
      const how = text(parsed.how);
      // Whether it is one of the four is for the arguments' schema to say.
      return {
        ...(parsed.push === true && { push: true }),
        ...(parsed.pr === true && { pr: true }),
        ...(parsed.queue === true && { queue: true }),
        ...(how && { how: how as Args<'accept'>['how'] }),
        ...preview(parsed),
      };
    },
  },
  scopes: {
    usage: 'scopes',
    describe: 'Show which scopes the changes since the trunk fall in',
    positionals: {},
    options: {},
    args: () => ({}),
  },
  explain: {
    usage: 'explain <job>',
    describe: 'Say why done would run a job or reuse its result, and which files differ',
    positionals: { job: 'A job, scopes.<name>.gate or standards.<name>, as discern.toml has it' },
    options: {},
    args: (parsed) => ({ job: text(parsed.job) ?? '' }),
  },
  verify: {
    usage: 'verify [commit]',
    describe: 'Check the note that proves a commit, and who signed it',
    positionals: { commit: 'A commit, or what names one (default: HEAD)' },
    options: {},
    args(parsed) {
      const commit = text(parsed.commit);
      return commit ? { commit } : {};
    },
  },
  standards: {
    usage: 'standards [names..]',
    describe: 'Measure the standards; with --pin, tighten the limits that improved',
    positionals: { names: 'Only these standards (default: all)' },
    options: {
      pin: { type: 'boolean', describe: 'Tighten the limits that improved in discern.toml, and commit that' },
      ...dryRun,
    },
    args(parsed) {
      const names = Array.isArray(parsed.names) ? parsed.names.map(String) : [];
      return {
        ...(names.length > 0 && { names }),
        ...(parsed.pin === true && { pin: true }),
        ...preview(parsed),
      };
    },
  },
  drop: {
    usage: 'drop <worktree>',
    describe: 'Remove a worktree without landing it',
    positionals: { worktree: 'Its id, branch or directory, as status lists it' },
    options: {
      'delete-branch': {
        type: 'boolean',
        describe: 'Delete its branch too; --no-delete-branch keeps it. One of the two must be given',
      },
      force: {
        type: 'boolean',
        alias: 'f',
        describe: 'Drop uncommitted or unlanded work too; a recovery ref keeps it',
      },
      ...consenting,
      ...dryRun,
    },
    args(parsed) {
      const choice = parsed['delete-branch'];
      if (typeof choice !== 'boolean') {
        throw new Misuse('drop must be told about the branch: --delete-branch or --no-delete-branch.');
      }
      return {
        worktree: text(parsed.worktree) ?? '',
        delete_branch: choice,
        ...(parsed.force === true && { force: true }),
        ...preview(parsed),
      };
    },
  },
  prune: {
    usage: 'prune',
    describe: 'Show the leftovers of interrupted runs; with --no-dry-run, clean them up',
    positionals: {},
    options: {
      'dry-run': {
        type: 'boolean',
        alias: 'n',
        describe: 'Only say what would go, which is the default; --no-dry-run does it',
      },
    },
    args: (parsed) => ({ dry_run: parsed['dry-run'] !== false }),
  },
  init: {
    usage: 'init',
    describe: 'Write a discern.toml from what is here, and try its gate',
    positionals: {},
    options: {
      yes: { type: 'boolean', alias: 'y', describe: 'Write it without asking' },
      prove: { type: 'boolean', describe: 'Try the gate in a throwaway worktree; --no-prove does not' },
      ...dryRun,
    },
    args: (parsed) => ({ ...(parsed.prove === false && { prove: false }), ...preview(parsed) }),
    asks: (parsed) => parsed.yes !== true && parsed['dry-run'] !== true,
  },
  doctor: {
    usage: 'doctor [job]',
    describe: 'Look for what is wrong here, and say what to do about it',
    positionals: { job: 'With --inputs: only this job' },
    options: {
      inputs: {
        type: 'boolean',
        describe: 'Run jobs under strace, and list files they read that their inputs leave out',
      },
    },
    args(parsed) {
      if (text(parsed.job) !== undefined && parsed.inputs !== true)
        throw new Misuse('doctor takes a job only with --inputs.');
      return {};
    },
  },
  help: {
    usage: 'help [topic]',
    describe: 'Explain discern: a topic, a verb, or the error of an answer',
    positionals: { topic: 'What to explain; without it the topics are listed' },
    options: {},
    args(parsed) {
      if (text(parsed.path)) throw new Misuse('help is about no directory: leave --path out.');
      const topic = text(parsed.topic);
      return topic ? { topic } : {};
    },
  },
  ...fleetCommands,
  ...queueCommands,
};

/** Every long option of a verb as it can be typed, for suggesting one. */
export function optionNames(verb: Verb | undefined): string[] {
  const own = verb === undefined ? {} : commands[verb].options;
  const names = Object.entries({ ...own, ...shared }).flatMap(([name, { type }]) =>
    type === 'boolean' ? [name, `no-${name}`] : [name],
  );
  return [...names, 'help', 'version'];
}
