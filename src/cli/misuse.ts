import type { Envelope } from '../contract/envelope.ts';
import type { Verb } from '../contract/verbs.ts';
import { nearest } from '../engine/words/nearest.ts';
import { commands, optionNames } from './commands.ts';
import type { Misuse } from './options.ts';

/** A usage error in the words a person reads, and what `--json` answers when the verb at least is known. */
export interface Explained {
  text: string;
  envelope: Envelope | undefined;
}

/**
 * Words a usage error: names what is wrong as it was typed, the nearest thing that exists, and where the help is.
 */
export function explain(misuse: Misuse, argv: readonly string[]): Explained {
  const verb = argv.find((word): word is Verb => Object.hasOwn(commands, word));
  const listed = /^Unknown (?:arguments?|commands?): (.*)$/s.exec(misuse.message)?.[1];
  // yargs joins several with a comma, which may also stand in one.
  const unknown = listed !== undefined && argv.includes(listed) ? listed : listed?.split(', ')[0];
  const message = unknown === undefined ? reworded(misuse.message, verb) : strange(unknown, argv, verb);
  const help = verb === undefined ? 'discern --help' : `discern ${verb} --help`;
  return {
    text: `discern: ${message}\nSee "${help}".\n`,
    envelope:
      verb === undefined
        ? undefined
        : {
            ok: false,
            verb,
            error: unknown === undefined ? 'invalid_argument' : 'unknown_argument',
            message: `${message} See "${help}".`,
          },
  };
}

/** Something that was typed and that nothing takes: an option, a command, or a word too many. */
function strange(name: string, argv: readonly string[], verb: Verb | undefined): string {
  const typed = argv.find(
    (word) => word.startsWith('-') && word.replace(/^-+/, '').replace(/=.*$/s, '') === name,
  );
  const negated = argv.find((word) => word.replace(/=.*$/s, '') === `--no-${name}`);
  const option = (negated ?? typed)?.replace(/=.*$/s, '');
  if (option !== undefined) {
    const close = nearest(option.replace(/^-+/, ''), optionNames(verb));
    return `Unknown option ${option}.${close === undefined ? '' : ` Did you mean --${close}?`}`;
  }
  if (argv.some((word) => /^-[^-]/.test(word) && word.includes(name)) && name.length === 1) {
    return `Unknown option -${name}.`;
  }
  if (verb !== undefined) return `Unexpected argument "${name}".`;
  const close = nearest(name, [...Object.keys(commands), 'mcp', 'setup', 'hook', 'completion']);
  return `Unknown command "${name}".${close === undefined ? '' : ` Did you mean "${close}"?`}`;
}

/** yargs' own sentences, where they speak of something a person has not typed. */
function reworded(message: string, verb: Verb | undefined): string {
  if (/^Not enough non-option arguments/.test(message) && verb !== undefined) {
    return `An argument is missing: discern ${commands[verb].usage}.`;
  }
  const [, option] = /^Not enough arguments following: (.*)$/s.exec(message) ?? [];
  if (option !== undefined) return `--${option} needs a value.`;
  return message;
}
