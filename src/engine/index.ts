import type { AnswerAmong, AnswerOf, AnyEnvelope, Call, Result } from '../contract/answers.ts';
import { beginsAtDirectory, needsNoRoot, seeksAmongKnown, traits } from '../contract/traits.ts';
import type { Args, Verb } from '../contract/verbs.ts';
import type { Context } from './call/context.ts';
import { meetProject } from './fleet/known-projects.ts';
import { hearing } from './git/heard.ts';
import { acceptInTurn } from './verbs/accept-in-turn.ts';
import { agents } from './verbs/agents.ts';
import { awaitWork } from './verbs/await.ts';
import { commit } from './verbs/commit.ts';
import { describe } from './verbs/describe.ts';
import { doctor, withHeld } from './verbs/doctor.ts';
import { drop } from './verbs/drop.ts';
import { explainJob } from './verbs/explain.ts';
import { fleet } from './verbs/fleet.ts';
import { done, prepare, test } from './verbs/gate.ts';
import { explain } from './verbs/help.ts';
import { init } from './verbs/init.ts';
import { launch } from './verbs/launch.ts';
import { message } from './verbs/message.ts';
import { park, unpark } from './verbs/park.ts';
import { peek } from './verbs/peek.ts';
import { projects } from './verbs/projects.ts';
import { prune } from './verbs/prune.ts';
import { queue } from './verbs/queue.ts';
import { goOn } from './verbs/queue-go-on.ts';
import { remap } from './verbs/remap.ts';
import { phase, todo } from './verbs/reported.ts';
import { refused, runVerb } from './verbs/run-verb.ts';
import { scopes } from './verbs/scopes.ts';
import { recollect, sessions } from './verbs/sessions.ts';
import { standards } from './verbs/standards.ts';
import { start } from './verbs/start.ts';
import { status } from './verbs/status.ts';
import { ticket } from './verbs/ticket.ts';
import { update } from './verbs/update.ts';
import { verify } from './verbs/verify.ts';

/** A verb's core: a function of an explicit root that knows neither who called nor where the process stands. */
export type Core<V extends Verb> = (root: string, args: Args<V>, ctx: Context) => Promise<Result<V>>;

const cores: { [V in Verb]: Core<V> } = {
  status,
  start,
  prepare,
  test,
  commit,
  done,
  update,
  accept: acceptInTurn,
  scopes,
  explain: explainJob,
  verify,
  standards,
  drop,
  prune,
  init,
  doctor,
  help: explain,
  sessions,
  recollect,
  fleet,
  peek,
  projects,
  phase,
  todo,
  describe,
  park,
  unpark,
  ticket,
  agents,
  launch,
  message,
  remap,
  queue,
  await: awaitWork,
};

/**
 * Runs one call on one root, which means nothing to a verb that needs none. Always resolves with an envelope, refusals and
 * failures included.
 */
export function runCall<V extends Verb>(call: Call<V>, root: string, ctx: Context): Promise<AnswerAmong<V>> {
  const { verb } = call;
  const core = async () => goOn(call.verb, root, await cores[call.verb](root, call.args, ctx), ctx);
  const meets = traits[verb].begins === 'project' || (seeksAmongKnown(verb) && root !== '');
  const meeting = meets ? meetProject(process.env, root) : undefined;
  const answer = runVerb(call.verb, needsNoRoot(verb) ? undefined : root, () =>
    traits[verb].cancelsAnywhere ? hearing(ctx.signal, core) : core(),
  );
  // Before the answer is out, so that whoever asks next for the projects hears of this one.
  return meeting === undefined ? answer : meeting.then(() => answer);
}

/** {@link runCall} for one verb. */
export function run<V extends Verb>(
  verb: V,
  root: string,
  args: Args<V>,
  ctx: Context,
): Promise<AnswerOf<V>> {
  return runCall<V>({ verb, args }, root, ctx);
}

/** The answer to a call that was stopped before its core began. */
export const stopped = (verb: Verb, root: string | undefined, error: unknown): AnyEnvelope =>
  refused(verb, root, error) as AnyEnvelope;

// The server takes these from here, so that it need not build schemas before its first answer.
export { personMethods, windowNotification } from '../contract/window.ts';
export { parseCall } from './call/arguments.ts';
export type { ClientKind, Context } from './call/context.ts';
export { looking } from './call/looking.ts';
export { Refusal } from './call/refusal.ts';
export {
  type CallerFacts,
  checkoutAround,
  type Standing,
  strangeHook,
  whereCallerStands,
} from './callers/index.ts';
export { checkConfig, checkFile, loadConfig, loadSettings } from './config/index.ts';
export { exists } from './files/files.ts';
export { watchFleet } from './fleet/watching.ts';
export { landedThroughQueue } from './queue/entries.ts';
export { inTheWay, takeStock } from './removal/stock.ts';
export { homeOf } from './repository/home.ts';
export { directoryAt, findRoot, isInGit } from './repository/root.ts';
export { setup } from './setup/index.ts';
export { helpTopic } from './verbs/help.ts';
export { nearest } from './words/nearest.ts';
export { homeRoot } from './worktree/home-root.ts';
export { holdings } from './worktree/inspect.ts';
export { leavingAdvice } from './worktree/moving.ts';
export { parkedByPath } from './worktree/parked.ts';
export { beginsAtDirectory, needsNoRoot, refused, withHeld };
