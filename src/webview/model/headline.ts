import type { GateRunView, GateViewState } from '../../contract/gate-view.ts';
import { lastPart } from './paths.ts';
import { duration, elapsed as running } from './time.ts';

export type Verdict = 'running' | 'passed' | 'failed' | 'cancelled' | 'timed_out' | 'lost';

/** How a run stands. `lost` is a run that stopped without an answer, as when its server dies. */
export function verdictOf({ running, ok, error }: GateRunView): Verdict {
  if (running) return 'running';
  if (ok === undefined && error === undefined) return 'lost';
  if (ok) return 'passed';
  if (error === 'cancelled' || error === 'timed_out') return error;
  return 'failed';
}

const verdictWords = {
  running: 'running',
  passed: 'passed',
  failed: 'failed',
  cancelled: 'cancelled',
  timed_out: 'timed out',
  lost: 'ended without an answer',
} as const satisfies Record<Verdict, string>;

/** `Done`, `Prepare`: a verb as a title. */
export const verbTitle = (verb: string): string => verb.charAt(0).toUpperCase() + verb.slice(1);

/** The first ten digits of a commit, as everywhere in this product. */
export const shortCommit = (commit: string): string => commit.slice(0, 10);

export interface Headline {
  verb: string;
  verdict: Verdict;
  word: string;
  asked: string;
  place: string;
  root: string;
  branch: string | undefined;
  commit: string | undefined;
  /** What it waits for, or its closing sentence. */
  message: string | undefined;
  /** The refusal's slug, where it tells more than the verdict does. */
  slug: string | undefined;
}

/** What the head of a run says, less its time. */
export function headlineOf(run: GateRunView): Headline {
  const verdict = verdictOf(run);
  return {
    verb: verbTitle(run.verb),
    verdict,
    word: verdictWords[verdict],
    asked: run.caller === 'agent' ? 'Asked by an agent' : 'Asked by you',
    place: lastPart(run.root),
    root: run.root,
    branch: run.branch === null ? 'detached HEAD' : run.branch,
    commit: run.commit === undefined ? undefined : shortCommit(run.commit),
    message: verdict === 'running' ? run.waiting : run.message,
    slug: verdict === 'failed' && run.error !== 'gate_failed' ? run.error : undefined,
  };
}

/** How long it has taken, as the head of a run shows it. */
export function timeText(run: GateRunView, elapsedMs: number): string {
  return run.running ? running(elapsedMs) : `in ${duration(elapsedMs)}`;
}

export interface ProofLine {
  valid: boolean;
  text: string;
}

/** How a proof stands, in whole. */
export function proofWords(proof: NonNullable<GateRunView['proof']>): ProofLine {
  if (proof.state === 'valid')
    return {
      valid: true,
      text: proof.commit ? `Proof valid for ${shortCommit(proof.commit)}` : 'Proof valid',
    };
  const what = proof.state === 'stale' ? 'Proof stale' : 'No proof';
  return { valid: false, text: proof.reason ? `${what}: ${proof.reason}` : `${what}.` };
}

/** What runs and how far it is, for where the jobs themselves have no room. */
export function progressText({ running, jobs }: GateRunView): string | undefined {
  if (!running || jobs.length === 0) return undefined;
  const going = jobs.filter(({ state }) => state === 'running').map(({ name }) => name);
  const done = `${jobs.length - going.length} done`;
  return going.length > 0 ? `${going.join(', ')} (${done})` : done;
}

/** The proof, or why there is none; nothing while the run goes on and for verbs that say nothing of a proof. */
export function proofLine({ running, verb, ok, proof }: GateRunView): ProofLine | undefined {
  if (running) return undefined;
  if (proof) return proofWords(proof);
  if (verb === 'done') {
    return { valid: false, text: `No proof: ${ok ? 'the run reported none.' : 'the gate did not pass.'}` };
  }
  if (verb === 'prepare' || verb === 'test') {
    return { valid: false, text: 'No proof: only Done runs the whole gate and earns one.' };
  }
  return undefined;
}

export type Offer =
  | { kind: 'blocked'; text: string }
  | { kind: 'nothing_held'; text: string }
  | { kind: 'cancel' }
  /** The verbs may be run; `text` says on which root, where that is not plain to see. */
  | { kind: 'verbs'; root: string; text: string | undefined };

/** What a person may do now. */
export function offerOf({ blocked, held, run }: GateViewState): Offer {
  if (run?.running) return { kind: 'cancel' };
  if (blocked !== undefined) return { kind: 'blocked', text: blocked };
  if (held === null) {
    return {
      kind: 'nothing_held',
      text: 'No project is held. Open a folder that has a discern.toml, or initialize one, to run its gate.',
    };
  }
  const elsewhere = run !== undefined && run.root !== held;
  return {
    kind: 'verbs',
    root: held,
    text: elsewhere ? `The next run is of ${lastPart(held)}.` : undefined,
  };
}
