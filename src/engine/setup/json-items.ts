import { findNodeAtLocation, type Node } from 'jsonc-parser';
import { depthOf, type Edited, layout, open, plainJson, put, unset, without } from './json-edit.ts';

/** Whether an item of somebody's list is one that we put there. */
export type IsOurs = (item: unknown) => boolean;

/**
 * Puts one item of ours into a list of a JSON or JSONC file, in place of an older one of ours; every other byte stays. A new item goes
 * first. A list that has to be made begins on its line with `[ `: {@link removeItem} knows it by that.
 */
export function setItem(text: string, path: readonly string[], item: unknown, isOurs: IsOurs): Edited {
  const given = text.trim() === '' ? '{}\n' : text;
  const opened = open(given, path);
  if ('problem' in opened) return opened;
  const { body, bom, root, style } = opened;
  const list = findNodeAtLocation(root, [...path]);
  if (!list) return put(given, path, (how, depth) => `[ ${layout(item, how, depth)} ]`, [item]);
  if (list.type !== 'array') return { problem: `has no list at "${path.join('.')}"` };
  const [own, ...more] = ourItems(list, body, isOurs);
  if (own) {
    if (more.length > 0) return { problem: `has several items of ours at "${path.join('.')}"` };
    if (JSON.stringify(itemValue(own, body)) === JSON.stringify(item)) return { text: given };
    const written = layout(item, style, depthOf(own, body));
    return { text: bom + body.slice(0, own.offset) + written + body.slice(own.offset + own.length) };
  }
  const outer = depthOf(list, body);
  const inner = outer + style.unit;
  const at = list.offset + 1;
  const end = list.children?.length ? ',' : `${style.eol}${outer}`;
  const written = `${style.eol}${inner}${layout(item, style, inner)}${end}`;
  return { text: bom + body.slice(0, at) + written + body.slice(at) };
}

/** Takes back what {@link setItem} did, and nothing else. */
export function removeItem(text: string, path: readonly string[], isOurs: IsOurs): Edited {
  for (let now = text; ; ) {
    const opened = open(now, path);
    if ('problem' in opened) return now.trim() === '' ? { text: now } : opened;
    const { body, bom, root, style } = opened;
    const list = findNodeAtLocation(root, [...path]);
    const [own] = list?.type === 'array' ? ourItems(list, body, isOurs) : [];
    if (!list || !own) return { text: now };
    const made = list.children?.length === 1 && body.slice(list.offset, own.offset) === '[ ';
    if (made) return unset(now, path);
    now = bom + without(body, list, own, depthOf(list, body), style);
  }
}

/** What a list has beside our items. */
export function othersIn(text: string, path: readonly string[], isOurs: IsOurs): number {
  const opened = open(text.trim() === '' ? '{}\n' : text, path);
  if ('problem' in opened) return 0;
  const list = findNodeAtLocation(opened.root, [...path]);
  return (list?.children?.length ?? 0) - (list ? ourItems(list, opened.body, isOurs).length : 0);
}

const ourItems = (list: Node, body: string, isOurs: IsOurs): Node[] =>
  (list.children ?? []).filter((item) => isOurs(itemValue(item, body)));

const itemValue = ({ offset, length }: Node, body: string): unknown =>
  plainJson(body.slice(offset, offset + length));
