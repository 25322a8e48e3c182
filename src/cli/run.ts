import type { Envelope } from '../contract/envelope.ts';
import type { Request } from './command-line.ts';
import { Ink, wantsColor, wantsUnicode } from './ink.ts';
import { Interruption } from './interruption.ts';
import { currentDirectory, isGone, namedFrom, startingPoint } from './place.ts';
import { progressOn } from './progress.ts';
import { report } from './report/index.ts';
import { printable } from './words.ts';

/** The engine is the larger part of the program, and is loaded for a verb, not for help. */
const loadEngine = () => import('../engine/index.ts');

type Context = Parameters<Awaited<ReturnType<typeof loadEngine>>['run']>[3];

/**
 * Runs one verb and prints what came of it. Resolves with the exit code: 0, or 1 for a refusal or a failure, or what shells
 * give for the signal that interrupted it.
 */
export async function run(request: Request): Promise<number> {
  const { env, stdout, stderr } = process;
  const unicode = wantsUnicode(env, process.platform);
  const inkOf = (stream: { isTTY?: boolean }) =>
    new Ink({ color: wantsColor(request.color, env, stream.isTTY === true), unicode });
  const progress = progressOn(stderr, {
    verb: request.verb,
    ink: inkOf(stderr),
    json: request.json,
    terminal: stderr.isTTY === true && env.TERM !== 'dumb',
  });
  const interruption = new Interruption(
    () => progress.note('Cancelling. Interrupt again to leave at once.'),
    () => progress.stop(),
  );
  const here = currentDirectory();
  const envelope = await answer(request, here, {
    signal: interruption.signal,
    emit: (event) => progress.event(event),
    client: 'terminal',
  });
  progress.stop();
  if (request.json) {
    stdout.write(`${JSON.stringify(envelope, undefined, stdout.isTTY ? 2 : undefined)}\n`);
  } else {
    const lines = report(printable(envelope), inkOf(stdout), { directory: here, gone: await isGone(here) });
    stdout.write(`${lines.join('\n')}\n`);
  }
  return envelope.ok ? 0 : (interruption.exitCode ?? 1);
}

/** The verb's envelope; whatever stops it before it begins, such as finding no project, is one too. */
async function answer(
  { verb, args, path }: Request,
  here: string | undefined,
  ctx: Context,
): Promise<Envelope> {
  const engine = await loadEngine();
  let root: string | undefined;
  try {
    const named = 'worktree' in args ? { ...args, worktree: namedFrom(here, args.worktree) } : args;
    const checked = engine.parseArguments(verb, named) as typeof args;
    const from = startingPoint(here, path);
    if (from === undefined) {
      throw new engine.Refusal(
        'path_not_found',
        'The current directory is gone: cd to one that exists, or name one with --path.',
      );
    }
    root = await engine.findRoot(from);
    return (await engine.run(verb, root, checked, ctx)) as Envelope;
  } catch (error) {
    return engine.refused(verb, root, error);
  }
}
