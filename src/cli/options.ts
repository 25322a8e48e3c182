import type { Args, Verb } from '../contract/verbs.ts';

/** An option as yargs takes it, as far as we use it. */
export interface OptionSpec {
  type: 'boolean' | 'string';
  describe: string;
  alias?: string;
  requiresArg?: boolean;
}

/** What yargs made of a command line. */
export type Parsed = Record<string, unknown>;

/** One verb at a terminal: how it is written, and how that becomes the arguments of the contract. */
export interface Command<V extends Verb> {
  /** The verb and its positionals, as yargs writes them. */
  usage: string;
  describe: string;
  positionals: Record<string, string>;
  options: Record<string, OptionSpec>;
  args(parsed: Parsed): Args<V>;
  /** True when the person is shown the preview and asked first. */
  asks?(parsed: Parsed): boolean;
}

/** A command line that means nothing: the person wrote something else than they wanted. Exit code 2. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** Where the owner wants a person asked first. */
export const consenting = {
  yes: { type: 'boolean', alias: 'y', describe: 'Do it without asking, where [consent] asks' },
} as const;

/** Options every verb takes. */
export const shared: Record<string, OptionSpec> = {
  path: {
    type: 'string',
    alias: 'C',
    requiresArg: true,
    describe: 'Any directory of the project to act on, instead of the current one',
  },
  json: { type: 'boolean', describe: 'Print the result as one JSON document, and nothing else' },
  color: { type: 'boolean', describe: 'Colour the output; --no-color does not (default: on a terminal)' },
};

export const dryRun: Record<string, OptionSpec> = {
  'dry-run': { type: 'boolean', alias: 'n', describe: 'Only say what would happen' },
};

/** A value as text; of an option that was given several times the last one counts. */
export function text(value: unknown): string | undefined {
  const last = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' && last !== '' ? last : undefined;
}

/** How a worktree is named, whatever directory the person stands in. */
export const namedWorktree = 'Its id, branch or directory, as status and fleet list it';

/** What was typed for an argument, an empty text included: it clears. */
export function given<Name extends string>(name: Name, parsed: Parsed): { [N in Name]?: string } {
  const value = Array.isArray(parsed[name]) ? (parsed[name] as unknown[]).at(-1) : parsed[name];
  return (typeof value === 'string' ? { [name]: value } : {}) as { [N in Name]?: string };
}

/** A number that was typed behind an option. */
export function amount(name: string, parsed: Parsed): Record<string, number> {
  const typed = text(parsed[name]);
  if (typed === undefined) return {};
  if (!/^[1-9]\d{0,8}$/.test(typed)) throw new Misuse(`--${name} takes a number, 1 or more.`);
  return { [name]: Number(typed) };
}

/** Only the worktrees with a ticket. */
export const byTicket: Record<string, OptionSpec> = {
  ticket: { type: 'string', requiresArg: true, describe: 'Only worktrees with this ticket' },
};

export function ticketOf(parsed: Parsed): { ticket?: string } {
  const ticket = text(parsed.ticket);
  return ticket === undefined ? {} : { ticket };
}

export const preview = (parsed: Parsed) => (parsed['dry-run'] === true ? { dry_run: true } : {});

export const gateVerb = (verb: string, describe: string) => ({
  usage: verb,
  describe,
  positionals: {},
  options: dryRun,
  args: preview,
});
