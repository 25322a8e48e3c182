import {
  type AnswerAmong,
  type AnswerOf,
  type AnyEnvelope,
  isWhole,
  standardsOf,
  whereOf,
} from '../../contract/answers.ts';
import { broughtWords } from '../../contract/brought-words.ts';
import type { Envelope } from '../../contract/envelope.ts';
import { entryWords } from '../../contract/queue-words.ts';
import type { VerbWithReport } from '../../contract/traits.ts';
import { shellWord } from '../../engine/words/shell-word.ts';
import type { Ink } from '../ink.ts';
import { short, table } from '../words.ts';
import { doctorLines } from './doctor.ts';
import { failureLines } from './failures.ts';
import { fleetLines, peekLines, projectLines } from './fleet.ts';
import { helpLines } from './help.ts';
import { initLines } from './init.ts';
import { jobLines } from './jobs.ts';
import { pruneLines } from './prune.ts';
import { scopeLines } from './scopes.ts';
import { agentLines, queryLines, sessionLines } from './sessions.ts';
import { standardLines } from './standards.ts';
import { statusLines } from './status.ts';
import { describedLines, todoLines } from './worktree.ts';

/** Where the person stands who reads the report. */
export interface Reader {
  directory: string | undefined;
  /** That directory has been removed, perhaps by the verb. */
  gone: boolean;
}

/**
 * A verb's result for a person: the verdict, which checkout it speaks of, the jobs, what failed and where, what to know,
 * and at the end, where the eye is, what to do next. Expects an envelope free of control characters.
 */
