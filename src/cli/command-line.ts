import yargs from 'yargs';
import { setupClients } from '../contract/setup-clients.ts';
import type { Args, Verb } from '../contract/verbs.ts';
import { commands } from './commands.ts';
import { type Command, Misuse, type Parsed, shared, text } from './options.ts';
import { type SetupRequest, setupOf, setupOptions, setupUsage } from './setup-command.ts';

/** One verb to run. `path` is as it was typed. */
export interface Request {
  verb: Verb;
  args: Args<Verb>;
  path: string | undefined;
  /** Show the preview and ask before anything is done. */
  ask: boolean;
  /** The person has said yes already. */
  yes: boolean;
  /** Which jobs doctor is to trace, where it is. */
  traceInputs: { job: string | undefined } | undefined;
  /** A note that proves the tree may stand in for the gate. */
  ci: boolean;
  json: boolean;
  color: boolean | undefined;
}

/** What a command line asks for: a verb, the setup of a client, or a text (help, the version, completions). */
export type CommandLine = { request: Request } | { setup: SetupRequest } | { text: string };

const epilogue = `Exit codes: 0 all is well, 1 refused or failed, 2 wrong usage, 130 interrupted,
143 terminated. NO_COLOR and FORCE_COLOR are respected.`;

const widest = 100;

/** What the published types of yargs lack. */
type Configurable = ReturnType<typeof yargs> & {
  usageConfiguration(configuration: { 'hide-types': boolean }): Configurable;
};

/**
 * Reads the arguments behind `discern`. Throws {@link Misuse} for whatever is no command of ours, so that nothing is ever
 * done that was not asked for. Reads no environment, no directory and no file.
 */
export function readCommandLine(argv: readonly string[]): CommandLine {
  let request: Request | undefined;
  let setup: SetupRequest | undefined;
  let printed = '';
  const parser = (yargs([], '/') as Configurable)
    // The types of options say nothing that their descriptions do not.
    .usageConfiguration({ 'hide-types': true })
    .scriptName('discern')
    .usage('Usage: $0 <command> [options]')
    // Without a locale that is set, yargs guesses one and reads its translations from files we do not ship.
    .locale('en')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'strip-aliased': true,
    })
    .options(shared)
    .strict()
    .strictCommands()
    .alias('help', 'h')
    .version(DISCERN_VERSION)
    .alias('version', 'v')
    .epilogue(epilogue)
    .wrap(Math.min(process.stdout.columns || widest, widest))
    .fail((message, error) => {
      throw error instanceof Misuse ? error : new Misuse(message ?? error?.message);
    });
  for (const [verb, command] of Object.entries(commands) as [Verb, Command<Verb>][]) {
    parser.command(
      command.usage,
      command.describe,
      (own) => {
        for (const [name, describe] of Object.entries(command.positionals)) {
          own.positional(name, { type: 'string', describe });
        }
        return own
          .options(command.options)
          .group(Object.keys(command.options), 'Options:')
          .group([...Object.keys(shared), 'help', 'version'], 'Options of every command:');
      },
      (parsed: Parsed) => {
        request = requestOf(verb, command, parsed);
      },
    );
  }
  parser.command('mcp', 'Serve these verbs to agents over MCP; "discern mcp --help" says how', {}, () => {
    throw new Misuse('"mcp" must come first: discern mcp [options].');
  });
  parser.command(
    setupUsage,
    'Write the server into a client’s own configuration',
    (own) =>
      own
        .positional('client', { type: 'string', describe: `One of: ${setupClients.join(', ')}` })
        .options(setupOptions),
    (parsed: Parsed) => {
      setup = setupOf(parsed);
    },
  );
  parser.command('completion', 'Print a completion script for the shell in $SHELL', {}, () => {
    parser.showCompletionScript();
  });
  // yargs takes a last word "help" for the option; behind it an empty topic is none.
  const plain = argv.filter((word) => !word.startsWith('-'));
  const words = plain.length === 1 && plain[0] === 'help' ? [...argv, ''] : argv;
  parser.parse([...words], {}, (_error: unknown, _parsed: unknown, output: string) => {
    printed = output;
  });
  if (request) return { request };
  if (setup) return { setup };
  if (printed === '') throw new Misuse('No command was given.');
  return { text: argv.includes('--get-yargs-completions') ? tidied(printed) : printed };
}

function requestOf(verb: Verb, command: Command<Verb>, parsed: Parsed): Request {
  return {
    verb,
    args: command.args(parsed),
    path: text(parsed.path),
    ask: command.asks?.(parsed) ?? false,
    yes: parsed.yes === true,
    traceInputs: verb === 'doctor' && parsed.inputs === true ? { job: text(parsed.job) } : undefined,
    ci: verb === 'done' && parsed.ci === true,
    json: parsed.json === true,
    color: typeof parsed.color === 'boolean' ? parsed.color : undefined,
  };
}

/** yargs' completions without one-letter options behind two dashes, and with the second half of drop's choice. */
function tidied(completions: string): string {
  return completions
    .split('\n')
    .filter((line) => !/^--\w(?:[:\t]|$)/.test(line))
    .flatMap((line) => (line.startsWith('--delete-branch') ? [line, line.replace('--', '--no-')] : [line]))
    .join('\n');
}
