import type { Envelope } from './envelope.ts';
import type { ProjectsData } from './projects.ts';
import type { Args, Data, Verb } from './verbs.ts';

/** The answer of one verb. */
export type AnswerOf<V extends Verb> = Envelope<Data<V>> & { verb: V };

/** The answer of some verb: `verb` says of which, and so what `data` holds. */
export type AnyEnvelope = { [V in Verb]: AnswerOf<V> }[Verb];

/** What a tool answers: a verb's answer, or that of the one tool that is none. */
export type ToolAnswer = AnyEnvelope | (Envelope<ProjectsData> & { verb: 'projects' });

/** One call of a verb, its arguments checked: `verb` says what they are. */
export type Call = { [V in Verb]: { verb: V; args: Args<V> } }[Verb];

/** The directory a call names, if it does. */
export const pathOf = ({ args }: Call): string | undefined => ('path' in args ? args.path : undefined);

/** The root an answer is about, if it is about one. */
export const rootOf = ({ data }: ToolAnswer): string | undefined =>
  data !== undefined && 'root' in data ? data.root : undefined;

/** True of an answer whose `data` is whole: what a preview or a refusal says of it may be a part (contract §4). */
export function isWhole<Data>(
  envelope: Envelope<Data>,
): envelope is Envelope<Data> & { ok: true; data: Data } {
  return envelope.ok && !envelope.dry_run && envelope.data !== undefined;
}
