import { isInside } from '../../contract/inside.ts';
import { Refusal } from '../call/refusal.ts';
import type { NamedWorktree } from '../fleet/named-worktree.ts';
import { factsOf, type Known, knownSessions } from '../sessions/list.ts';
import { readNotes } from '../worktree/notes.ts';
import type { Terminal } from './terminal.ts';

/**
 * The session that runs in a terminal: the one a person said the worktree follows, else the one it was launched with, else the only one
 * of its client that has worked in the worktree since. Refuses `unavailable` when there is none yet, and `ambiguous` when there are several.
 */
export async function sessionIn(
  worktree: NamedWorktree,
  { client, session, launched }: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<Known> {
  const { known } = await knownSessions(env);
  const own = known.filter(({ adapter }) => adapter.client === client);
  const { follows } = (await readNotes(worktree)).notes;
  const wanted = follows?.client === client ? follows.session : session;
  if (wanted !== undefined) {
    const found = own.find(({ id }) => id === wanted);
    if (found) return found;
    throw noneYet(client, worktree);
  }
  const here: Known[] = [];
  for (const one of own.filter(({ changed }) => changed >= launched)) {
    const { cwd = '', part } = (await factsOf(one, env)) ?? {};
    if (!part && isInside(cwd, worktree.top)) here.push(one);
  }
  const [only, other] = here;
  if (only === undefined) throw noneYet(client, worktree);
  if (other === undefined) return only;
  throw new Refusal(
    'ambiguous',
    `The session in ${worktree.top} may be ${here.map(({ id }) => id).join(' or ')}: say which with remap, then call again.`,
  );
}

const noneYet = (client: string, { top }: NamedWorktree) =>
  new Refusal(
    'unavailable',
    `${client} in ${top} has no record of its session yet, so nobody can tell whether it takes a text: wait for its first turn, then call again.`,
  );
