import type { Result } from '../../contract/answers.ts';
import { messageOf } from '../../contract/values.ts';
import type { Verb } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { usualGateTime } from '../gate/logbook.ts';
import { tellUnattended, unattended } from '../queue/unattended.ts';
import { openRepository, type Repository } from '../repository/repository.ts';
import { driveQueue, landReady } from './queue-drive.ts';

/** How long a verb runs the queue that nobody runs, once its own work is done, in milliseconds. */
const GO_ON_MS = 15_000;

/** Verbs that run a whole gate themselves: they go on with what needs one too. */
const withGates: readonly Verb[] = ['done', 'accept'];
/** Verbs that run commands of the project, and are short: they land what is proved and comes next. */
const withoutGates: readonly Verb[] = ['start', 'update'];

/**
 * Goes on with the queue of landings after a verb, where entries wait and nobody runs it; then tells of what still waits. The worktree that the
 * call is about is left alone: its caller goes on there. A gate that usually takes longer than this may is not begun. Whatever comes of
 * it, the answer is the verb's own.
 */
export async function goOn<V extends Verb>(
  verb: V,
  root: string,
  answer: Result<V>,
  ctx: Context,
): Promise<Result<V>> {
  const mayGate = withGates.includes(verb);
  if (!(mayGate || withoutGates.includes(verb)) || ctx.signal.aborted || ctx.lookOnly)
    return tellUnattended(verb, root, answer);
  const waiting = await unattended(root, answer);
  if (waiting.length === 0) return answer;
  const { root: at = root } = (answer.data ?? {}) as { root?: string };
  const said: string[] = [];
  try {
    const repo = await openRepository(at);
    const went = mayGate && (await isShort(repo)) ? await run(repo, ctx) : await landReady(repo, ctx);
    if (went.length > 0) said.push(`Landed since, as queued before: ${went.join(', ')}.`);
  } catch (error) {
    said.push(`The queue could not go on: ${messageOf(error).slice(0, 500)}`);
  }
  const told = said.length === 0 ? answer : { ...answer, hints: [...(answer.hints ?? []), ...said] };
  return tellUnattended(verb, root, told);
}

const isShort = async (repo: Repository) => ((await usualGateTime(repo)) ?? 0) < GO_ON_MS;

async function run(repo: Repository, ctx: Context): Promise<readonly string[]> {
  ctx.emit({ type: 'progress', message: 'Done; now the queue of landings, which nobody else runs.' });
  const stop = AbortSignal.any([ctx.signal, AbortSignal.timeout(GO_ON_MS)]);
  const drove = await driveQueue(repo, ctx, stop, repo.top);
  return drove === 'elsewhere' ? [] : drove;
}
