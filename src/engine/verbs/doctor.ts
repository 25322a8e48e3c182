import type { AnswerOf, Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { DoctorData, Finding, Held } from '../../contract/data.ts';
import { messageOf } from '../../contract/values.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadSettings } from '../config/index.ts';
import { fine, guarded, warn, wrong } from '../doctor/finding.ts';
import { hosts } from '../doctor/hosts.ts';
import { traceInputs } from '../doctor/inputs.ts';
import { machine } from '../doctor/machine.ts';
import { meaningHere } from '../doctor/meaning.ts';
import { landingPlace, shape } from '../doctor/repository.ts';
import { sandbox } from '../doctor/sandbox.ts';
import { state } from '../doctor/state.ts';
import { tools } from '../doctor/tools.ts';
import { weight } from '../doctor/weight.ts';
import { type Checkout, openCheckout, openRepository, type Repository } from '../repository/repository.ts';
import { directoryAt, findRoot } from '../repository/root.ts';

/** What is known of the place asked about, as far as it could be read. */
interface Patient {
  root: string;
  checkout?: Checkout;
  repo?: Repository;
}

/**
 * Looks at everything discern stands on, from whatever directory: machine, project, repository, what was left behind, and
 * the hosts' settings. Changes nothing, and always answers: what is not there is a finding, with what to do about it.
 */
export async function doctor(root: string, _args: Args<'doctor'>, ctx: Context): Promise<Result<'doctor'>> {
  const looking = machine();
  const patient: Patient = { root };
  const place = await findPlace(patient, ctx);
  const { repo } = patient;
  if (ctx.traceInputs) {
    return answer(patient, repo ? await traceInputs(repo, ctx.traceInputs, ctx) : place);
  }
  const roots = [patient.root, ...(patient.checkout ? [patient.checkout.top] : [])];
  const parts = await Promise.all([
    looking,
    place,
    ...(repo
      ? [
          guarded('trunk', () => landingPlace(repo)),
          guarded('repository', () => shape(repo)),
          guarded('state', () => state(repo)),
          guarded('tools', () => tools(repo.config.config)),
          guarded('sandbox', () => sandbox(repo)),
          guarded('disk', () => weight(repo, ctx.signal)),
        ]
      : []),
    guarded('hosts', () => hosts(roots)),
  ]);
  if (ctx.signal.aborted) throw new Refusal('cancelled', 'doctor was cancelled.');
  return answer(patient, parts.flat());
}

/** The findings as an answer. `ok` says that everything could be looked at; `data.healthy`, that nothing is wrong. */
function answer({ root, checkout }: Patient, findings: Finding[]): Result<'doctor'> {
  return {
    ok: true,
    data: {
      root,
      ...(checkout && { branch: checkout.branch }),
      ...(checkout?.commit !== undefined && { commit: checkout.commit }),
      ...verdictOn(findings),
      version: DISCERN_VERSION,
    },
    message: sentenceOn(findings),
  };
}

/** The findings, worst first, and whether there is an error among them. */
function verdictOn(findings: readonly Finding[]): Pick<DoctorData, 'healthy' | 'findings'> {
  const weight = { error: 0, warn: 1, ok: 2 };
  return {
    healthy: !findings.some(({ level }) => level === 'error'),
    findings: findings.toSorted((a, b) => weight[a.level] - weight[b.level]),
  };
}

function sentenceOn(findings: readonly Finding[]): string {
  const those = (wanted: Finding['level'], noun: string) => {
    const number = findings.filter(({ level }) => level === wanted).length;
    return number === 0 ? [] : [count(number, noun)];
  };
  const bad = [...those('error', 'error'), ...those('warn', 'warning')];
  return bad.length === 0 ? 'Nothing is wrong.' : `Found ${bad.join(' and ')}, each with its remedy.`;
}

/** Adds what a server knows of its own root to a doctor's answer. */
export function withHeld(envelope: AnswerOf<'doctor'>, held: Held): AnswerOf<'doctor'> {
  const { data } = envelope;
  if (!envelope.ok || !data) return envelope;
  const passed = (held.passed_over ?? []).map((what) =>
    warn('held root', what, 'Correct what names it, or leave it out.'),
  );
  const findings = [heldFinding(held), ...passed, ...(data.findings ?? [])];
  return { ...envelope, data: { ...data, ...verdictOn(findings), held }, message: sentenceOn(findings) };
}

function heldFinding({ root, mechanism, moved_by: movedBy, missing, candidates = [] }: Held): Finding {
  const check = 'held root';
  if (root === null) {
    const tried = candidates.map(
      ({ mechanism: by, value, outcome }) => `${by}${value === undefined ? '' : ` ${value}`}: ${outcome}`,
    );
    return warn(
      check,
      `This server holds no project. It tried ${tried.join(' ') || 'nothing'}`,
      'Call init to make one, pass path, or start the server with --root DIR.',
    );
  }
  if (missing) {
    return wrong(
      check,
      `The held root ${root} is gone.`,
      'Pass the path of another checkout, and start a worktree from there.',
    );
  }
  return fine(
    check,
    `This server acts in ${root}, ${movedBy === undefined ? `found by ${mechanism}` : `where ${movedBy} moved it`}.`,
  );
}

/** Finds out where one stands, step by step as far as it goes; what stops it is an error. */
async function findPlace(patient: Patient, ctx: Context): Promise<Finding[]> {
  const findings: Finding[] = [];
  const step = async (check: string, look: () => Promise<void>, remedy: (slug: string) => string) => {
    try {
      await look();
      return true;
    } catch (error) {
      if (Refusal.is(error) && error.slug === 'cancelled') throw error;
      const what = messageOf(error);
      findings.push(wrong(check, what, remedy(Refusal.is(error) ? error.slug : 'internal_error')));
      return false;
    }
  };
  const there = await step(
    'directory',
    async () => {
      patient.root = await directoryAt(patient.root);
    },
    () => 'Name a directory that is there.',
  );
  if (!there) return findings;
  const inGit = await step(
    'repository',
    async () => {
      patient.checkout = await openCheckout(patient.root, ctx.signal);
    },
    (slug) =>
      slug === 'not_a_git_repository'
        ? 'cd into a repository, or make one: git init && git add -A && git commit'
        : 'Repair git first.',
  );
  const found = await step(
    'config',
    async () => {
      patient.root = await findRoot(patient.root);
    },
    (slug) =>
      slug === 'not_initialized'
        ? 'discern init proposes one.'
        : 'Put the project into a repository: git init',
  );
  if (!inGit || !found) return findings;
  await step(
    'config',
    async () => {
      const repo = await openRepository(patient.root, ctx.signal);
      patient.repo = repo;
      const { config, notes, path, tolerated } = repo.config;
      findings.push(
        ...notes.map((note) => warn('config', note, `Edit ${path}.`)),
        config.jobs.length === 0
          ? warn(
              'config',
              `${path} declares no job, so its gate proves nothing.`,
              'Say under [jobs] what must pass.',
            )
          : fine('config', `${path}: ${config.jobs.map(({ name }) => name).join(', ')}.`),
        ...meaningHere(config, tolerated, path),
      );
    },
    (slug) =>
      slug === 'unborn_repository' ? 'git add -A && git commit' : `Correct the file, then run doctor again.`,
  );
  await step(
    'settings',
    async () => {
      await loadSettings(patient.root);
    },
    () => 'Correct the file, then run doctor again.',
  );
  return findings;
}
