import type { Node, TableNode } from '../config/tree.ts';

/** The node at a path of tables; nothing where a step is missing or no table. */
export function at(table: TableNode | undefined, ...path: string[]): Node | undefined {
  let node: Node | undefined = table;
  for (const step of path) {
    if (node?.kind !== 'table') return undefined;
    node = node.entries.get(step)?.value;
  }
  return node;
}

/** The names in a table. */
export function namesAt(table: TableNode | undefined, ...path: string[]): string[] {
  const node = at(table, ...path);
  return node?.kind === 'table' ? [...node.entries.keys()] : [];
}

/** The strings in a list. */
export function stringsAt(table: TableNode | undefined, ...path: string[]): string[] {
  const node = at(table, ...path);
  if (node?.kind !== 'list') return [];
  return node.items.flatMap((item) => (typeofString(item) ? [String(item.value)] : []));
}

/** A string. */
export function textAt(table: TableNode | undefined, ...path: string[]): string | undefined {
  const node = at(table, ...path);
  return node && typeofString(node) ? String(node.value) : undefined;
}

const typeofString = (
  node: Node,
): node is Extract<Node, { kind: 'string' | 'number' | 'boolean' | 'date' }> => node.kind === 'string';
