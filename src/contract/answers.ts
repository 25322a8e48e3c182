import type { StandardResult } from './data.ts';
import type { Envelope } from './envelope.ts';
import type { Args, Data, Verb } from './verbs.ts';

/** The answer of one verb. */
export type AnswerOf<V extends Verb> = Envelope<Data<V>> & { verb: V };

/** What the core of one verb resolves with: its answer, less the verb's own name. */
export type Result<V extends Verb> = Omit<AnswerOf<V>, 'verb'>;

/** The answer of one of these verbs: `verb` says of which, and so what `data` holds. */
export type AnswerAmong<V extends Verb> = { [One in V]: AnswerOf<One> }[V];

/** The answer of some verb. */
export type AnyEnvelope = AnswerAmong<Verb>;

/** One call of a verb, its arguments checked: `verb` says what they are. */
export type Call<V extends Verb = Verb> = { [One in V]: { verb: One; args: Args<One> } }[V];

/** The directory a call names, if it does. */
export const pathOf = ({ args }: Call): string | undefined => ('path' in args ? args.path : undefined);

/** Which checkout an answer is about, as far as it says. */
export function whereOf({ data = {} }: Pick<Envelope, 'data'>): {
  root?: string;
  branch?: string | null;
  commit?: string;
} {
  const { root, branch, commit } = data;
  return {
    ...(typeof root === 'string' && { root }),
    ...((typeof branch === 'string' || branch === null) && { branch }),
    ...(typeof commit === 'string' && { commit }),
  };
}

/** The standards an answer tells of: those of `standards`, and of every verb that runs the gate. */
export const standardsOf = ({ data }: AnyEnvelope): StandardResult[] =>
  (data !== undefined && 'standards' in data && data.standards) || [];

/** True of an answer whose `data` is whole: what a preview or a refusal says of it may be a part (contract §4). */
export function isWhole<Data>(
  envelope: Envelope<Data>,
): envelope is Envelope<Data> & { ok: true; data: Data } {
  return envelope.ok && !envelope.dry_run && envelope.data !== undefined;
}
