import * as vscode from 'vscode';
import { count } from '../../contract/count.ts';
import type { KeptRef, StatusData, Worktree } from '../../contract/data.ts';
import { branchFor } from '../kept.ts';
import type { WindowModel, WindowView } from '../model.ts';
import { isOn } from '../settings.ts';
import { branchBeside, byName, dayOf, distance, shortName, spokenCheckout } from '../wording.ts';
import { NodeTree, type TreeNode } from './node-tree.ts';

/** The nodes of the Worktrees tree: every checkout of the held root's repository, the trunk's first; then what removals kept. */
export function worktreeNodes(
  { status, held, running, proved }: WindowView,
  showTrunk = isOn('showTrunk'),
): TreeNode[] {
  if (!status) return [];
  const order = (tree: Worktree) => (tree.landing ? 0 : tree.location === 'main' ? 1 : 2);
  const trees = [...status.worktrees]
    .filter((tree) => showTrunk || !tree.landing || tree.root === held?.root)
    .sort((a, b) => order(a) - order(b) || byName(nameOf(a), nameOf(b)))
    .map((tree) => {
      const isHeld = tree.root === held?.root;
      const isProved = isHeld
        ? status.proof.state === 'valid'
        : tree.clean === true && proved.get(tree.root) === tree.commit;
      return worktreeNode(tree, isHeld, status.trunk, gateOf(running.get(tree.root), isProved));
    });
  return status.kept ? [...trees, keptGroup(status.kept)] : trees;
}

/** One line, closed until somebody opens it, with everything that is kept below. */
function keptGroup({ total, refs }: NonNullable<StatusData['kept']>): TreeNode {
  return {
    id: 'kept',
    label: 'Kept of removed worktrees',
    description: String(total),
    tooltip: 'Work that only a worktree had when it was removed. Restore each as a branch, or discard it.',
    icon: new vscode.ThemeIcon('archive'),
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
    icon: new vscode.ThemeIcon('history'),
    context: 'keptRef',
    spoken: `Kept ${name}${since && `, since ${since}`}`,
    kept,
  };
}

const nameOf = (tree: Worktree) => tree.id ?? shortName(tree.path);

/** What a row says of the gate: that one is running, else that the commit is proved. */
const gateOf = (verb: string | undefined, proved: boolean) =>
  verb === undefined ? (proved ? 'proved' : '') : `${verb} running`;

/** What a row says of a directory that is not there. */
const awayOf = ({ parked, prunable }: Worktree) =>
  parked === undefined ? (prunable === undefined ? '' : 'gone') : `parked since ${dayOf(parked)}`;

function iconOf(tree: Worktree, held: boolean, gate: string): string {
  if (tree.parked !== undefined) return 'archive';
  if (tree.prunable !== undefined) return 'error';
  if (gate.endsWith('running')) return 'sync~spin';
  if (held) return 'target';
  return tree.location === 'main' ? 'repo' : 'git-branch';
}

function worktreeNode(tree: Worktree, held: boolean, trunk: string, gate: string): TreeNode {
  const gone = awayOf(tree) !== '';
  const name = nameOf(tree);
  const branch = tree.branch ?? 'detached HEAD';
  const marks = [
    branchBeside(branch, name),
    tree.landing ? '' : distance(tree.ahead, tree.behind),
    tree.clean === false ? 'changed' : '',
    tree.locked === undefined || tree.parked !== undefined ? '' : 'locked',
    awayOf(tree),
    gate,
    held ? 'held' : '',
  ];
  const kind = tree.location === 'main' ? 'main' : tree.managed ? 'managed' : 'foreign';
  return {
    id: `worktree:${tree.path}`,
    label: name,
    description: marks.filter(Boolean).join(' · '),
    tooltip: `${tree.root}\nBranch ${branch}\n${kind === 'main' ? 'The repository’s own checkout' : kind === 'managed' ? 'Made by discern' : 'Made by someone else: discern lands it but keeps it'}`,
    icon: new vscode.ThemeIcon(iconOf(tree, held, gate)),
    context: `worktree.${kind}${held ? '.held' : ''}${gone ? '.gone' : ''}`,
    spoken: [
      `${tree.location === 'main' ? 'Main checkout' : 'Worktree'} ${name}`,
      ...spokenCheckout(tree, trunk),
      ...(gate ? [gate] : []),
      ...(held ? ['held by the server'] : []),
    ].join(', '),
    path: tree.root,
  };
}

/** The Worktrees tree. */
export const worktreesTree = (model: WindowModel) => new NodeTree(model, worktreeNodes);
