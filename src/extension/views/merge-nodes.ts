import type { TreeNode } from './node.ts';

interface Merged {
  /** The lines as they are to be, in the objects they had before where they were there. */
  nodes: TreeNode[];
  /** True when the same lines are there in the same order. */
  sameLines: boolean;
  /** The lines that show something else than before, or have other lines below them. */
  changed: TreeNode[];
}

/**
 * Takes new lines over into the objects of those shown before: VS Code knows a line by its object. A line below one that is drawn again
 * as a whole is not named for itself.
 */
export function mergeNodes(before: readonly TreeNode[], now: readonly TreeNode[]): Merged {
  const old = new Map(before.map((node) => [node.id, node]));
  const changed: TreeNode[] = [];
  const nodes = now.map((fresh) => {
    const node = old.get(fresh.id);
    if (node === undefined) return fresh;
    const own = face(node) !== face(fresh);
    const below = mergeNodes(node.children ?? [], fresh.children ?? []);
    for (const key of Object.keys(node)) delete node[key as keyof TreeNode];
    Object.assign(node, fresh, fresh.children && { children: below.nodes });
    if (own || !below.sameLines) changed.push(node);
    else changed.push(...below.changed);
    return node;
  });
  const sameLines = now.length === before.length && now.every(({ id }, at) => id === before[at]?.id);
  return { nodes, sameLines, changed };
}

/** What a line shows of itself, and whether it can be opened. */
const face = ({ children, ...shown }: TreeNode): string =>
  JSON.stringify([children !== undefined, Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1))]);
