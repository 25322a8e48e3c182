import type { Result } from '../../contract/answers.ts';
import type { Standard } from '../../contract/config.ts';
import type { ProofState, StandardsData } from '../../contract/data.ts';
import { shownNumber } from '../../contract/standard-words.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { DriftWatch, driftDiagnostic } from '../gate/drift.ts';
import { logRun } from '../gate/logbook.ts';
import { declaredJobs, planJobs } from '../gate/plan.ts';
import { carryProof, proofState } from '../gate/proof.ts';
import { runStages } from '../gate/stages.ts';
import { turnOf } from '../gate/test-turn.ts';
import { judge } from '../gate/verdict.ts';
import { isClean, readStatus, type TreeStatus } from '../git/status.ts';
import { newRunDir } from '../jobs/run-dir.ts';
import { classify } from '../jobs/scopes.ts';
import { lockCheckout, requireCleanWorktree } from '../repository/checkout.ts';
import { openRepository, type Repository, where } from '../repository/repository.ts';
import { keepMeasurements, type Measurement, measureOf, readHistory } from '../standards/history.ts';
import { holds, perWords } from '../standards/judge.ts';
import {
  findLoosened,
  type Loosened,
  loosenedDiagnostics,
  loosenedMessage,
  type TrunkLimit,
  trunkLimits,
} from '../standards/limits.ts';
import { Measuring } from '../standards/measure.ts';
import { commitPins, type Pin } from '../standards/pin.ts';
import type { Replay } from '../standards/replay.ts';
import { nearest } from '../words/nearest.ts';
import { divergence, sayingFirst } from '../worktree/divergence.ts';
import { jobEnv } from '../worktree/job-env.ts';

interface Prepared {
  repo: Repository;
  status: TreeStatus;
  chosen: Standard[];
  /** Absent without a trunk to compare with. */
  trunk: Map<string, TrunkLimit> | undefined;
  loosened: Loosened[];
}

/**
 * Measures standards, on-demand ones too, and compares their limits with the trunk's; every one is looked at even when
 * another fails. With `pin`, tightens the limits that improved in `discern.toml` and commits that alone, carrying a valid
 * proof over; what a check measured on this very commit is not measured again.
 *
 * Answers `standard_loosened`, `standard_regressed`, `gate_failed` where a measurement gave no number, `timed_out`,
 * `tree_drift`; refuses `invalid_argument` for an unknown name and, with `pin`, `dirty_worktree`.
 */
export async function standards(
  root: string,
  args: Args<'standards'>,
  ctx: Context,
): Promise<Result<'standards'>> {
  let prepared = await prepareStandards(root, args, ctx);
  if (args.dry_run) return sayingFirst(await diverged(prepared, ctx), preview(prepared, args));
  const lock = await lockCheckout(prepared.repo, prepared.repo, 'a run of "standards"', ctx);
  try {
    if (lock.waited) prepared = await prepareStandards(root, args, ctx);
    return sayingFirst(await diverged(prepared, ctx), await measure(prepared, args, ctx));
  } finally {
    await lock.release();
  }
}

const diverged = ({ repo, status }: Prepared, ctx: Context) => divergence(repo, status, ctx);

async function prepareStandards(
  root: string,
  { names, pin }: Args<'standards'>,
  ctx: Context,
): Promise<Prepared> {
  const repo = await openRepository(root, ctx.signal);
  const [status, trunk] = await Promise.all([
    readStatus(repo.top, { signal: ctx.signal }),
    trunkLimits(repo),
  ]);
  const declared = repo.config.config.standards;
  const wanted = new Set(names ?? []);
  if (names) requireKnown(names, [...declared.map(({ name }) => name), ...(trunk?.keys() ?? [])], repo);
  const isWanted = ({ name }: { name: string }) => names === undefined || wanted.has(name);
  const loosened = trunk ? findLoosened(declared, trunk).filter(isWanted) : [];
  if (pin) {
    await requireCleanWorktree(repo, status);
    if (loosened.length > 0) {
      const name = repo.trunk?.name ?? '';
      throw new Refusal('standard_loosened', `${loosenedMessage(loosened, name)} Nothing was pinned.`, {
        data: where(repo),
        diagnostics: loosenedDiagnostics(loosened, name),
      });
    }
  }
  return { repo, status, chosen: declared.filter(isWanted), trunk, loosened };
}

