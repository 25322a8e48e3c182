import { launchable } from '../../contract/launchable.ts';
import type { FleetWorktree, SessionRow } from '../../contract/verbs-fleet.ts';
import type { Icon, TreeNode } from '../views/node.ts';
import { branchBeside, dayOf, distance, shortName, spokenCheckout } from '../wording.ts';

/** A checkout as a line of the Worktrees view shows it. */
export interface Row
  extends Pick<
    FleetWorktree,
    | 'path'
    | 'root'
    | 'title'
    | 'branch'
    | 'location'
    | 'managed'
    | 'locked'
    | 'parked'
    | 'ahead'
    | 'behind'
    | 'queue'
    | 'phase'
    | 'todos'
  > {
  name: string;
  trunk: string;
  landing: boolean;
  changed: boolean;
  missing: boolean;
  /** That a gate is running and how far it is; else that the commit is proved; else empty. */
  gate: string;
  tickets: readonly string[];
  sessions: readonly SessionRow[];
  /** Why a person is needed. */
  why: readonly string[];
  held: boolean;
  /** The window's own server serves it: what changes a checkout is offered only there. */
  own: boolean;
  /** When something happened in it. Milliseconds since 1970. */
  active: number;
}

const attention: Icon = { id: 'bell-dot', color: { id: 'list.warningForeground' } };
const plain = (id: string): Icon => ({ id });

/** Reasons of the fleet that are its own words for something, as a person reads them. */
const reasons: Record<string, string> = {
  strand: 'edits in the wrong checkout',
  behind: 'behind, and nobody is at it',
  'root missing': 'its directory is gone',
};
export const reasonWords = (why: string): string => reasons[why] ?? why;

/** What the agents in it do, in a word: the most lively of them counts. */
export function agentsDo({ sessions }: Pick<Row, 'sessions'>): 'working' | 'waiting' | 'idle' | undefined {
  const states = new Set(sessions.map(({ state }) => state));
  for (const state of ['working', 'waiting', 'idle'] as const) if (states.has(state)) return state;
  return undefined;
}

export const isRunning = ({ gate }: Pick<Row, 'gate'>): boolean => / running/.test(gate);

/** What a row says of a directory that is not there. */
const awayOf = ({ parked, missing }: Row): string =>
  parked === undefined ? (missing ? 'gone' : '') : `parked since ${dayOf(parked)}`;

const doneOf = ({ todos }: Row): string => (todos ? `${todos.done} of ${todos.all} to-dos` : '');

const phaseOf = ({ phase }: Row): string =>
  phase ? `${phase.word}${phase.note === undefined ? '' : ` (${phase.note})`}` : '';

function iconOf(row: Row): Icon {
  if (row.parked !== undefined) return plain('archive');
  if (row.missing) return plain('error');
  if (row.why.length > 0) return attention;
  if (isRunning(row)) return plain('sync~spin');
  if (row.held) return plain('target');
  const busy = agentsDo(row);
  if (busy === 'working') return plain('play-circle');
  if (busy === 'waiting') return plain('comment-discussion');
  return plain(row.location === 'main' ? 'repo' : 'git-branch');
}

/** The line of a checkout, with the agents' sessions in it below. */
export function worktreeNode(row: Row, now: number): TreeNode {
  const { name, held, location, managed, path, root, own, why, sessions } = row;
  const branch = row.branch ?? 'detached HEAD';
  const needs = why.length > 0 ? `needs you: ${why.map(reasonWords).join(', ')}` : '';
  const queued = row.queue === undefined ? '' : `${row.queue} in the queue`;
  const told = [row.gate, queued, phaseOf(row), doneOf(row), ...row.tickets];
  const marks = [
    needs,
    needs === '' ? (agentsDo(row) ?? '') : '',
    branchBeside(branch, name),
    row.landing ? '' : distance(row.ahead, row.behind),
    row.changed ? 'changed' : '',
    row.locked === undefined || row.parked !== undefined ? '' : 'locked',
    awayOf(row),
    ...told,
    held ? 'held' : '',
  ];
  const kind = location === 'main' ? 'main' : managed ? 'managed' : 'foreign';
  const made =
    kind === 'main'
      ? 'The repository’s own checkout'
      : kind === 'managed'
        ? 'Made by discern'
        : 'Made by someone else: discern lands it but keeps it';
  const gone = awayOf(row) !== '';
  return {
    id: `worktree:${path}`,
    label: name,
    description: marks.filter(Boolean).join(' · '),
    tooltip: [
      ...(row.title === undefined ? [] : [row.title]),
      root,
      `Branch ${branch}`,
      made,
      ...why.map((one) => `Needs you: ${reasonWords(one)}`),
      ...told.filter(Boolean),
    ].join('\n'),
    icon: iconOf(row),
    context: `${own ? 'worktree' : 'elsewhere'}.${kind}${held ? '.held' : ''}${gone ? '.gone' : ''}`,
    spoken: [
      `${location === 'main' ? 'Main checkout' : 'Worktree'} ${name}`,
      ...(needs ? [needs] : []),
      ...(agentsDo(row) ? [`agent ${agentsDo(row)}`] : []),
      ...spokenCheckout({ ...row, clean: !row.changed, ...(row.missing && { prunable: '' }) }, row.trunk),
      ...told.filter(Boolean),
      ...(held ? ['held by the server'] : []),
      ...(sessions.length > 0
        ? [`${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}`]
        : []),
    ].join(', '),
    path: root,
    ...(sessions.length > 0 && {
      collapsed: true,
      children: sessions.map((one) => sessionNode(one, row, now)),
    }),
  };
}

const stateIcons: Record<SessionRow['state'], string> = {
  working: 'play-circle',
  waiting: 'comment-discussion',
  idle: 'circle-outline',
  ended: 'circle-slash',
  unknown: 'question',
};

/** Clients that go on with a session by its id, in a terminal. */
const resumable: ReadonlySet<string> = new Set(launchable.filter((client) => client !== 'gemini'));

function sessionNode(session: SessionRow, { path, root, location, name }: Row, now: number): TreeNode {
  const { client, id, title, state, needs_attention: why, last_activity: at } = session;
  const label = title ?? `Session ${id.slice(0, 8)}`;
  const stands = why === undefined ? state : `${state}: ${reasonWords(why)}`;
  const when = timeOf(at, now);
  const mayResume = location === 'worktree' && resumable.has(client);
  return {
    id: `session:${path}:${client}:${id}`,
    label,
    description: [client, stands, when].filter(Boolean).join(' · '),
    tooltip: `${label}\n${client} session ${id}\n${stands}`,
    icon: why === undefined ? plain(stateIcons[state]) : attention,
    context: `session.${location}${mayResume ? '.resumable' : ''}`,
    spoken: [`${client} session ${label} in ${name}`, stands, ...(when ? [`last active ${when}`] : [])].join(
      ', ',
    ),
    path: root,
    session: { client, id, ...(title !== undefined && { title }) },
  };
}

/** A time as a row shows it, which need not be drawn again while nothing happens: the hour of today, else the day. */
export function timeOf(at: string, now: number): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return '';
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  if (date.toDateString() === new Date(now).toDateString())
    return `${two(date.getHours())}:${two(date.getMinutes())}`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The folder's name where a worktree has no id. */
export const nameOf = ({ id, path }: { id?: string | undefined; path: string }): string =>
  id ?? shortName(path);
