import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Envelope } from '../../src/contract/envelope.ts';
import { envelopeSchema } from '../../src/contract/envelope.ts';
import type { VerbEvent } from '../../src/contract/events.ts';
import { type Args, type Data, type Verb, verbs } from '../../src/contract/verbs.ts';
import { beginsAtDirectory, findRoot, needsNoRoot, run } from '../../src/engine/index.ts';
import { toolOf } from '../../src/server/manifest.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = new Map<string, ValidateFunction>();

/** What the tool of a verb says its answers are, in the words `tools/list` has for it. */
function validator(verb: Verb): ValidateFunction {
  const known = validators.get(verb) ?? ajv.compile(toolOf(verb).outputSchema);
  validators.set(verb, known);
  return known;
}

/**
 * Runs a verb's core on the project `directory` lies in, and checks the answer against the contract on the way: every
 * test of a verb is a test of its schemas too, as zod has them and as its tool lists them.
 */
export async function verb<V extends Verb>(
  name: V,
  directory: string,
  args: Args<V> = {} as Args<V>,
  options: { signal?: AbortSignal; events?: VerbEvent[] } = {},
): Promise<Envelope<Data<V>>> {
  const root = needsNoRoot(name) || beginsAtDirectory(name) ? directory : await findRoot(directory);
  const envelope = await run(name, root, args, {
    signal: options.signal ?? new AbortController().signal,
    emit: (event) => options.events?.push(event),
    client: 'unknown',
  });
  const wire: { data?: unknown } = JSON.parse(JSON.stringify(envelope));
  const data = verbs[name].data;
  envelopeSchema(name, data as never).parse(wire);
  const listed = validator(name);
  if (!listed(wire))
    throw new Error(`${name} answers what its tool does not list: ${ajv.errorsText(listed.errors)}`);
  if (envelope.ok && !envelope.dry_run) data.parse(wire.data);
  return envelope;
}