/** Refuses `invalid_argument` for names that are no standard's, all of them at once. */
function requireKnown(names: readonly string[], known: readonly string[], repo: Repository): void {
  const all = [...new Set(known)];
  const unknown = [...new Set(names)].filter((name) => !all.includes(name));
  if (unknown.length === 0 && names.length > 0) return;
  const each = unknown.map((name) => {
    const close = nearest(name, all);
    return close === undefined ? `"${name}"` : `"${name}" (did you mean "${close}"?)`;
  });
  const what = names.length === 0 ? '`names` is empty.' : `There is no standard ${each.join(', ')}.`;
  throw new Refusal(
    'invalid_argument',
    `${what} There are: ${all.join(', ') || 'none'}. Leave the names out for all.`,
    { data: where(repo) },
  );
}

function preview({ repo, status, chosen }: Prepared, { pin }: Args<'standards'>): Result<'standards'> {
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `${pin ? 'Measure and pin' : 'Measure'} the standards of ${repo.root}`,
      steps: chosen.map((standard) => {
        const per = perWords(standard);
        const side = standard.direction === 'up' ? 'at least' : 'at most';
        return {
          action: `standard: ${standard.name} ${side} ${standard.limit}${per === undefined ? '' : ` per ${per}`}`,
          detail: [...standard.run, ...(standard.extract ?? [])].join(' && ') || (standard.producer ?? ''),
        };
      }),
    },
    data: { ...where(repo), clean: isClean(status) },
  };
}

async function measure(
  prepared: Prepared,
  { pin }: Args<'standards'>,
  ctx: Context,
): Promise<Result<'standards'>> {
  const { repo, status, chosen, trunk, loosened } = prepared;
  const earlier = await readHistory(repo);
  const replays = pin ? measuredHere(repo, chosen, earlier) : undefined;
  const measuring = new Measuring(repo, { standards: chosen, trunk, loosened, ...(replays && { replays }) });
  const declared = declaredJobs(repo.config, classify(repo.config.config.scopes, []).scopes);
  const groups = planJobs([...declared, ...measuring.jobs], ({ kind }) => kind === 'standard');
  const total = groups.reduce((sum, { jobs }) => sum + jobs.length, 0);
  ctx.emit({ type: 'run_started', root: repo.root, verb: 'standards', jobs: total });
  const began = Date.now();
  const [env, runDir, turn] = await Promise.all([
    jobEnv(repo),
    newRunDir(repo.commonDir, 'standards'),
    turnOf(repo, 'standards', groups, ctx),
  ]);
  const watch = await DriftWatch.open(repo, status);
  const run = { root: repo.root, env, runDir, failFast: false, watch, turn };
  const { results, drift } = await runStages(groups, run, ctx);
  const after = await readStatus(repo.top);
  const clean = isClean(status) && isClean(after) && after.commit === repo.commit;
  const fresh = clean ? measuring.measurements() : [];
  await keepMeasurements(repo, fresh);
  const found = measuring.results([...earlier, ...fresh]);
  const verdict = judge({
    commit: repo.commit,
    verb: 'standards',
    results,
    drift,
    unnamed: watch.unnamed,
    regressed: measuring.named('regressed'),
    head: after.commit,
    cancelled: ctx.signal.aborted,
  });
  const name = repo.trunk?.name;
  const data: StandardsData = {
    ...where(repo),
    clean: isClean(status),
    standards: found,
    limits: { verified: trunk !== undefined, ...(name !== undefined && { trunk: name }) },
    ...(drift.length > 0 && { drift }),
  };
  const hints = [
    ...repo.config.notes,
    ...measuring.notes,
    ...results.flatMap((result) => result.hints),
    ...(turn.problem ? [turn.problem] : []),
    ...(await logRun(repo, {
      verb: 'standards',
      began,
      error: verdict.error,
      steps: results.map(({ step }) => step),
      spent: turn.spent,
    })),
    ...(trunk === undefined ? ['There is no trunk, so no limit was compared with it.'] : []),
  ];
  const diagnostics = [
    ...(name === undefined ? [] : loosenedDiagnostics(loosened, name)),
    ...results.flatMap((result) => result.diagnostics),
    ...drift.map((one) => driftDiagnostic(one)),
  ];
  const rest = { data, steps: results.map(({ step }) => step), diagnostics, hints };
  if (loosened.length > 0 && verdict.error !== 'cancelled') {
    const others = verdict.error ? ` Besides, ${verdict.message}` : '';
    return {
      ok: false,
      error: 'standard_loosened',
      ...rest,
      message: `${loosenedMessage(loosened, name ?? '')}${others}`,
    };
  }
  if (verdict.error) {
    const nothing = pin ? ' Nothing was pinned.' : '';
    return { ok: false, error: verdict.error, ...rest, message: `${verdict.message}${nothing}` };
  }
  const pins = pinsOf(found);
  if (pin) return pinned(repo, status, rest, pins);
  if (pins.length > 0)
    hints.push(`Better than the limit: ${pins.map(pinWords).join(', ')}. standards with pin keeps that.`);
  return { ok: true, ...rest, message: heldMessage(found.length) };
}

