import type { Result } from '../../contract/answers.ts';
import type { Verb } from '../../contract/verbs.ts';
import { anchorOf } from '../repository/anchor.ts';
import { isHeld } from '../state/lock-holder.ts';
import { driverLockPath, type Entry, readQueue } from './entries.ts';

/** Verbs after which somebody has the next step in mind, and so hears of a queue that stands still. */
const tellers: readonly Verb[] = ['start', 'done', 'update', 'accept', 'prune'];

/** The entries that wait while nobody runs the queue, as far as they concern who gets this answer. Reads a few small files, and starts no git. */
export async function unattended(
  root: string,
  answer: Pick<Result<Verb>, 'ok' | 'dry_run' | 'data'>,
): Promise<readonly Entry[]> {
  if (!answer.ok || answer.dry_run) return [];
  const { root: at = root, queue } = (answer.data ?? {}) as { root?: string; queue?: unknown };
  // Who has just queued something is told how it goes on.
  if (queue !== undefined) return [];
  const anchor = await anchorOf(at);
  if (!anchor) return [];
  const waiting = (await readQueue(anchor.commonDir)).entries.filter(({ state }) => state === 'waiting');
  return waiting.length > 0 && !(await isHeld(driverLockPath(anchor.commonDir))) ? waiting : [];
}

/** Adds to an answer that work waits to land and nobody runs the queue. */
export async function tellUnattended<V extends Verb>(
  verb: V,
  root: string,
  answer: Result<V>,
): Promise<Result<V>> {
  if (!tellers.includes(verb)) return answer;
  const waiting = await unattended(root, answer);
  const [first] = waiting;
  if (!first) return answer;
  const many = waiting.length === 1 ? '1 entry waits' : `${waiting.length} entries wait`;
  const hint = `${many} in the queue to land, q${first.number} first, and nobody runs it: call queue with action run, or await.`;
  return { ...answer, hints: [...(answer.hints ?? []), hint] };
}
