import { launchable } from '../contract/launchable.ts';
import type { agentVerbs } from '../contract/verbs-agents.ts';
import type { fleetVerbs } from '../contract/verbs-fleet.ts';
import type { worktreeVerbs } from '../contract/verbs-worktree.ts';
import {
  amount,
  byTicket,
  type Command,
  dryRun,
  given,
  Misuse,
  namedWorktree,
  preview,
  text,
  ticketOf,
} from './options.ts';

type FleetVerb = keyof typeof fleetVerbs | keyof typeof worktreeVerbs | keyof typeof agentVerbs;

/** The verbs about worktrees, agents and projects other than the one at hand. */
export const fleetCommands: { [V in FleetVerb]: Command<V> } = {
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
    options: byTicket,
    args: ticketOf,
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
  agents: {
    usage: 'agents',
    describe: 'List which agent clients are installed, with their versions',
    positionals: {},
    options: {},
    args(parsed) {
      if (text(parsed.path)) throw new Misuse('agents is about no directory: leave --path out.');
      return {};
    },
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
