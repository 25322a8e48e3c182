import type { z } from 'zod';
import type { Call } from '../../contract/answers.ts';
import { type Verb, verbs } from '../../contract/verbs.ts';
import { nearest } from '../words/nearest.ts';
import { Refusal } from './refusal.ts';

/**
 * Checks a call's arguments against the contract. Refuses `unknown_argument`, naming it, what the verb takes and the
 * nearest of these; and `invalid_argument` for a wrong type or a missing one.
 */
export function parseCall(verb: Verb, given: unknown): Call {
  // The schema of a verb is what its arguments are.
  return { verb, args: checkArguments(verb, verbs[verb].args, given) } as Call;
}

/** {@link parseCall} for whatever has a schema of its own. */
export function checkArguments(verb: string, schema: z.ZodObject, given: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const takes = Object.keys(schema.shape);
  const unknown = parsed.error.issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown) {
    const named = unknown.keys.map((name) => {
      const close = nearest(name, takes);
      return close === undefined ? `"${name}"` : `"${name}" (did you mean "${close}"?)`;
    });
    throw new Refusal(
      'unknown_argument',
      `${verb} takes no argument ${named.join(', ')}. It takes: ${takes.join(', ') || 'none'}.`,
    );
  }
  throw new Refusal(
    'invalid_argument',
    `${verb}: ${parsed.error.issues.map(describe).join('; ')}. Correct it and call again.`,
  );
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path.join('.');
  const what = issue.message.replace(/^Invalid (?:input|option): /, '');
  if (!where) return what;
  const absent = what.endsWith(', received undefined');
  return absent
    ? `"${where}" is missing (${what.replace(', received undefined', '')})`
    : `"${where}" is wrong (${what})`;
}
