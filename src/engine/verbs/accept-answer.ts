import type { AcceptData, Landing, OtherWay } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { LandingWay } from '../../contract/settings.ts';
import type { ClientKind } from '../call/context.ts';
import type { GateRun } from '../gate/run.ts';
import { pathText } from '../git/core.ts';
import type { Difference } from '../git/diff.ts';
import { logOneline } from '../git/refs.ts';
import { commitsOfTrunk } from '../landing/combine.ts';
import type { Convergence } from '../landing/converge.ts';
import { type LandingResult, nothing } from '../landing/land.ts';
import type { PushTarget } from '../landing/push.ts';
import type { Recovery } from '../landing/recover.ts';
import { namedIgnored } from '../landing/retire.ts';
import { type Repository, rootIn, type Trunk, where } from '../repository/repository.ts';
import type { Work } from '../repository/work.ts';
import { leavingAdvice } from '../worktree/moving.ts';

export type AcceptAnswer = Omit<Envelope<AcceptData>, 'verb'>;

/** A worktree that may land: everything that can refuse has been asked. */
export interface Candidate {
  repo: Repository;
  trunk: Trunk;
  /** The landing checkout's git top. */
  landing: string;
  /** Whether discern made the worktree, and so removes it and its branch. */
  managed: boolean;
  /** What differs between the trunk and its commit. */
  changes: readonly Difference[];
  how: LandingWay;
  /** Its work is on the trunk already, and the worktree only waits to be retired. */
  already: boolean;
  /** The trunk has commits that it lacks: what lands is the two together, in a commit that is proved by itself. */
  behind: boolean;
  work: Work;
  /** Where the trunk is to be pushed. */
  target?: PushTarget;
  proved: boolean;
  /** What the owner's policies on the trunk say of it. */
  policy: readonly string[];
  /** What git ignores there, which goes with the worktree. */
  ignored: readonly string[];
}

/** How work landed that is on the trunk in another commit than the branch's own. */
const wayWords: Record<LandingWay, string> = {
  ff: '',
  merge: ' by a merge commit',
  squash: ' as one commit',
  rebase: ', rebased',
};

const keptNote = (top: string) =>
  `discern did not make ${top}: whoever did removes it, so the checkout and its branch are kept.`;

/** What landed, beside what came of the landing. */
interface Landed {
  to: string;
  /** The trunk's commits it was combined with. */
  met?: string;
  gate?: GateRun;
  hints?: readonly string[];
  pushed?: Landing['pushed'];
  ready?: Convergence | undefined;
}

/** What a landing came to: `partial_acceptance` when something was left undone behind the trunk's move. */
export function landed(
  { repo, trunk, landing, managed, policy, how, already }: Candidate,
  result: LandingResult & Landed,
  before: readonly Recovery[],
  client: ClientKind,
): AcceptAnswer {
  const { gate, met, pushed } = result;
  const flags = { ...result.landing, recovery_performed: before.length > 0, ...(pushed && { pushed }) };
  const kept = managed ? undefined : keptNote(repo.top);
  const data: AcceptData = {
    root: rootIn(repo, landing),
    branch: trunk.name,
    commit: result.to,
    landing: flags,
    trunk: trunk.name,
    landed_commit: result.to,
    worktree: repo.top,
    ...(kept && { kept }),
    ...(gate && { jobs: gate.data.jobs, scopes: gate.data.scopes }),
  };
  const hints = [
    ...policy,
    ...(gate?.hints ?? repo.config.notes).filter((hint) => !policy.includes(hint)),
    ...(kept ? [kept] : []),
    ...(met ? [`Landed together with what ${trunk.name} had got meanwhile, and proved so: ${met}.`] : []),
    ...(result.hints ?? []),
    ...before.flatMap(({ reason }) =>
      reason === undefined ? [] : [`An interrupted landing was finished first, but ${reason}.`],
    ),
  ];
  const { teardown, ready } = result;
  const steps = [...(gate?.steps ?? []), ...(teardown?.steps ?? []), ...(ready?.steps ?? [])];
  const diagnostics = [
    ...(gate?.diagnostics ?? []),
    ...(teardown?.diagnostics ?? []),
    ...(ready?.diagnostics ?? []),
  ];
  const rest = {
    data,
    hints: [...hints, ...(result.notes ?? []), ...(teardown?.hints ?? []), ...(ready?.hints ?? [])],
    ...((gate || steps.length > 0) && { steps, diagnostics }),
  };
  if (result.reason !== undefined || ready?.reason !== undefined) {
    const advice =
      result.reason === undefined
        ? ready?.steps
          ? `Nothing was undone: fix it in ${data.root}, or on ${trunk.name}`
          : `Nothing was undone: run what makes ${data.root} ready by hand`
        : teardown?.left?.length
          ? 'Accept again once that can be done'
          : 'Finish with "discern drop" or by hand';
    const reasons = [result.reason, ready?.reason].filter((reason) => reason !== undefined);
    return {
      ok: false,
      error: 'partial_acceptance',
      message: `${trunk.name} has the work (${result.to.slice(0, 10)}), but ${reasons.join('; ')}. ${advice}.`,
      ...rest,
    };
  }
  // A terminal's shell is seen to stand there or not.
  if (managed && client !== 'terminal') rest.hints.push(leavingAdvice(client, data.root));
  const what = managed ? '; worktree and branch are gone' : '';
  return {
    ok: true,
    ...rest,
    message: `Landed on ${trunk.name}${result.to === repo.commit || already ? '' : wayWords[how]}${pushed ? `, and pushed to ${pushed.remote}` : ''}${what}.`,
  };
}

