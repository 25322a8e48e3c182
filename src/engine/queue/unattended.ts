import type { Result } from '../../contract/answers.ts';
import type { Verb } from '../../contract/verbs.ts';
import { anchorOf } from '../repository/anchor.ts';
import { isHeld } from '../state/lock-holder.ts';
import { driverLockPath, readQueue } from './entries.ts';

/** Verbs after which somebody has the next step in mind, and so hears of a queue that stands still. */
const tellers: readonly Verb[] = ['start', 'done', 'update', 'accept', 'prune'];

/** Adds to an answer that work waits to land and nobody runs the queue. Reads a few small files, and starts no git. */
export async function tellUnattended<V extends Verb>(
  verb: V,
  root: string,
  answer: Result<V>,
): Promise<Result<V>> {
  if (!answer.ok || answer.dry_run || !tellers.includes(verb)) return answer;
  const { root: at = root, queue } = (answer.data ?? {}) as { root?: string; queue?: unknown };
  // Who has just queued something is told how it goes on.
  if (queue !== undefined) return answer;
  const anchor = await anchorOf(at);
  if (!anchor) return answer;
  const waiting = (await readQueue(anchor.commonDir)).entries.filter(({ state }) => state === 'waiting');
  const [first] = waiting;
  if (!first || (await isHeld(driverLockPath(anchor.commonDir)))) return answer;
  const many = waiting.length === 1 ? '1 entry waits' : `${waiting.length} entries wait`;
  const hint = `${many} in the queue to land, q${first.number} first, and nobody runs it: call queue with action run, or await.`;
  return { ...answer, hints: [...(answer.hints ?? []), hint] };
}
