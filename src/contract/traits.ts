import table from '../../generated/traits.json';
import type { VerbTraits } from './verb.ts';
import type { Verb, VerbsWith } from './verbs.ts';

/**
 * What the programs must know of each verb, from the contract's table, as it was when the product was built: a program that
 * needs no schema of a verb loads none.
 */
export const traits: Readonly<Record<Verb, VerbTraits>> = table;

/** A verb the Gate view has buttons for. */
export type GateVerb = VerbsWith<'gateView', 'offers'>;
/** A verb with lines of its own in the texts for agents and for terminals. */
export type VerbWithReport = VerbsWith<'report', 'own'>;
/** A verb of VS Code's command palette. */
export type PaletteVerb = VerbsWith<'palette', string>;

/** True when a call may run commands the project names. Of a verb that is not classified everything is feared. */
export function mayRunCommands(
  { runsCommands: runs }: { runsCommands?: VerbTraits['runsCommands'] | undefined },
  args: Readonly<Record<string, unknown>>,
): boolean {
  if (runs === 'never') return false;
  if (runs === undefined || runs === 'may') return true;
  const given = ([name, value]: [string, unknown]) => args[name] === value;
  return 'when' in runs ? Object.entries(runs.when).every(given) : !Object.entries(runs.unless).some(given);
}

/** True of a word that names a verb. */
export const isVerb = (word: unknown): word is Verb =>
  typeof word === 'string' && Object.hasOwn(traits, word);

/** True of a verb that answers wherever it is called: no root is needed for it. */
export const needsNoRoot = (verb: Verb): boolean => traits[verb].begins === 'none' || seeksAmongKnown(verb);

/** True of a verb about the projects that are known, which takes a root only as the place to look first. */
export const seeksAmongKnown = (verb: Verb): boolean => traits[verb].begins === 'known';

/** True of a verb that begins at a directory, whether it is a project's or not: what it does is find out, or make it one. */
export const beginsAtDirectory = (verb: Verb): boolean =>
  traits[verb].begins === 'directory' || traits[verb].begins === 'anywhere';
