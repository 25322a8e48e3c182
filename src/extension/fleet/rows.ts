import { count } from '../../contract/count.ts';
import type { KeptRef, StatusData, Worktree } from '../../contract/data.ts';
import type { FleetData, FleetWorktree } from '../../contract/verbs-fleet.ts';
import { branchFor } from '../kept.ts';
import type { WindowView } from '../model.ts';
import type { TreeNode } from '../views/node.ts';
import { byName, dayOf, shortName } from '../wording.ts';
import { agentsDo, isRunning, nameOf, type Row, worktreeNode } from './row.ts';

type Project = FleetData['projects'][number];

/** Projects of the fleet and their checkouts, the window's own first. */
interface Group {
  root: string;
  name: string;
  own: boolean;
  rows: Row[];
}

/**
 * The lines of the Worktrees view: every worktree of this user, those that need a person first. Of the window's own project what
 * its server says at once counts, and the fleet adds the rest; of the others there is the fleet. With one project there is no
 * level for it. `now` is the time in milliseconds.
 */
export function worktreeNodes(view: WindowView, showTrunk: boolean, now = Date.now()): TreeNode[] {
  const groups = groupsOf(view, showTrunk);
  const nodes = groups.map((group) => ({ group, children: group.rows.map((row) => worktreeNode(row, now)) }));
  const kept = view.status?.kept ? [keptGroup(view.status.kept)] : [];
  const [first] = nodes;
  if (first === undefined) return kept;
  if (nodes.length === 1) return [...first.children, ...kept];
  return nodes.map(({ group, children }) =>
    projectNode(group, group.own ? [...children, ...kept] : children),
  );
}

/** How many worktrees that are shown wait for a person. */
export const waiting = (view: WindowView, showTrunk: boolean): number =>
  groupsOf(view, showTrunk)
    .flatMap(({ rows }) => rows)
    .filter(({ why }) => why.length > 0).length;

function groupsOf(view: WindowView, showTrunk: boolean): Group[] {
  const { status, held, fleet } = view;
  const projects = fleet?.projects ?? [];
  const mine = projects.find((one) => isOwn(one, view));
  const own = status
    ? ownRows(view, status, mine)
    : mine
      ? fleetRows(mine, true, held?.root ?? undefined)
      : [];
  const shown = (row: Row) => showTrunk || !row.landing || row.held || row.why.length > 0;
  const others = projects
    .filter((one) => one !== mine)
    .map((project) => ({
      root: project.root,
      name: project.name || shortName(project.root),
      own: false,
      rows: fleetRows(project, false, undefined),
    }))
    // A project in which nobody works is no part of a fleet.
    .filter(({ rows }) => rows.some((row) => row.location === 'worktree' || row.why.length > 0));
  return [
    ...(own.length > 0
      ? [{ root: mine?.root ?? '', name: mine?.name || shortName(held?.root ?? ''), own: true, rows: own }]
      : []),
    ...others,
  ].map((group) => ({ ...group, rows: group.rows.filter(shown).sort(byUrgency) }));
}

/** True of the project whose checkouts the window's server has in its status, or would have. */
function isOwn({ root, worktrees }: Project, { status, held }: WindowView): boolean {
  const here = new Set([held?.root, ...(status?.worktrees ?? []).map((tree) => tree.root)]);
  return here.has(root) || worktrees.some((one) => here.has(one.root));
}

function ownRows(
  { held, running, proved }: WindowView,
  status: StatusData,
  mine: Project | undefined,
): Row[] {
  const known = new Map(mine?.worktrees.map((one) => [one.path, one]));
  return status.worktrees.map((tree) => {
    const isHeld = tree.root === held?.root;
    const told = known.get(tree.path);
    const isProved = isHeld
      ? status.proof.state === 'valid'
      : tree.clean === true &&
        (proved.get(tree.root) === tree.commit || (told?.proof === 'valid' && told.commit === tree.commit));
    return {
      ...common(tree),
      landing: tree.landing,
      changed: tree.clean === false,
      missing: tree.prunable !== undefined && tree.parked === undefined,
      gate: gateOf(running.get(tree.root), told, isProved),
      tickets: tree.tickets ?? [],
      ...fromFleet(told, isProved),
      held: isHeld,
      own: true,
      trunk: status.trunk,
    };
  });
}

