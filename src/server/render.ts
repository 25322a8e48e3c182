import type { AcceptData, Held, StartData, StatusData } from '../contract/data.ts';
import type { Diagnostic, Envelope } from '../contract/envelope.ts';

const MOST_DIAGNOSTICS = 10;
const MOST_WORKTREES = 20;
const OUTPUT_LIMIT = 1_500;

/**
 * A tool's text: enough to act on without the structured part, and short, since agents pay for every token. Verdict, then
 * which checkout it speaks of, then what failed and where, then what to know.
 */
export function renderText(envelope: Envelope, held: Held | undefined): string {
  const lines = [verdict(envelope), place(envelope, held)];
  if (envelope.plan) {
    lines.push(
      `plan: ${envelope.plan.title}`,
      ...envelope.plan.steps.map(({ action, detail }) => `- ${action}${detail ? `: ${detail}` : ''}`),
    );
  }
  lines.push(...specifics(envelope));
  lines.push(...jobs(envelope));
  lines.push(...failures(envelope));
  lines.push(...(envelope.hints ?? []).map((hint) => `note: ${hint}`));
  return lines.filter((line) => line !== '').join('\n');
}

function verdict({ ok, verb, dry_run, error, message = '' }: Envelope): string {
  if (dry_run && ok) return `${verb}: preview, nothing was changed.`;
  return ok ? `${verb}: ok. ${message}`.trim() : `${verb}: ${error}. ${message}`;
}

function place({ data }: Envelope, held: Held | undefined): string {
  const { root, branch, commit } = (data ?? {}) as { root?: string; branch?: string | null; commit?: string };
  const parts = [
    ...(root === undefined ? [] : [`root: ${root}`]),
    ...(branch === undefined ? [] : [`branch: ${branch ?? '(detached)'}`]),
    ...(commit === undefined ? [] : [`commit: ${commit.slice(0, 10)}`]),
    ...(held && held.root !== null && held.root !== root ? [`held root: ${held.root}`] : []),
  ];
  return parts.join('  ');
}

function specifics(envelope: Envelope): string[] {
  if (envelope.verb === 'start' && envelope.ok && !envelope.dry_run) {
    const { path, base, base_commit } = envelope.data as StartData;
    return [`path: ${path}`, `from: ${base} (${base_commit.slice(0, 10)})`];
  }
  if (envelope.verb === 'accept') {
    const landing = (envelope.data as Partial<AcceptData> | undefined)?.landing;
    if (!landing || envelope.dry_run) return [];
    const done = Object.entries(landing).filter(([, value]) => value);
    return [`landing: ${done.map(([name]) => name).join(', ') || 'nothing happened'}`];
  }
  if (envelope.verb === 'status' && envelope.ok) return statusLines(envelope.data as StatusData);
  return [];
}

function statusLines(data: StatusData): string[] {
  const { changes, proof } = data;
  return [
    `${data.location}, trunk ${data.trunk}: ${data.ahead} ahead, ${data.behind} behind; ${changes.staged} staged, ${changes.unstaged} unstaged, ${changes.untracked} untracked`,
    `proof: ${proof.state}${proof.reason ? `. ${proof.reason}` : ''}`,
    ...(data.recovery ? [data.recovery.detail] : []),
    ...(data.findings ?? []).map(({ what, remedy }) => `found: ${what} Remedy: ${remedy}`),
    ...(data.worktrees.length > 1 ? ['worktrees:'] : []),
    ...(data.worktrees.length > 1 ? data.worktrees.slice(0, MOST_WORKTREES).map(worktreeLine) : []),
    ...(data.worktrees.length > MOST_WORKTREES
      ? [`- and ${data.worktrees.length - MOST_WORKTREES} more`]
      : []),
  ];
}

function worktreeLine(worktree: StatusData['worktrees'][number]): string {
  const marks = [
    ...(worktree.landing ? ['trunk'] : []),
    ...(worktree.clean === false ? ['changed'] : []),
    ...(worktree.ahead ? [`${worktree.ahead} ahead`] : []),
    ...(worktree.behind ? [`${worktree.behind} behind`] : []),
    ...(worktree.locked === undefined ? [] : ['locked']),
    ...(worktree.prunable === undefined ? [] : ['gone']),
  ];
  return `- ${worktree.root} (${worktree.branch ?? 'detached'}${marks.length > 0 ? `; ${marks.join(', ')}` : ''})`;
}

function jobs({ steps, ok }: Envelope): string[] {
  if (!steps || steps.length === 0) return [];
  const shown = ok ? steps : steps.filter((step) => step.outcome !== 'skipped');
  return [
    `jobs: ${shown.map((step) => `${step.name} ${step.outcome} ${(step.duration_ms / 1000).toFixed(1)}s`).join(', ')}`,
  ];
}

function failures({ diagnostics = [] }: Envelope): string[] {
  const lines = diagnostics.slice(0, MOST_DIAGNOSTICS).map(line);
  if (diagnostics.length > MOST_DIAGNOSTICS)
    lines.push(`- and ${diagnostics.length - MOST_DIAGNOSTICS} more`);
  const worst = diagnostics.find((one) => one.output !== undefined && one.file === undefined);
  if (worst?.output)
    lines.push(`output of ${worst.tool} (tail):`, worst.output.slice(-OUTPUT_LIMIT).trimEnd());
  const path = diagnostics.find((one) => one.output_path !== undefined);
  if (path?.output_path) lines.push(`full output: ${path.output_path}`, `reproduce: ${path.reproduce_cmd}`);
  return lines;
}

function line({ severity, file, line: row, column, message, rule, tool }: Diagnostic): string {
  const at = file === undefined ? tool : [file, row, column].filter((part) => part !== undefined).join(':');
  return `- ${at}: ${severity}: ${message}${rule ? ` [${rule}]` : ''}`;
}
