import type { ClientKind } from '../call/context.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { opencode } from './opencode.ts';
import type { CallerFacts, Source, Standing } from './standing.ts';
import { told, toldBy } from './told.ts';
import { vscode } from './vscode.ts';

export { type CheckoutPlace, checkoutAround, checkoutOf } from './checkout-of.ts';
export type { CallerFacts, Standing } from './standing.ts';

/** Clients that record, hand over or tell by a hook where their sessions stand. */
const sources: readonly Source[] = [claude, copilot, codex, opencode, vscode];

/**
 * Where the caller of one call stands (contract §3), by evidence alone: what the call carries, what a hook of ours told, what
 * the client's own record of the session says, and its roots, in this order; but a move the client declared outranks a
 * shell's directory. `undefined` is unknown. Never rejects, and reads only the ends of files.
 */
export async function whereCallerStands(
  client: ClientKind,
  facts: CallerFacts,
): Promise<Standing | undefined> {
  const source = sourceOf(client, facts);
  const known = source ? await evidenceOf(source, facts) : [];
  return known.find(({ declared }) => declared) ?? known[0] ?? (await byRoots(facts));
}

/** A client goes by the name it gives; one that gives no known name, by the one session its environment names. */
function sourceOf(client: ClientKind, facts: CallerFacts): Source | undefined {
  const named = sources.find((one) => one.client === client);
  if (named || client !== 'unknown') return named;
  const speaking = sources.filter((one) => one.session(facts) !== undefined);
  return speaking.length === 1 ? speaking[0] : undefined;
}

async function evidenceOf(source: Source, facts: CallerFacts): Promise<Standing[]> {
  const session = source.session(facts);
  const [carried, hook, shared, recorded] = await Promise.all([
    source.carried?.(facts),
    session === undefined ? undefined : told(facts.env, source.client, session),
    session === undefined ? false : source.shared?.(facts, session),
    source.recorded(facts, session).catch(() => []),
  ]);
  const byHook: Standing[] =
    hook && !shared
      ? [{ cwd: hook.cwd, evidence: 'a hook of discern', ...(hook.declared && { declared: hook.declared }) }]
      : [];
  return [...(carried ? [carried] : []), ...byHook, ...recorded];
}

/**
 * What to tell a caller whose hook is of another discern than this server: of another version, or of a form that cannot be read, so
 * that its word counts for nothing. `undefined` where no hook told, or ours did.
 */
export function strangeHook(client: ClientKind, facts: CallerFacts): string | undefined {
  const source = sourceOf(client, facts);
  const session = source?.session(facts);
  const found = source && session !== undefined ? toldBy(facts.env, source.client, session) : undefined;
  if (!source || !found || (found.known && found.by === DISCERN_VERSION)) return undefined;
  const whose = found.by === undefined ? 'of another discern' : `of discern ${found.by}`;
  const unread = found.known ? '' : ' what it tells cannot be read and counts for nothing;';
  return `The hook that tells where this session stands is ${whose}, and this server is ${DISCERN_VERSION}:${unread} update both together, and run "discern setup" again.`;
}

/** Several roots are several places, which say nothing of where the caller stands. */
async function byRoots({ askRoots }: CallerFacts): Promise<Standing | undefined> {
  const roots = askRoots ? await askRoots().catch(() => []) : [];
  const [cwd] = roots;
  return cwd !== undefined && roots.length === 1
    ? { cwd, evidence: 'the client’s root', weak: true }
    : undefined;
}
