import type { z } from 'zod';
import { type Verb, verbs } from '../contract/verbs.ts';
import { nearest } from './nearest.ts';
import { Refusal } from './refusal.ts';

/**
 * Checks a call's arguments against the contract. Refuses `unknown_argument`, naming it, what the verb takes and the
 * nearest of these; and `invalid_argument` for a wrong type or a missing one.
 */
export function parseArguments(verb: Verb, given: unknown): Record<string, unknown> {
  const schema = verbs[verb].args;
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const takes = Object.keys(schema.shape);
  const unknown = parsed.error.issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown) {
    const [name = ''] = unknown.keys;
    const close = nearest(name, takes);
    const meant = close === undefined ? '' : `; did you mean "${close}"?`;
    throw new Refusal(
      'unknown_argument',
      `${verb} takes no argument "${name}"${meant} It takes: ${takes.join(', ') || 'none'}.`.replace(
        '?It',
        '? It',
      ),
    );
  }
  throw new Refusal(
    'invalid_argument',
    `${verb}: ${describe(parsed.error.issues[0])} Correct it and call again.`,
  );
}

function describe(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'the arguments are not what it takes.';
  const where = issue.path.join('.');
  const what = issue.message.replace(/^Invalid input: /, '');
  return where ? `"${where}" is wrong (${what}).` : `${what}.`;
}
