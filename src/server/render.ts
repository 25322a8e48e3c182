import {
  type AnswerAmong,
  type AnswerOf,
  type AnyEnvelope,
  isWhole,
  standardsOf,
  whereOf,
} from '../contract/answers.ts';
import { broughtWords } from '../contract/brought-words.ts';
import type {
  DoctorData,
  Held,
  HelpData,
  KeptRef,
  PruneData,
  StandardsData,
  StartData,
  StatusData,
} from '../contract/data.ts';
import type { Diagnostic, Envelope } from '../contract/envelope.ts';
import { entryWords } from '../contract/queue-words.ts';
import { reusedWords } from '../contract/reused-words.ts';
import { boundWords, shownNumber, stateWords } from '../contract/standard-words.ts';
import type { VerbWithReport } from '../contract/traits.ts';
import type { RecollectData, SessionsData } from '../contract/verbs-fleet.ts';
import { visible } from '../contract/visible.ts';
import { byJob, cut, cutMiddle, lastOf } from './cut.ts';
import { agentLines, fleetLines, peekLines, projectLines } from './render-fleet.ts';
import { describedLines, todoLines } from './render-worktree.ts';

const MOST_DIAGNOSTICS = 10;
const MOST_WORKTREES = 20;
const MOST_PLANNED = 30;
const MOST_HINTS = 12;
const MOST_STANDARDS = 30;
const MOST_SESSIONS = 30;

/** Characters; what is longer is cut, since the structured part has it whole. */
const MESSAGE_LIMIT = 2_000;
const LINE_LIMIT = 500;
const OUTPUT_LIMIT = 1_500;
const FILE_LIMIT = 6_000;
const TEXT_LIMIT = 6_000;

/**
 * A tool's text: enough to act on without the structured part, and short, since agents pay for every token. Verdict, then
 * which checkout it speaks of, then what failed and where, then what to know.
 */
export function renderText(answer: AnyEnvelope, heldRoot: Held | undefined): string {
  const text = render(answer, heldRoot);
  return (answer.verb === 'help' || answer.verb === 'recollect') && answer.ok ? text : bounded(text);
}

/** A text within the limit: its beginning and its last lines, which say what to do next. */
function bounded(text: string): string {
  if (text.length <= TEXT_LIMIT) return text;
  const end = text.slice(-TEXT_LIMIT / 4);
  const start = text.slice(0, TEXT_LIMIT - end.length - 40);
  const [head, tail] = [start.slice(0, start.lastIndexOf('\n')), end.slice(end.indexOf('\n') + 1)];
  return `${head}\n… ${text.length - head.length - tail.length} characters cut …\n${tail}`;
}

function render(answer: AnyEnvelope, heldRoot: Held | undefined): string {
  const [envelope, held] = [visible(answer), visible(heldRoot)];
  if (envelope.verb === 'help' && isWhole(envelope)) return helpText(envelope.data);
  const lines = [verdict(envelope), whereLine(envelope, held)];
  if (envelope.plan) {
    const planned = envelope.plan.steps.map(
      ({ action, detail }) => `- ${action}${detail ? `: ${detail}` : ''}`,
    );
    lines.push(`plan: ${envelope.plan.title}`, ...some(planned, MOST_PLANNED));
  }
  lines.push(...specifics(envelope));
  lines.push(...jobs(envelope));
  lines.push(...failures(envelope));
  const notes = (envelope.hints ?? []).map((hint) => `note: ${hint}`);
  lines.push(...some(notes, MOST_HINTS, MESSAGE_LIMIT));
  return lines.filter((line) => line !== '').join('\n');
}

/** A page as it is, or the topics: an answer about no checkout. */
function helpText({ text, topics }: HelpData): string {
  const each = topics.map(({ topic, summary }) => `- ${topic}: ${summary}`);
  return text ?? ['Topics:', ...each, 'Also any verb, and the error of any answer.'].join('\n');
}

