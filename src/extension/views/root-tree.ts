import * as vscode from 'vscode';
import type { StatusData } from '../../contract/data.ts';
import { isInside } from '../../contract/inside.ts';
import type { WindowFolder } from '../folders.ts';
import type { WindowModel, WindowView } from '../model.ts';
import {
  branchBeside,
  changes,
  distance,
  divergence,
  proof,
  shortName,
  spokenCheckout,
  spokenDistance,
  wrapped,
} from '../wording.ts';
import type { TreeNode } from './node.ts';
import { NodeTree } from './node-tree.ts';

const warning = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
const failure = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));

/**
 * What helps in each divergence, with words short enough for a side bar; the inline actions of package.json offer the same by
 * context value.
 */
const remedies: Record<string, vscode.Command & { short: string }> = {
  diverged: { command: 'discern.addHeldRoot', title: 'Add Held Root to Workspace', short: 'add it' },
  foreign: { command: 'discern.aimHere', title: 'Aim Server Here', short: 'aim elsewhere' },
  missing: { command: 'discern.aimHere', title: 'Aim Server Here', short: 'aim elsewhere' },
  strand: { command: 'discern.openHeldRoot', title: 'Open Held Root', short: 'open the held one' },
};

/** The nodes for what is known; a pure function of the view, so that a test can read it. */
export function rootNodes(view: WindowView): TreeNode[] {
  const { held, folders } = view;
  if (!held || held.root === null) return [];
  return [
    ...divergenceNodes(view),
    heldNode(view, held.root),
    ...folders.map((folder) => folderNode(view, held.root, folder)),
  ];
}

function divergenceNodes({ divergence: found }: WindowView): TreeNode[] {
  const said = divergence(found);
  const remedy = remedies[found.state];
  if (!said || !remedy) return [];
  return [
    {
      id: 'divergence',
      label: said.label,
      description: remedy.short,
      tooltip: `${said.detail}\n\n${remedy.title}`,
      icon: found.state === 'missing' ? failure : warning,
      context: `divergence.${found.state}`,
      spoken: `Warning. ${said.detail} ${remedy.title}.`,
      command: { command: remedy.command, title: remedy.title },
    },
  ];
}

function heldNode({ status, problem, divergence: found, trusted }: WindowView, root: string): TreeNode {
  const missing = found.state === 'missing';
  const branch = status?.branch ?? (status ? 'detached HEAD' : undefined);
  const marks = status
    ? [
        branchBeside(branch, shortName(root)),
        distance(status.ahead, status.behind),
        status.clean ? '' : 'changed',
      ]
    : [missing ? 'gone' : problem ? 'unreadable' : ''];
  return {
    id: 'held',
    label: shortName(root),
    description: marks.filter(Boolean).join(' · '),
    tooltip: `Held root: ${root}${branch === undefined ? '' : `\nBranch ${branch}`}${problem ? `\n${problem}` : ''}`,
    icon: missing ? failure : new vscode.ThemeIcon('target'),
    context: missing ? 'held.missing' : 'held',
    spoken: `Held root ${shortName(root)}${branch ? `, branch ${branch}` : ''}${status ? `, ${spokenDistance(status.ahead, status.behind, status.trunk)}, ${changes(status)}` : ''}`,
    path: root,
    children: status
      ? [
          {
            id: 'held.changes',
            label: changes(status),
            icon: new vscode.ThemeIcon(status.clean ? 'check' : 'edit'),
          },
          proofNode(status),
          {
            id: 'held.trunk',
            label: `Trunk ${status.trunk}`,
            description: distance(status.ahead, status.behind) || 'level',
            icon: new vscode.ThemeIcon('git-branch'),
            spoken: spokenDistance(status.ahead, status.behind, status.trunk),
          },
          ...(trusted
            ? []
            : [
                {
                  id: 'held.untrusted',
                  label: 'Not trusted',
                  description: 'no job runs',
                  tooltip: 'This workspace is not trusted, so no project command runs. State is still read.',
                  spoken: 'Workspace not trusted: no job runs',
                  icon: new vscode.ThemeIcon('workspace-untrusted'),
                  command: { command: 'workbench.trust.manage', title: 'Manage Workspace Trust' },
                },
              ]),
        ]
      : problem
        ? [{ id: 'held.problem', label: problem, tooltip: problem, icon: warning }]
        : [],
  };
}

function proofNode(status: StatusData): TreeNode {
  const { label, detail } = proof(status);
  const valid = status.proof.state === 'valid';
  return {
    id: 'held.proof',
    label,
    ...(valid && { description: detail }),
    tooltip: `${label}: ${detail}`,
    icon: new vscode.ThemeIcon(status.proof.state === 'valid' ? 'verified' : 'unverified'),
    command: { command: 'discern.showGate', title: 'Show Gate' },
    spoken: `${label}: ${detail}`,
    // Why there is none stands below, in whole: beside the label it would be cut.
    ...(!valid && {
      children: wrapped(detail).map((line, at) => ({
        id: `held.proof.${at}`,
        label: line,
        spoken: at === 0 ? detail : line,
      })),
    }),
  };
}

function folderNode(view: WindowView, root: string | null, folder: WindowFolder): TreeNode {
  const same = root !== null && (isInside(root, folder.real) || isInside(folder.real, root));
  const tree = view.status?.worktrees.find(
    (one) => isInside(folder.real, one.path) || isInside(one.path, folder.real),
  );
  const marks = tree
    ? [
        branchBeside(tree.branch ?? 'detached HEAD', folder.name),
        distance(tree.ahead, tree.behind),
        tree.clean === false ? 'changed' : '',
      ]
    : [];
  const stands = same ? 'the server acts here' : 'the server acts elsewhere';
  return {
    id: `folder:${folder.path}`,
    label: folder.name,
    description: [...marks, same ? 'held' : ''].filter(Boolean).join(' · '),
    tooltip: `${folder.path}\nWorkspace folder; ${stands}.`,
    icon: new vscode.ThemeIcon(same ? 'folder-active' : 'folder'),
    context: same ? 'folder.held' : 'folder',
    spoken: [
      `Workspace folder ${folder.name}, ${stands}`,
      ...(tree && view.status ? spokenCheckout(tree, view.status.trunk) : []),
    ].join(', '),
    path: folder.path,
  };
}

/** The Root tree: the held root against each workspace folder. */
export const rootTree = (model: WindowModel) => new NodeTree(model, rootNodes);