export function report(envelope: AnyEnvelope, ink: Ink, reader: Reader): string[] {
  const sections = [
    opening(envelope, ink),
    planLines(envelope, ink),
    jobLines(envelope, ink),
    failureLines(envelope, ink, reader.directory),
    specifics(envelope, ink),
    hints(envelope, ink, reader),
    envelope.ok ? [] : [ink.bold(envelope.message ?? '')],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function opening(envelope: AnyEnvelope, ink: Ink): string[] {
  if (envelope.verb === 'status' && isWhole(envelope)) return statusLines(envelope.data, envelope, ink);
  if (envelope.verb === 'doctor' && isWhole(envelope)) return doctorLines(envelope.data, envelope, ink);
  if (envelope.verb === 'help' && isWhole(envelope)) return helpLines(envelope.data, ink);
  return [verdict(envelope, ink), ...whereLines(envelope, ink)];
}

function verdict(envelope: Envelope, ink: Ink): string {
  const { ok, verb, dry_run, error = 'internal_error', message = '', plan } = envelope;
  if (!ok) {
    const slug = error === 'cancelled' ? '' : ink.dim(` (${error})`);
    return `${ink.mark('failed')} ${ink.red(ink.bold(`${verb} ${fate(error)}`))}${slug}`;
  }
  if (dry_run) return `${ink.bold(plan?.title ?? verb)} ${ink.dim('(a preview: nothing was changed)')}`;
  const said = message || `${verb} is done.`;
  return `${ink.mark('passed')} ${ink.green(ink.bold(verb))}  ${said}`;
}

/** How a verb ended that did not succeed, in a word or two. */
function fate(error: NonNullable<Envelope['error']>): string {
  switch (error) {
    case 'gate_failed':
    case 'standard_regressed':
    case 'generated_drift':
    case 'internal_error':
      return 'failed';
    case 'timed_out':
      return 'ran out of time';
    case 'cancelled':
      return 'was cancelled';
    case 'tree_drift':
      return 'judged a tree that changed';
    case 'partial_acceptance':
      return 'landed the work, but is not finished';
    default:
      return 'was refused';
  }
}

function whereLines(envelope: AnyEnvelope, ink: Ink): string[] {
  const { root, branch, commit } = whereOf(envelope);
  if (root === undefined) return [];
  const on = branch === undefined ? '' : ` on ${ink.cyan(branch ?? 'a detached HEAD')}`;
  const at = commit === undefined ? '' : ` at ${short(commit)}`;
  const { base, brought } = (envelope.verb === 'start' && envelope.data) || {};
  const from = envelope.ok && !envelope.dry_run && base !== undefined ? `, from ${base}` : '';
  return [
    `  ${root}${on}${at}${from}`,
    ...(brought === undefined ? [] : [`  came along: ${broughtWords(brought)}`]),
  ];
}

function planLines({ plan }: Envelope, ink: Ink): string[] {
  if (!plan) return [];
  if (plan.steps.length === 0) return ['  Nothing to do.'];
  return table(
    plan.steps.map(({ action, detail = '' }) => [
      { text: `  ${action}` },
      { text: detail, shown: ink.dim(detail) },
    ]),
  );
}

/** The lines of the verbs that have some of their own. */
const ownLines: { [V in VerbWithReport]: (envelope: AnswerOf<V>, ink: Ink) => string[] } = {
  // These three open with what they have to say.
  status: () => [],
  doctor: () => [],
  help: () => [],
  start: () => [],
  update: () => [],
  // Its standards are shown as those of any verb are.
  standards: () => [],
  scopes: (envelope, ink) => (isWhole(envelope) ? scopeLines(envelope.data, ink) : []),
  sessions: (envelope, ink) => (isWhole(envelope) ? sessionLines(envelope.data, ink) : []),
  recollect: (envelope, ink) => (isWhole(envelope) ? queryLines(envelope.data, ink) : []),
  agents: (envelope, ink) => (isWhole(envelope) ? agentLines(envelope.data, ink) : []),
  fleet: (envelope, ink) => (isWhole(envelope) ? fleetLines(envelope.data, ink) : []),
  peek: (envelope, ink) => (isWhole(envelope) ? peekLines(envelope.data, ink) : []),
  projects: (envelope, ink) => (isWhole(envelope) ? projectLines(envelope.data, ink) : []),
  describe: ({ ok, data }, ink) => (ok ? describedLines(data ?? {}, ink) : []),
  todo: ({ data }, ink) => todoLines(data ?? {}, ink),
  prune: (envelope, ink) => (envelope.ok ? pruneLines(envelope, ink) : []),
  init: ({ ok, data }, ink) => initLines(data ?? {}, ok, ink),
  queue: ({ data }) => (data?.entries ?? []).map((one) => `  ${entryWords(one)}`),
  await: ({ data }) => (data?.entry ? [`  ${entryWords(data.entry)}`] : []),
  accept({ dry_run, error, data }, ink) {
    if (dry_run || error !== 'partial_acceptance' || !data?.landing) return [];
    return Object.entries(data.landing)
      .filter(([name]) => name !== 'recovery_performed')
      .map(([name, done]) => `  ${ink.mark(done ? 'passed' : 'failed')} ${name.replaceAll('_', ' ')}`);
  },
};

const hasOwnLines = (envelope: AnyEnvelope): envelope is AnswerAmong<VerbWithReport> =>
  Object.hasOwn(ownLines, envelope.verb);

const linesOf = <V extends VerbWithReport>(envelope: AnswerAmong<V>, ink: Ink): string[] =>
  ownLines[envelope.verb](envelope, ink);

function specifics(envelope: AnyEnvelope, ink: Ink): string[] {
  const standards = standardsOf(envelope);
  if (standards.length > 0) return standardLines(standards, ink);
  return hasOwnLines(envelope) ? linesOf(envelope, ink) : [];
}

function hints(envelope: Envelope, ink: Ink, reader: Reader): string[] {
  const all = [...(envelope.hints ?? [])];
  const { root } = whereOf(envelope);
  if (reader.gone && root !== undefined && root !== reader.directory) {
    all.push(`Your shell is in a directory that no longer exists: cd ${shellWord(root)}`);
  }
  return all.map((hint) => `${ink.yellow('hint:')} ${hint}`);
}
