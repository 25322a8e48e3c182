import type { AnyEnvelope } from '../contract/answers.ts';
import type { Consent } from '../contract/consent.ts';
import { beginsAtDirectory, needsNoRoot, seeksAmongKnown, traits } from '../contract/traits.ts';
import { visible } from '../contract/visible.ts';
import type { Request } from './command-line.ts';
import { confirm } from './confirm.ts';
import { Ink, wantsColor, wantsUnicode } from './ink.ts';
import { Interruption } from './interruption.ts';
import { currentDirectory, isGone, namedFrom, startingPoint } from './place.ts';
import { progressOn } from './progress.ts';
import { report } from './report/index.ts';

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
  const consent: Consent = { canAsk: !request.json && process.stdin.isTTY && stderr.isTTY };
  const ctx: Context = {
    signal: interruption.signal,
    emit: (event) => progress.event(event),
    client: 'terminal',
    traceInputs: request.traceInputs,
    ci: request.ci,
    consent: request.yes ? 'given' : consent,
  };
  const print = async (envelope: AnyEnvelope) => {
    if (request.json) {
      stdout.write(`${JSON.stringify(envelope, undefined, stdout.isTTY ? 2 : undefined)}\n`);
      return;
    }
    const lines = report(visible(envelope), inkOf(stdout), { directory: here, gone: await isGone(here) });
    stdout.write(`${lines.join('\n')}\n`);
  };
  const asked = request.ask ? await ask(request, here, ctx, print) : 'yes';
  let envelope = asked === 'yes' ? await answer(request, here, ctx) : asked;
  for (let asks = takeQuestion(consent); asks; asks = takeQuestion(consent)) {
    progress.stop();
    const yes = await confirm(asks.question, { input: process.stdin, output: stderr }, ctx.signal, false);
    consent.said = { subject: asks.subject, answer: yes ? 'accept' : 'decline' };
    envelope = await answer(request, here, ctx);
  }
  progress.stop();
  if (envelope !== 'no') await print(envelope);
  if (envelope === 'no') return interruption.exitCode ?? 0;
  return envelope.ok && isHealthy(envelope) ? 0 : (interruption.exitCode ?? 1);
}

/** A doctor has done its work also where it found errors; a script wants to know of them. */
const isHealthy = (envelope: AnyEnvelope) => envelope.verb !== 'doctor' || envelope.data?.healthy !== false;

/** The question a verb refused to go on without, once. */
function takeQuestion(consent: Consent): Consent['asks'] {
  const { asks } = consent;
  consent.asks = undefined;
  return asks;
}

/** Shows what the verb would do and asks. An envelope says why it could not be asked, or why the verb would refuse. */
async function ask(
  request: Request,
  here: string | undefined,
  ctx: Context,
  print: (envelope: AnyEnvelope) => Promise<void>,
): Promise<'yes' | 'no' | AnyEnvelope> {
  const { stdin, stdout, stderr } = process;
  const preview = await answer({ ...request, args: { ...request.args, dry_run: true } }, here, ctx);
  if (!preview.ok) return preview;
  if (request.json || !stdin.isTTY || !stdout.isTTY) {
    const { data, hints = [] } = preview;
    const { Refusal, stopped } = await loadEngine();
    const message = `${request.verb} asks before it writes, and there is no terminal to ask on: add --yes to write, or --dry-run to see what it would write.`;
    return stopped(
      request.verb,
      undefined,
      new Refusal('invalid_argument', message, { ...(data && { data }), hints }),
    );
  }
  await print(preview);
  stderr.write('\n');
  const said = await confirm('Write it?', { input: stdin, output: stderr }, ctx.signal);
  if (!said) stderr.write('Nothing was written.\n');
  return said ? 'yes' : 'no';
}

/** The verb's envelope; whatever stops it before it begins, such as finding no project, is one too. */
async function answer(
  { verb, args, path }: Request,
  here: string | undefined,
  ctx: Context,
): Promise<AnyEnvelope> {
  const engine = await loadEngine();
  let root: string | undefined;
  try {
    const { worktree = undefined } = 'worktree' in args ? args : {};
    const named = worktree === undefined ? args : { ...args, worktree: namedFrom(here, worktree) };
    const checked = engine.parseCall(verb, named);
    if (seeksAmongKnown(verb)) root = await rootToSeekFrom(engine, here, path);
    if (needsNoRoot(verb)) return await engine.runCall(checked, root ?? '', ctx);
    const from = startingPoint(here, path);
    if (from === undefined) {
      throw new engine.Refusal(
        'path_not_found',
        'The current directory is gone: cd to one that exists, or name one with --path.',
      );
    }
    if (traits[verb].begins === 'anywhere') root = from;
    else root = await (beginsAtDirectory(verb) ? engine.directoryAt(from) : engine.findRoot(from));
    return await engine.runCall(checked, root, ctx);
  } catch (error) {
    return engine.stopped(verb, root, error);
  }
}

/** The project a verb about known projects looks at first: the one that was named, else the one the person stands in, if any. */
async function rootToSeekFrom(
  engine: Awaited<ReturnType<typeof loadEngine>>,
  here: string | undefined,
  path: string | undefined,
): Promise<string | undefined> {
  const from = startingPoint(here, path);
  if (from === undefined) return undefined;
  return path === undefined ? engine.findRoot(from).catch(() => undefined) : engine.findRoot(from);
}
