import type * as z from 'zod';
import type { VerbDescriptor, VerbTraits } from './verb.ts';
import { agentVerbs } from './verbs-agents.ts';
import { evidenceVerbs } from './verbs-evidence.ts';
import { fleetVerbs } from './verbs-fleet.ts';
import { queueVerbs } from './verbs-queue.ts';
import { upkeepVerbs } from './verbs-upkeep.ts';
import { workVerbs } from './verbs-work.ts';
import { worktreeVerbs } from './verbs-worktree.ts';

/**
 * The verbs, as data: what each takes, what it answers, what it may change, and what the programs must know of it. The MCP
 * tools, the CLI and the extension are all made from this table.
 */
export const verbs = {
  ...workVerbs,
  ...upkeepVerbs,
  ...evidenceVerbs,
  ...fleetVerbs,
  ...worktreeVerbs,
  ...agentVerbs,
  ...queueVerbs,
} as const satisfies Record<string, VerbDescriptor>;

export type Verb = keyof typeof verbs;
export type Args<V extends Verb> = z.infer<(typeof verbs)[V]['args']>;
export type Data<V extends Verb> = z.infer<(typeof verbs)[V]['data']>;

/** The verbs of which a trait has one of these values. */
export type VerbsWith<Trait extends keyof VerbTraits, Value extends VerbTraits[Trait]> = {
  [V in Verb]: (typeof verbs)[V]['traits'][Trait] extends Value ? V : never;
}[Verb];

/** The verbs in the order they are listed to people and to agents. */
export const verbNames = Object.keys(verbs) as Verb[];

/** The traits of every verb. Runs when the product is built: see traits.ts. */
export const buildTraits = () =>
  Object.fromEntries(verbNames.map((verb) => [verb, verbs[verb].traits])) as Record<Verb, VerbTraits>;