/** The worktree a call named was the one whose interrupted landing has just been finished. */
export function recovered(
  repo: Repository,
  { journal, landing, reason: left, notes = [] }: Recovery,
  ready: Convergence | undefined,
): AcceptAnswer {
  const reasons = [left, ready?.reason].filter((one) => one !== undefined);
  const reason = reasons.length > 0 ? reasons.join('; ') : undefined;
  const hints = [...notes, ...(ready?.hints ?? [])];
  const ran = {
    ...(ready?.steps && { steps: ready.steps, diagnostics: ready.diagnostics ?? [] }),
    ...(hints.length > 0 && { hints }),
  };
  const data: AcceptData = {
    root: rootIn(repo, journal.landing),
    branch: journal.trunk.name,
    commit: journal.to,
    landing,
    trunk: journal.trunk.name,
    landed_commit: journal.to,
    worktree: repo.top,
    ...(!journal.worktree.managed && { kept: keptNote(repo.top) }),
  };
  if (reason !== undefined) {
    return {
      ok: false,
      error: 'partial_acceptance',
      data,
      ...ran,
      message: `An interrupted landing was finished: ${journal.trunk.name} has the work, but ${reason}.`,
    };
  }
  return {
    ok: true,
    data,
    ...ran,
    message: `An interrupted landing was finished: ${journal.trunk.name} has the work.`,
  };
}

/** The gate did not pass, of the branch's commit or of the two together, so nothing was landed. */
export function refusedByGate(
  gate: GateRun,
  recovered: boolean,
  combined?: { candidate: Candidate; met: string },
): AcceptAnswer {
  const { repo, trunk } = combined?.candidate ?? {};
  const together = trunk
    ? `It was judged together with what ${trunk.name} has got, and ${repo?.branch ?? 'the branch'} lacks: ${combined?.met}. Call update to have both here. `
    : '';
  return {
    ok: false,
    error: gate.error ?? 'gate_failed',
    message: `Nothing was landed. ${together}${gate.message}`,
    data: {
      ...gate.data,
      ...(repo && where(repo)),
      landing: { ...nothing, recovery_performed: recovered },
    },
    steps: gate.steps,
    diagnostics: gate.diagnostics,
    hints: gate.hints,
  };
}

/** What accept would do. */
export async function preview(
  { repo, trunk, landing, managed, proved, policy, ignored, how, behind, changes, target, work }: Candidate,
  resources: readonly string[],
  ways: OtherWay[],
): Promise<AcceptAnswer> {
  const commits = await logOneline(repo.top, trunk.commit, repo.commit, 20);
  const files = changes.map(({ path }) => pathText(path));
  const met = behind ? await commitsOfTrunk(repo.top, repo.commit, work.base) : '';
  return {
    ok: true,
    dry_run: true,
    plan: {
      title: `Land ${repo.branch ?? repo.commit} on ${trunk.name}`,
      steps: [
        ...(behind ? [{ action: 'combine', detail: `with what ${trunk.name} has got: ${met}` }] : []),
        ...(proved
          ? []
          : [{ action: 'run the gate', detail: behind ? 'on the two together' : 'there is no valid proof' }]),
        ...policy.map((detail) => ({ action: 'policy', detail })),
        ...commits.map((commit) => ({ action: 'land', detail: commit })),
        { action: 'files', detail: `${files.length}: ${files.slice(0, 20).join(', ')}` },
        { action: 'move', detail: `${trunk.name} in ${landing}${how === 'ff' ? '' : ` (${how})`}` },
        ...(target
          ? [
              {
                action: 'push',
                detail: `${trunk.name} to ${target.remote}, as last fetched at ${target.commit.slice(0, 10)}`,
              },
            ]
          : []),
        ...(managed
          ? [
              ...resources.map((detail) => ({ action: 'destroy', detail })),
              ...(ignored.length > 0
                ? [{ action: 'delete ignored files', detail: namedIgnored(ignored) }]
                : []),
              { action: 'remove', detail: repo.top },
              { action: 'delete branch', detail: repo.branch ?? '' },
            ]
          : []),
      ],
    },
    data: { ...where(repo), trunk: trunk.name, landing: nothing, worktree: repo.top, files, ways },
  };
}
