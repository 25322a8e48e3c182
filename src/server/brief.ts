import type { AnyEnvelope } from '../contract/answers.ts';
import type { Held, Landing, ProofState, StatusData } from '../contract/data.ts';
import type { Diagnostic, Envelope, Step } from '../contract/envelope.ts';
import { briefFleet } from './brief-fleet.ts';
import { byJob, cutMiddle, jobOf } from './cut.ts';

type Json = Record<string, unknown>;

/** Characters of JSON an answer may have, and of those that are lists by their nature. */
const LIMIT = 6_000;
const LIST_LIMIT = 8_000;
const lists: ReadonlySet<string> = new Set(['status', 'projects', 'sessions']);

/** How many entries of a list, and characters of a text, an answer has at most before it is cut to its limit. */
const MOST_ENTRIES = 30;
const MOST_CHARACTERS = 2_000;

/** Worktrees of one page of `status`; `cursor` asks for the next. */
const PAGE = 20;

/**
 * The structured part of an answer as agents get it, who pay for every character: nothing empty, nothing that stands there
 * already, lists bounded. `more` counts what was cut, by its place. Pages of help, and what a person
 * asked, stay whole: they are what was asked for.
 */
export function brief(envelope: Envelope): Envelope {
  if (envelope.verb === 'help' || envelope.verb === 'recollect') return compact({ ...envelope });
  // It keeps to its own limit.
  if (envelope.verb === 'peek' && envelope.ok) return compact({ ...envelope });
  if (envelope.verb === 'fleet' && envelope.ok) {
    const { data, more } = briefFleet(envelope.data ?? {});
    return compact({ ...envelope, data, ...(Object.keys(more).length > 0 && { more }) });
  }
  const short = compact(shortened(envelope));
  const limit = lists.has(envelope.verb) ? LIST_LIMIT : LIMIT;
  for (let share = 1; ; share /= 2) {
    const fitted = bounded(short, share);
    if (JSON.stringify(fitted).length <= limit || share < 1 / 64) return fitted;
  }
}

/** `status` from the worktree a cursor names on, with those first that a caller most likely asks about. */
export function paged(envelope: AnyEnvelope, cursor: unknown): AnyEnvelope {
  if (envelope.verb !== 'status') return envelope;
  const all = envelope.data?.worktrees;
  if (all === undefined || all.length <= PAGE) return envelope;
  const from =
    typeof cursor === 'string' && /^\d{1,9}$/.test(cursor) ? Math.min(Number(cursor), all.length) : 0;
  const sorted = [...all].sort((a, b) => rank(a, envelope) - rank(b, envelope));
  const to = Math.min(from + PAGE, all.length);
  const left = all.length - to;
  return {
    ...envelope,
    data: { ...envelope.data, worktrees: sorted.slice(from, to) },
    ...(left > 0 && { more: { worktrees: left, cursor: String(to) } }),
  };
}

/** The checkout an answer is about, the trunk's, those with work in them, then the others in git's order. */
function rank(worktree: Json, { data }: Envelope): number {
  if (worktree.root === data?.root) return 0;
  if (worktree.landing) return 1;
  return worktree.clean === false || worktree.ahead ? 2 : 3;
}

/** Sentences of a good answer that say nothing its data does not. */
const saidByData =
  /^(Nothing uncommitted\.|Worktree ready\.|Landed on .+; worktree and branch are gone\.|\d+ jobs? passed\. Proof recorded\.)$/;

function shortened(envelope: Envelope): Json {
  const { steps, diagnostics, data, message, hints, ...rest } = envelope;
  return {
    ...rest,
    ...(hints && { hints: hints.map((hint) => withoutPath(hint, data)) }),
    ...(!(envelope.ok && message && saidByData.test(message)) && { message }),
    data: data && shortData(data),
    steps: steps?.map(shortStep),
    diagnostics: diagnostics && shortDiagnostics(diagnostics),
  };
}

/** The way to a new worktree, which stands beside it. */
const withoutPath = (hint: string, data: unknown) => {
  const path = (data as { path?: unknown } | undefined)?.path;
  return hint === `Move your working directory to ${path}; edit only there.`
    ? 'Move your working directory to `path`; edit only there.'
    : hint;
};

/** Of a job that passed its outcome is enough, and where what it printed is, if it did. */
function shortStep({ name, stage, outcome, duration_ms, reused, ...rest }: Step): Json {
  if (reused) return { name, stage, outcome, reused };
  const { output_path, output_lines } = rest;
  const good = outcome === 'passed' || outcome === 'skipped';
  return { name, stage, outcome, duration_ms, ...(good ? output_lines !== 0 && { output_path } : rest) };
}

/** Each job's log and command once, and an equal share of the lines for each. */
function shortDiagnostics(diagnostics: readonly Diagnostic[]): Json[] {
  const seen = new Set<string>();
  return fairly(diagnostics).map((one) => {
    const { reproduce_cmd, output_path, ...rest } = one;
    const job = jobOf(one);
    if (seen.has(job)) return rest;
    seen.add(job);
    return one;
  });
}

