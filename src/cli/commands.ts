import { launchable } from '../contract/launchable.ts';
import type { Args, Verb } from '../contract/verbs.ts';

import {
  amount,
  type Command,
  consenting,
  dryRun,
  gateVerb,
  given,
  Misuse,
  namedWorktree,
  preview,
  shared,
  text,
} from './options.ts';
/** The verbs, in the order work goes through them. */
export const commands: { [V in Verb]: Command<V> } = {
  status: {
    usage: 'status',
    describe: 'Show the branch, its changes and proof, and all worktrees',
    positionals: {},
    options: {},
    args: () => ({}),
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
      return { ...(how && { how: how as Args<'accept'>['how'] }), ...preview(parsed) };
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
  sessions: {
    usage: 'sessions [repo]',
    describe: 'List the sessions of agent clients on this machine, the last active first',
    positionals: { repo: 'Only those in this repository: any directory of it, absolute' },
    options: {
      limit: { type: 'string', requiresArg: true, describe: 'How many at most (default: 50)' },
    },
    args(parsed) {
      if (text(parsed.path)) throw new Misuse('sessions takes no --path: name the repository behind it.');
      const repo = text(parsed.repo);
      return { ...(repo && { repo }), ...amount('limit', parsed) };
    },
  },
  recollect: {
    usage: 'recollect <session>',
    describe: 'Show what the person asked in one session, oldest first and uncut',
    positionals: { session: 'Its id, or the beginning of it, as sessions lists it' },
    options: {
      last: { type: 'string', requiresArg: true, describe: 'Only the last N' },
    },
    args(parsed) {
      if (text(parsed.path)) throw new Misuse('recollect is about no directory: leave --path out.');
      return { session: text(parsed.session) ?? '', ...amount('last', parsed) };
    },
  },
  fleet: {
    usage: 'fleet',
    describe: 'Show every project and worktree of yours, and the agents in them: those that need you first',
    positionals: {},
    options: {
      ticket: { type: 'string', requiresArg: true, describe: 'Only worktrees with this ticket' },
    },
    args(parsed) {
      const ticket = text(parsed.ticket);
      return ticket === undefined ? {} : { ticket };
    },
  },
  peek: {
    usage: 'peek <worktree>',
    describe: 'Look into a worktree: git, the last lines of its job, the last words of the agent in it',
    positionals: { worktree: namedWorktree },
    options: {},
    args: (parsed) => ({ worktree: text(parsed.worktree) ?? '' }),
  },
  projects: {
    usage: 'projects',
    describe: 'List the projects discern has met, and each of their checkouts',
    positionals: {},
    options: {},
    args: () => ({}),
  },
  phase: {
    usage: 'phase <worktree> [word]',
    describe: 'Show which phase of the work a worktree is in, or report it',
    positionals: { worktree: namedWorktree, word: 'The phase, such as testing; "" clears it' },
    options: {
      note: { type: 'string', requiresArg: true, describe: 'What there is to know of it, on one line' },
      blocked: { type: 'boolean', describe: 'It cannot go on by itself; --no-blocked: it can again' },
    },
    args: (parsed) => ({
      worktree: text(parsed.worktree) ?? '',
      ...given('word', parsed),
      ...given('note', parsed),
      ...(typeof parsed.blocked === 'boolean' && { blocked: parsed.blocked }),
    }),
  },
  todo: {
    usage: 'todo <worktree>',
    describe: 'Show the to-dos that an agent reported of its work in a worktree',
    positionals: { worktree: namedWorktree },
    options: {},
    args: (parsed) => ({ worktree: text(parsed.worktree) ?? '' }),
  },
  describe: {
    usage: 'describe <worktree>',
    describe: 'Show or change the title and the description of a worktree',
    positionals: { worktree: namedWorktree },
    options: {
      title: { type: 'string', requiresArg: true, describe: 'Its title; "" takes it away' },
      description: { type: 'string', requiresArg: true, describe: 'Its description; "" takes it away' },
    },
    args: (parsed) => ({
      worktree: text(parsed.worktree) ?? '',
      ...given('title', parsed),
      ...given('description', parsed),
    }),
  },
  ticket: {
    usage: 'ticket <action> <worktree> <ref>',
    describe: 'Attach an issue or a pull request to a worktree, or detach it',
    positionals: {
      action: 'attach or detach',
      worktree: namedWorktree,
      ref: 'Its URL, #42, 42 or owner/repo#42',
    },
    options: {},
    args(parsed) {
      const { action } = parsed;
      if (action !== 'attach' && action !== 'detach')
        throw new Misuse('ticket takes attach or detach: discern ticket attach <worktree> <ref>.');
      return { action, worktree: text(parsed.worktree) ?? '', ref: text(parsed.ref) ?? '' };
    },
  },
  park: {
    usage: 'park <worktree>',
    describe: 'Take a worktree’s directory away for a while, and keep everything in it',
    positionals: { worktree: namedWorktree },
    options: {},
    args: (parsed) => ({ worktree: text(parsed.worktree) ?? '' }),
  },
  unpark: {
    usage: 'unpark <worktree>',
    describe: 'Bring the directory of a parked worktree back, as it was',
    positionals: { worktree: namedWorktree },
    options: {},
    args: (parsed) => ({ worktree: text(parsed.worktree) ?? '' }),
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
  launch: {
    usage: 'launch <client>',
    describe: 'Launch an agent client in a worktree, in a terminal that tmux holds',
    positionals: { client: 'claude, codex, copilot, gemini or opencode' },
    options: {
      worktree: {
        type: 'string',
        alias: 'w',
        requiresArg: true,
        describe: `${namedWorktree} (default: a new one)`,
      },
      name: { type: 'string', requiresArg: true, describe: 'What a new worktree is for; names its branch' },
      prompt: { type: 'string', alias: 'p', requiresArg: true, describe: 'Its first task' },
      model: { type: 'string', requiresArg: true, describe: 'The model, as the client names it' },
      resume: {
        type: 'string',
        requiresArg: true,
        describe: 'The session to go on with, as sessions lists it',
      },
      ...dryRun,
    },
    args(parsed) {
      const client = launchable.find((one) => one === parsed.client);
      if (client === undefined) throw new Misuse(`launch takes one of ${launchable.join(', ')}.`);
      const given = (['worktree', 'name', 'prompt', 'model', 'resume'] as const).flatMap((name) => {
        const value = text(parsed[name]);
        return value === undefined ? [] : [[name, value]];
      });
      return { client, ...Object.fromEntries(given), ...preview(parsed) };
    },
  },
  message: {
    usage: 'message <worktree> <text..>',
    describe: 'Type a text to the agent that was launched in a worktree',
    positionals: { worktree: namedWorktree, text: 'What to tell it' },
    options: {},
    args: (parsed) => ({
      worktree: text(parsed.worktree) ?? '',
      text: Array.isArray(parsed.text) ? parsed.text.join(' ') : '',
    }),
  },
  remap: {
    usage: 'remap <worktree> <session>',
    describe: 'Say which agent session a worktree follows',
    positionals: {
      worktree: namedWorktree,
      session: 'Its id or the beginning of it, as sessions lists it; "" for none',
    },
    options: {},
    args: (parsed) => ({
      worktree: text(parsed.worktree) ?? '',
      session: typeof parsed.session === 'string' ? parsed.session : '',
    }),
  },
};

/** Every long option of a verb as it can be typed, for suggesting one. */
export function optionNames(verb: Verb | undefined): string[] {
  const own = verb === undefined ? {} : commands[verb].options;
  const names = Object.entries({ ...own, ...shared }).flatMap(([name, { type }]) =>
    type === 'boolean' ? [name, `no-${name}`] : [name],
  );
  return [...names, 'help', 'version'];
}