/** The first of many lines, and how many there are more. */
function some(lines: readonly string[], most: number, limit = LINE_LIMIT): string[] {
  const more = lines.length - most;
  return [
    ...lines.slice(0, most).map((line) => cut(line, limit)),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

function verdict({ ok, verb, dry_run, error, message = '' }: Envelope): string {
  const said = cutMiddle(message, MESSAGE_LIMIT);
  if (dry_run && ok) return `${verb}: preview, nothing was changed. ${said}`.trim();
  return ok ? `${verb}: ok. ${said}`.trim() : `${verb}: ${error}. ${said}`;
}

function whereLine(envelope: Envelope, held: Held | undefined): string {
  const { root, branch, commit } = whereOf(envelope);
  const parts = [
    ...(root === undefined ? [] : [`root: ${root}`]),
    ...(branch === undefined ? [] : [`branch: ${branch ?? '(detached)'}`]),
    ...(commit === undefined ? [] : [`commit: ${commit.slice(0, 10)}`]),
    ...(held && envelope.verb !== 'help' && held.root !== null && (held.root !== root || held.missing)
      ? [`held root: ${held.root}${held.missing ? ' (gone)' : ''}`]
      : []),
  ];
  return parts.join('  ');
}

/** The lines of the verbs that have some of their own. */
const ownLines: { [V in VerbWithReport]: (envelope: AnswerOf<V>) => string[] } = {
  status: (envelope) => (isWhole(envelope) ? statusLines(envelope.data, envelope.more) : []),
  start: startLines,
  update({ data }) {
    const { regenerated = [] } = data ?? {};
    return some(regenerated.length > 0 ? [`regenerated: ${regenerated.join(', ')}`] : [], 1, MESSAGE_LIMIT);
  },
  accept({ data, dry_run }) {
    if (!data?.landing || dry_run || data.queue) return [];
    const done = Object.entries(data.landing).filter(([, value]) => value);
    return [`landing: ${done.map(([name]) => name).join(', ') || 'nothing happened'}`];
  },
  scopes: () => [],
  standards: () => [],
  prune: (envelope) => (envelope.ok ? pruneLines(envelope) : []),
  init({ ok, data }) {
    const { text, written } = data ?? {};
    return ok && text !== undefined && !written ? ['discern.toml:', cut(text.trimEnd(), FILE_LIMIT)] : [];
  },
  doctor: ({ data }) => doctorLines(data ?? {}),
  // Its answer is a page, which is all of the text.
  help: () => [],
  sessions: (envelope) => (isWhole(envelope) ? sessionLines(envelope.data) : []),
  recollect: (envelope) => (isWhole(envelope) ? queryLines(envelope.data) : []),
  agents: (envelope) => (isWhole(envelope) ? agentLines(envelope.data) : []),
  fleet: (envelope) => (isWhole(envelope) ? fleetLines(envelope.data) : []),
  peek: (envelope) => (isWhole(envelope) ? peekLines(envelope.data) : []),
  projects: (envelope) => (isWhole(envelope) ? projectLines(envelope.data) : []),
  describe: ({ ok, data }) => (ok ? describedLines(data ?? {}) : []),
  queue: ({ data }) =>
    some(
      (data?.entries ?? []).map((one) => `- ${entryWords(one)}`),
      MOST_PLANNED,
    ),
  await: ({ data }) => (data?.entry ? [`- ${entryWords(data.entry)}`] : []),
  todo: ({ data }) => some(todoLines(data ?? {}), MOST_PLANNED),
};

const hasOwnLines = (answer: AnyEnvelope): answer is AnswerAmong<VerbWithReport> =>
  Object.hasOwn(ownLines, answer.verb);

const linesOf = <V extends VerbWithReport>(answer: AnswerAmong<V>): string[] => ownLines[answer.verb](answer);

function specifics(answer: AnyEnvelope): string[] {
  const own = hasOwnLines(answer) ? linesOf(answer) : [];
  return [...own, ...standardLines(answer.verb, standardsOf(answer))];
}

function startLines(envelope: Envelope<StartData>): string[] {
  if (!isWhole(envelope)) return [];
  const { path, base, base_commit, port, brought } = envelope.data;
  return [
    `path: ${path}`,
    `from: ${base} (${base_commit.slice(0, 10)})`,
    ...(port === undefined ? [] : [`port: ${port}, this worktree’s own (DISCERN_WORKTREE_PORT in its jobs)`]),
    ...(brought ? [`came along: ${broughtWords(brought)}`] : []),
  ];
}

/** Every standard where they were asked for, else those that are not as they should be. */
function standardLines(verb: string, standards: StandardsData['standards']): string[] {
  const told = verb === 'standards' ? standards : standards.filter(({ state }) => state !== 'held');
  return some(
    told.map((one) => {
      const pin = one.pin === undefined ? '' : `; could be pinned at ${shownNumber(one.pin)}`;
      return `- ${one.name} ${stateWords(one)} (${boundWords(one)}${pin})`;
    }),
    MOST_STANDARDS,
  );
}

function doctorLines({ findings = [] }: Partial<DoctorData>): string[] {
  const bad = findings.filter(({ level }) => level !== 'ok');
  const fine = [...new Set(findings.filter(({ level }) => level === 'ok').map(({ check }) => check))];
  return [
    ...some(
      bad.map(
        ({ check, level, what, remedy }) =>
          `- ${level}: ${check}: ${what}${remedy ? ` Remedy: ${remedy}` : ''}`,
      ),
      MOST_PLANNED,
      MESSAGE_LIMIT,
    ),
    ...(fine.length > 0 ? [`checked and fine: ${fine.join(', ')}`] : []),
  ];
}

function sessionLines({ sessions, unread = [] }: SessionsData): string[] {
  return [
    ...some(
      sessions.map(({ id, client, cwd, title, last_activity: at, state, needs_attention: why }) =>
        [
          `- ${client} ${id} ${why === undefined ? state : `${state}, ${why}`}, ${at}${cwd === undefined ? '' : ` in ${cwd}`}`,
          ...(title === undefined ? [] : [title]),
        ].join(': '),
      ),
      MOST_SESSIONS,
    ),
    ...some(
      unread.map(({ client, why }) => `not read of ${client}: ${why}`),
      MOST_HINTS,
    ),
  ];
}

/** What a person asked is never cut: that is the purpose of it. */
const queryLines = ({ queries }: RecollectData): string[] =>
  queries.flatMap(({ at, text }) => [`--- ${at ?? 'at a time not recorded'}`, text]);

function pruneLines({ dry_run, data }: Envelope<PruneData>): string[] {
  const { pruned = [], kept = [], recovery_refs: refs = [] } = data ?? {};
  return [
    ...(dry_run
      ? []
      : some(
          pruned.map(({ action, detail }) => `- ${action}: ${detail}`),
          MOST_PLANNED,
        )),
    ...some(
      kept.map(({ what, remedy }) => `- stays: ${what} Remedy: ${remedy}`),
      MOST_PLANNED,
    ),
    ...(refs.length > 0 ? ['kept of removed worktrees:'] : []),
    ...some(refs.map(keptLine), MOST_PLANNED),
  ];
}

/** Of what removals have kept `status` shows the newest few. */
const MOST_KEPT = 5;

const keptLine = ({ commit, kept_at, restore, remove }: KeptRef) =>
  `- ${commit.slice(0, 10)}${kept_at ? ` since ${kept_at.slice(0, 10)}` : ''}: back with ${restore}; gone with ${remove}`;

function statusLines(data: StatusData, more: Envelope['more']): string[] {
  const { changes, proof, upstream } = data;
  return [
    `${data.location}, trunk ${data.trunk}: ${data.ahead} ahead, ${data.behind} behind; ${changes.staged} staged, ${changes.unstaged} unstaged, ${changes.untracked} untracked`,
    `proof: ${proof.state}${proof.reason ? `. ${proof.reason}` : ''}`,
    ...(upstream
      ? [
          `trunk ${data.trunk} is ${upstream.behind} behind${upstream.ahead ? ` and ${upstream.ahead} ahead of` : ''} ${upstream.name}, as last fetched. Remedy: ${upstream.remedy}`,
        ]
      : []),
    ...(data.recovery ? [data.recovery.detail] : []),
    ...(data.findings ?? []).map(({ what, remedy }) => `found: ${what} Remedy: ${remedy}`),
    ...(data.kept
      ? [`kept of removed worktrees: ${data.kept.total}`, ...some(data.kept.refs.map(keptLine), MOST_KEPT)]
      : []),
    ...(data.worktrees.length > 1 ? ['worktrees:'] : []),
    ...(data.worktrees.length > 1 ? some(data.worktrees.map(worktreeLine), MOST_WORKTREES, Infinity) : []),
    ...(more === undefined ? [] : [`- and ${more.worktrees} more: status with cursor "${more.cursor}"`]),
  ];
}

function worktreeLine(worktree: StatusData['worktrees'][number]): string {
  const marks = [
    ...(worktree.title === undefined ? [] : [`"${worktree.title}"`]),
    ...(worktree.tickets ?? []),
    ...(worktree.landing ? ['trunk'] : []),
    ...(worktree.clean === false ? ['changed'] : []),
    ...(worktree.ahead ? [`${worktree.ahead} ahead`] : []),
    ...(worktree.behind ? [`${worktree.behind} behind`] : []),
    ...(worktree.locked === undefined ? [] : ['locked']),
    ...(worktree.prunable === undefined ? [] : ['gone']),
    ...(worktree.parked === undefined ? [] : ['parked']),
    ...(worktree.listening ? [`something listens on its port ${worktree.port}`] : []),
  ];
  return `- ${worktree.root} (${worktree.branch ?? 'detached'}${marks.length > 0 ? `; ${marks.join(', ')}` : ''})`;
}

function jobs({ steps, ok }: Envelope): string[] {
  if (!steps || steps.length === 0) return [];
  const shown = ok ? steps : steps.filter((step) => step.outcome !== 'skipped');
  const each = shown.map(({ name, outcome, duration_ms, reused }) =>
    reused ? `${name} ${reusedWords(reused)}` : `${name} ${outcome} ${(duration_ms / 1000).toFixed(1)}s`,
  );
  return [cut(`jobs: ${each.join(', ')}`, MESSAGE_LIMIT)];
}

/** What failed and where. Each failed job has its share of the lines, so that a noisy one does not hide the others. */
function failures({ diagnostics = [] }: Envelope): string[] {
  const all = byJob(diagnostics);
  const jobs = all.slice(0, MOST_DIAGNOSTICS);
  const more = all.length - jobs.length;
  return [
    ...jobs.flatMap((findings) => jobFailures(findings, jobs.length)),
    ...(more > 0 ? [`and ${more} more failed jobs`] : []),
  ];
}

function jobFailures(findings: Diagnostic[], jobs: number): string[] {
  const [first] = findings;
  if (first === undefined) return [];
  const lines = some(findings.map(line), Math.max(1, Math.floor(MOST_DIAGNOSTICS / jobs)));
  // Where a finding has no place, what the job printed last says more than the finding.
  const placeless = findings.find((one) => one.output !== undefined && one.file === undefined);
  if (placeless?.output) {
    const tail = lastOf(placeless.output, Math.floor(OUTPUT_LIMIT / jobs));
    lines.push(`output of ${placeless.tool} (tail):`, tail.trimEnd());
  }
  if (first.output_path) {
    lines.push(`full output: ${first.output_path}`, `reproduce: ${cut(first.reproduce_cmd, LINE_LIMIT)}`);
  }
  return lines;
}

function line({ severity, file, line: row, column, message, rule, tool }: Diagnostic): string {
  const at = file === undefined ? tool : [file, row, column].filter((part) => part !== undefined).join(':');
  return `- ${at}: ${severity}: ${message}${rule ? ` [${rule}]` : ''}`;
}
