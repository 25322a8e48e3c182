import { parseTree, type ScalarNode } from '../config/tree.ts';

/**
 * The text of a `discern.toml` with other limits, and nothing else changed: comments, order, spacing, line ends and a BOM
 * stay. Throws where one of the standards has no limit in the text.
 */
export function withLimits(text: string, limits: ReadonlyMap<string, number>): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  let body = text.slice(bom.length);
  const places = [...limits].map(([name, to]) => ({ node: limitNode(body, name), to }));
  // From the end on, so that the places before stay true.
  places.sort((a, b) => b.node.range[0] - a.node.range[0]);
  for (const { node, to } of places) {
    const [from, end] = node.range;
    body = body.slice(0, from) + numberText(to, body.slice(from, end)) + body.slice(end);
  }
  return bom + body;
}

/** Where the limit that counts stands: what both spellings declare, the newer one does. */
function limitNode(body: string, name: string): ScalarNode {
  const tree = parseTree(body);
  if (!('root' in tree)) throw new Error(`line ${tree.at.line}: ${tree.message}`);
  for (const section of ['standards', 'ratchets']) {
    const table = tree.root.entries.get(section)?.value;
    const own = table?.kind === 'table' ? table.entries.get(name)?.value : undefined;
    const limit = own?.kind === 'table' ? own.entries.get('limit')?.value : undefined;
    if (limit?.kind === 'number') return limit;
  }
  throw new Error(`there is no limit of ${name}`);
}

/** A number as TOML, a float where one stood. */
function numberText(value: number, before: string): string {
  const text = String(value);
  const wasFloat = /[.eE]/.test(before) && !/^0x/i.test(before);
  return wasFloat && !/[.e]/.test(text) ? `${text}.0` : text;
}
