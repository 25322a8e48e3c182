import type { Envelope } from '../../src/contract/envelope.ts';
import { envelopeSchema } from '../../src/contract/envelope.ts';
import type { VerbEvent } from '../../src/contract/events.ts';
import { type Args, type Data, type Verb, verbs } from '../../src/contract/verbs.ts';
import { beginsAnywhere, findRoot, run } from '../../src/engine/index.ts';

/**
 * Runs a verb's core on the project `directory` lies in, and checks the answer against the contract on the way: every
 * test of a verb is a test of its schemas too.
 */
export async function verb<V extends Verb>(
  name: V,
  directory: string,
  args: Args<V> = {} as Args<V>,
  options: { signal?: AbortSignal; events?: VerbEvent[] } = {},
): Promise<Envelope<Data<V>>> {
  const root = beginsAnywhere.has(name) ? directory : await findRoot(directory);
  const envelope = await run(name, root, args, {
    signal: options.signal ?? new AbortController().signal,
    emit: (event) => options.events?.push(event),
    client: 'unknown',
  });
  const wire = JSON.parse(JSON.stringify(envelope));
  const data = verbs[name].data;
  envelopeSchema(name, data as never).parse(wire);
  if (envelope.ok && !envelope.dry_run) data.parse(wire.data);
  return envelope;
}
