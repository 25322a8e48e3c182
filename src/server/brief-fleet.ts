import type { FleetData, FleetWorktree, SessionRow } from '../contract/verbs-fleet.ts';
import { byUrgency } from '../engine/fleet/attention.ts';

type Json = Record<string, unknown>;

/** Characters of JSON that a fleet may have: enough for fifty worktrees (contract §10). */
const LIMIT = 11_500;

/** What is told of each worktree, from the most to the least. */
interface Detail {
  /** Projects without anything in them. */
  silent: number;
  commits: number;
  sessions: number;
  title: number;
  note: number;
}

const details: readonly Detail[] = [
  { silent: 20, commits: 3, sessions: 5, title: 80, note: 200 },
  { silent: 10, commits: 1, sessions: 3, title: 60, note: 100 },
  { silent: 5, commits: 1, sessions: 2, title: 30, note: 60 },
  { silent: 3, commits: 0, sessions: 1, title: 0, note: 40 },
  { silent: 0, commits: 0, sessions: 1, title: 0, note: 0 },
];

/**
 * A fleet as agents get it: within its limit, with less of each worktree where there are many, then fewer of them: those that need a
 * person stay longest, then the last active. `more` counts what was cut.
 */
export function briefFleet(data: Partial<FleetData>): { data: Json; more: Record<string, number> } {
  const { projects = [], ...rest } = data;
  const all = projects.flatMap((one) => one.worktrees);
  const attempt = (kept: ReadonlySet<FleetWorktree>, detail: Detail) => {
    let sessions = 0;
    let silent = 0;
    const shown = projects.flatMap(({ worktrees, ...project }) => {
      const own = worktrees.filter((one) => kept.has(one));
      if (worktrees.length === 0 ? ++silent > detail.silent : own.length === 0) return [];
      const short = own.map((one) => {
        sessions += Math.max(0, one.sessions.length - detail.sessions);
        return shortWorktree(one, detail, project.root);
      });
      return [{ ...project, worktrees: short }];
    });
    const worktrees = all.length - kept.size;
    const left = projects.length - shown.length;
    const more = {
      ...(worktrees > 0 && { worktrees }),
      ...(sessions > 0 && { sessions }),
      ...(left > 0 && { projects: left }),
    };
    return { data: { ...rest, projects: shown }, more };
  };
  const fits = (one: { data: Json }) => JSON.stringify(one.data).length <= LIMIT;
  const everything = new Set(all);
  for (const detail of details) {
    const whole = attempt(everything, detail);
    if (fits(whole)) return whole;
  }
  const least = details.at(-1) as Detail;
  const order = [...all].sort(byUrgency);
  for (let count = order.length - 1; count > 0; count = Math.floor(count * 0.95)) {
    const some = attempt(new Set(order.slice(0, count)), least);
    if (fits(some)) return some;
  }
  return attempt(new Set(), least);
}

/** Without what is as usual: absent means clean, even with the trunk, made by discern, no session. */
function shortWorktree(one: FleetWorktree, detail: Detail, project: string): Json {
  const {
    path,
    root,
    commit,
    branch,
    managed,
    location,
    ahead,
    behind,
    changes,
    commits,
    sessions,
    phase,
    title,
  } = one;
  const { id, locked, missing, proof, gate, last_run: run, queue, todos, tickets, needs_attention } = one;
  const dirty = Object.fromEntries(Object.entries(changes ?? {}).filter(([, number]) => number > 0));
  const own = commits?.slice(0, detail.commits) ?? [];
  return {
    ...(root !== project && { path }),
    ...(root !== path && root !== project && { root }),
    ...(id !== undefined && !path.endsWith(id) && { id }),
    ...(title !== undefined && detail.title > 0 && { title: cut(title, detail.title) }),
    branch,
    ...(location === 'main' && { location }),
    ...(detail.commits > 0 && { commit: commit.slice(0, 10) }),
    ...(location === 'worktree' && !managed && { managed }),
    ...(locked !== undefined && { locked: cut(locked, 40) }),
    ...(missing && { missing }),
    ...(ahead && { ahead }),
    ...(behind && { behind }),
    ...(Object.keys(dirty).length > 0 && { changes: dirty }),
    ...(proof !== undefined && proof !== 'none' && { proof }),
    ...(gate && { gate: { ...gate, running: gate.running.slice(0, 3) } }),
    ...(run &&
      !run.ok && {
        last_run: { verb: run.verb, at: run.at, error: run.error, failed: run.failed?.slice(0, 3) },
      }),
    ...(queue !== undefined && { queue }),
    ...(phase && { phase: shortPhase(phase, detail) }),
    ...(todos && { todos: `${todos.done}/${todos.all}` }),
    ...(tickets && { tickets: tickets.map(({ ref }) => ref) }),
    ...(own.length > 0 && { commits: own.map(({ subject }) => cut(subject, detail.title)) }),
    ...(sessions.length > 0 && {
      sessions: sessions.slice(0, detail.sessions).map((row) => shortSession(row, detail)),
    }),
    ...(needs_attention && { needs_attention }),
  };
}

const shortPhase = ({ word, note, blocked }: NonNullable<FleetWorktree['phase']>, detail: Detail): Json => ({
  word,
  ...(note !== undefined && detail.note > 0 && { note: cut(note, detail.note) }),
  ...(blocked && { blocked }),
});

const shortSession = (
  { id, client, title, state, needs_attention, last_activity }: SessionRow,
  detail: Detail,
): Json => ({
  id,
  client,
  state,
  ...(title !== undefined && detail.title > 0 && { title: cut(title, detail.title) }),
  ...(detail.title > 0 && { last_activity }),
  ...(needs_attention !== undefined && { needs_attention }),
});

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