/** In turn one of each job, so that what is cut leaves something of all of them. */
function fairly(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const queues = byJob(diagnostics);
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, i) => queues.flatMap((queue) => queue[i] ?? [])).flat();
}

/** Of what removals have kept `status` tells an agent the newest few, with how many there are; prune lists them all. */
const MOST_KEPT = 5;

const shortKept = (kept: unknown) => {
  const { total, refs } = kept as Partial<NonNullable<StatusData['kept']>>;
  return refs === undefined ? kept : { total, refs: refs.slice(0, MOST_KEPT) };
};

function shortData(data: Json): Json {
  const { held, worktrees, jobs, standards, proof, worktree, kept, ...rest } = data as Json & {
    landing?: Landing;
  };
  const removed = rest.landing?.worktree_removed === true;
  return {
    ...rest,
    // Where it has been removed there is nothing to go to.
    ...(!removed && { worktree }),
    ...(proof !== undefined && { proof: shortProof(proof as ProofState, data) }),
    ...(held !== undefined && { held: shortHeld(held as Held) }),
    ...(Array.isArray(worktrees) && { worktrees: worktrees.map((one) => shortWorktree(one, data)) }),
    ...(kept !== undefined && { kept: shortKept(kept) }),
    ...(jobs !== undefined && { jobs: shortCounts(jobs as Record<string, number>) }),
    ...(Array.isArray(standards) && { standards: standards.map(({ history: _history, ...one }) => one) }),
  };
}

/** How the spawn root was looked for is for `doctor` and `discern://root`. */
const shortHeld = ({ candidates: _candidates, ...held }: Held): Json => held;

/** A valid proof is of the commit the answer names. */
const shortProof = ({ commit, ...proof }: ProofState, data: Json): Json =>
  commit === data.commit ? proof : { ...proof, commit };

/** Of the checkout an answer is about everything else stands in `data`. */
function shortWorktree(worktree: Json, data: Json): Json {
  const {
    path,
    root,
    commit: _commit,
    landing,
    ahead,
    behind,
    tracked_changes: _,
    branch,
    port,
    listening,
    ...rest
  } = worktree;
  return {
    path,
    ...(root !== path && { root }),
    branch,
    // A port on which nothing listens is of use in its own worktree only, where the environment has it.
    ...(listening === true && { port, listening }),
    ...(root !== data.root && {
      ...rest,
      ...(landing === true && { landing }),
      ...(ahead !== 0 && { ahead }),
      ...(behind !== 0 && { behind }),
    }),
  };
}

/** How many passed and failed is always said; the others where there are any. */
function shortCounts({ passed, failed, ...others }: Record<string, number>): Json {
  return { passed, failed, ...Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)) };
}

/** Lists that are the answer itself, also when they are empty. */
const asked: ReadonlySet<string> = new Set(['projects', 'worktrees', 'sessions', 'queries', 'agents']);

/** Without what is empty: absent means none. */
function compact(value: Json): Envelope {
  const walk = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).flatMap(([key, inner]) =>
        inner === undefined || (Array.isArray(inner) && inner.length === 0 && !asked.has(key))
          ? []
          : [[key, walk(inner)]],
      ),
    );
  };
  return walk(value) as Envelope;
}

/** An answer whose lists and texts have at most their `share` of what they may have, with `more` for what was cut. */
function bounded(envelope: Envelope, share: number): Envelope {
  const more: Record<string, number> = {};
  const entries = Math.max(1, Math.floor(MOST_ENTRIES * share));
  const characters = Math.max(120, Math.floor(MOST_CHARACTERS * share));
  const walk = (one: unknown, at: string): unknown => {
    if (typeof one === 'string') return cutMiddle(one, characters);
    if (Array.isArray(one)) {
      if (one.length > entries) more[at] = one.length - entries;
      return one.slice(0, entries).map((inner) => walk(inner, at));
    }
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => [
        key,
        // A path or an id that is cut would be another one.
        whole.has(key) ? inner : walk(inner, at === '' || at === 'data' ? key : `${at}.${key}`),
      ]),
    );
  };
  const cut = walk(envelope, '') as Envelope;
  const before = envelope.more ?? {};
  const counts = {
    ...more,
    ...before,
    ...(before.worktrees !== undefined && more.worktrees !== undefined
      ? nextPage(before, more.worktrees)
      : {}),
  };
  return Object.keys(counts).length > 0 ? { ...cut, more: counts } : cut;
}

/** A page that had to be cut ends earlier, and so begins the next. */
const nextPage = ({ worktrees = 0, cursor = '0' }: NonNullable<Envelope['more']>, lost: number) => ({
  worktrees: Number(worktrees) + lost,
  cursor: String(Number(cursor) - lost),
});

const whole: ReadonlySet<string> = new Set([
  'root',
  'path',
  'worktree',
  'id',
  'branch',
  'base',
  'commit',
  'more',
  'file',
  'output_path',
  'spawn_root',
  'cwd',
  'recovery_ref',
]);
