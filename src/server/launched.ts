import type { Joining } from '../contract/joining.ts';
import { Refusal } from '../engine/call/refusal.ts';
import { checkoutOf } from '../engine/callers/checkout-of.ts';
import { findRoot } from '../engine/repository/root.ts';
import type { HeldRoot } from './held-root.ts';
import type { SpawnRoot } from './spawn-root.ts';

/**
 * The root of a client that joined a window and was launched in another repository than the window's root lies in: it is about its own.
 * Nothing where both are of one repository, or it was launched in no project: then it takes what the window holds.
 */
export async function launchedElsewhere(
  { launch }: Joining,
  window: HeldRoot,
): Promise<SpawnRoot | undefined> {
  if (launch === undefined) return undefined;
  const root = await findRoot(launch).catch((error: unknown) => {
    if (Refusal.is(error)) return undefined;
    throw error;
  });
  if (root === undefined) return undefined;
  const [own, held] = [await checkoutOf(root), await window.repository()];
  if (held !== undefined && own?.commonDir === held.commonDir) return undefined;
  return {
    root,
    mechanism: 'cwd',
    candidates: [{ mechanism: 'cwd', value: launch, outcome: 'chosen' }],
  };
}