function fleetRows({ worktrees, trunk = '' }: Project, own: boolean, held: string | undefined): Row[] {
  return worktrees.map((one) => {
    const { changes } = one;
    return {
      ...common(one),
      landing: one.location === 'main',
      changed: changes !== undefined && changes.staged + changes.unstaged + changes.untracked > 0,
      missing: one.missing === true && one.parked === undefined,
      gate: gateOf(undefined, one, one.proof === 'valid'),
      tickets: one.tickets?.map(({ ref }) => ref) ?? [],
      ...fromFleet(one, one.proof === 'valid'),
      held: one.root === held,
      own,
      trunk,
    };
  });
}

function common(tree: Worktree | FleetWorktree) {
  const { path, root, branch, location, managed, title, locked, parked, ahead, behind } = tree;
  return {
    name: nameOf(tree),
    path,
    root,
    branch,
    location,
    managed,
    ...(title !== undefined && { title }),
    ...(locked !== undefined && { locked }),
    ...(parked !== undefined && { parked }),
    ...(ahead !== undefined && { ahead }),
    ...(behind !== undefined && { behind }),
  };
}

function fromFleet(told: FleetWorktree | undefined, proved: boolean) {
  const {
    queue,
    phase,
    todos,
    sessions = [],
    needs_attention: why = [],
    last_activity: at = '',
  } = told ?? {};
  return {
    ...(queue !== undefined && { queue }),
    ...(phase !== undefined && { phase }),
    ...(todos !== undefined && { todos }),
    sessions,
    // What was proved since is not red any more, though the fleet has yet to say so.
    why: why.filter((one) => !(proved && one === 'gate red')),
    active: Date.parse(at) || 0,
  };
}

/** What a row says of the gate: that one is running, else that the commit is proved. What this window knows itself is the newer. */
function gateOf(verb: string | undefined, told: FleetWorktree | undefined, proved: boolean): string {
  const run = told?.gate;
  if (verb === undefined && proved) return 'proved';
  if (run) return `${run.verb} running, ${run.done} of ${run.jobs}`;
  return verb === undefined ? '' : `${verb} running`;
}

/**
 * Who waits for a person first; then the repository's own checkout; then where something goes on, which stays in place while it does;
 * then the last active; and by name where that tells nothing.
 */
function byUrgency(a: Row, b: Row): number {
  return (
    rank(a) - rank(b) ||
    (rank(a) === IDLE ? minute(b.active) - minute(a.active) : 0) ||
    byName(a.name, b.name)
  );
}

const IDLE = 4;

function rank(row: Row): number {
  if (row.why.length > 0) return 0;
  if (row.landing) return 1;
  if (row.location === 'main') return 2;
  return isRunning(row) || agentsDo(row) === 'working' ? 3 : IDLE;
}

const minute = (time: number) => Math.floor(time / 60_000);

function projectNode({ root, name, own, rows }: Group, children: TreeNode[]): TreeNode {
  const trees = rows.filter(({ location }) => location === 'worktree').length;
  const need = rows.filter(({ why }) => why.length > 0).length;
  const said = [
    need > 0 ? `${need} ${need === 1 ? 'needs' : 'need'} you` : '',
    count(trees, 'worktree'),
    own ? 'this window' : '',
  ].filter(Boolean);
  return {
    id: own ? 'project' : `project:${root}`,
    label: name,
    description: said.join(' · '),
    tooltip: root,
    icon: { id: own ? 'root-folder-opened' : 'root-folder' },
    context: own ? 'project.own' : 'project.elsewhere',
    spoken: [`Project ${name}`, ...said].join(', '),
    ...(root !== '' && { path: root }),
    ...(!own && need === 0 && { collapsed: true }),
    children,
  };
}

/** One line, closed until somebody opens it, with everything that is kept below. */
function keptGroup({ total, refs }: NonNullable<StatusData['kept']>): TreeNode {
  return {
    id: 'kept',
    label: 'Kept of removed worktrees',
    description: String(total),
    tooltip: 'Work that only a worktree had when it was removed. Restore each as a branch, or discard it.',
    icon: { id: 'archive' },
    context: 'kept',
    spoken: `Kept of removed worktrees, ${count(total, 'ref')}`,
    collapsed: true,
    children: refs.map(keptNode),
  };
}

function keptNode(kept: KeptRef): TreeNode {
  const name = branchFor(kept).replace(/^recovered\//, '');
  const since = kept.kept_at === undefined ? '' : dayOf(kept.kept_at);
  return {
    id: `kept:${kept.ref}`,
    label: name,
    description: [kept.commit.slice(0, 10), since].filter(Boolean).join(' · '),
    tooltip: `${kept.ref}\nBring it back: ${kept.restore}\nLet it go: ${kept.remove}`,
    icon: { id: 'history' },
    context: 'keptRef',
    spoken: `Kept ${name}${since && `, since ${since}`}`,
    kept,
  };
}