const heldMessage = (count: number) =>
  count === 0
    ? 'discern.toml declares no standard: add one under [standards.<name>].'
    : count === 1
      ? 'The standard holds.'
      : `All ${count} standards hold.`;

/** What an earlier run measured on this very commit. */
function measuredHere(
  repo: Repository,
  chosen: readonly Standard[],
  history: readonly Measurement[],
): Map<string, Replay> {
  const replays = new Map<string, Replay>();
  for (const standard of chosen) {
    const measure = measureOf(standard);
    const last = history.findLast(
      (one) => one.name === standard.name && one.measure === measure && one.commit === repo.commit,
    );
    if (last && holds(standard, last.value)) {
      replays.set(standard.name, { value: last.value, commit: last.commit });
    }
  }
  return replays;
}

const pinsOf = (found: StandardsData['standards']): Pin[] =>
  found.flatMap(({ name, limit, pin }) =>
    limit === undefined || pin === undefined ? [] : [{ name, from: limit, to: pin }],
  );

const pinWords = ({ name, from, to }: Pin) => `${name} ${shownNumber(from)} → ${shownNumber(to)}`;

/** Tightens the limits and commits them; a valid proof then holds for that commit too. */
async function pinned(
  repo: Repository,
  status: TreeStatus,
  rest: Pick<Result<'standards'>, 'steps' | 'diagnostics' | 'hints'> & { data: StandardsData },
  pins: readonly Pin[],
): Promise<Result<'standards'>> {
  if (pins.length === 0) {
    return {
      ok: true,
      ...rest,
      data: { ...rest.data, pinned: [] },
      message: 'No limit can be tightened: nothing was pinned.',
    };
  }
  const before = await proofState(repo, status);
  const commit = await commitPins(repo, pins);
  const now = await openRepository(repo.root);
  const proof: ProofState =
    before.state === 'valid' && now.commit === commit
      ? await carryProof(repo, now)
      : { state: 'none', reason: 'There was no valid proof to carry over: run done.' };
  const limits = new Map(pins.map(({ name, to }) => [name, to]));
  return {
    ok: true,
    ...rest,
    data: {
      ...rest.data,
      ...where(now),
      standards: rest.data.standards.map(({ pin, ...one }) => ({
        ...one,
        ...(limits.has(one.name) && { limit: limits.get(one.name) }),
      })),
      pinned: [...pins],
      pin_commit: commit,
      proof,
    },
    message: `Pinned ${pins.map(pinWords).join(', ')} in ${commit.slice(0, 10)}${proof.state === 'valid' ? '; the proof holds for it' : ''}.`,
  };
}
