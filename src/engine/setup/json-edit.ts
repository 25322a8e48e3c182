import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';

/** A text that was edited, or why it cannot be, in words that follow the file's name. */
export type Edited = { text: string } | { problem: string };

export interface Style {
  eol: string;
  unit: string;
}

/**
 * Sets one value in a JSON or JSONC object, and leaves every other byte as it is. What is new goes first in its object, so that no
 * comment and no trailing comma is in the way. An object that has to be made stands on one line: {@link unset} knows it by that.
 */
export function set(text: string, path: readonly string[], value: unknown): Edited {
  return put(text, path, (style, depth) => layout(value, style, depth), value);
}

/** {@link set}, for a value that is written in its own way. */
export function put(
  text: string,
  path: readonly string[],
  write: (style: Style, depth: string) => string,
  value: unknown,
): Edited {
  const opened = open(text.trim() === '' ? '{}\n' : text, path);
  if ('problem' in opened) return opened;
  const { body, bom, root, style } = opened;
  const done = (edited: string): Edited => ({ text: bom + edited });
  for (let known = path.length; known >= 0; known--) {
    const node = known === 0 ? root : findNodeAtLocation(root, path.slice(0, known));
    if (!node) continue;
    if (known === path.length) {
      const written = write(style, depthOf(node, body));
      const same =
        JSON.stringify(plainJson(body.slice(node.offset, node.offset + node.length))) ===
        JSON.stringify(value);
      return done(same ? body : body.slice(0, node.offset) + written + body.slice(node.offset + node.length));
    }
    if (node.type !== 'object') return { problem: `has no object at "${path.slice(0, known).join('.')}"` };
    const outer = depthOf(node, body);
    const inner = outer + style.unit;
    const rest = path.slice(known + 1).reverse();
    const made = rest.reduce((within, key) => `{ ${JSON.stringify(key)}: ${within} }`, write(style, inner));
    const property = `${style.eol}${inner}${JSON.stringify(path[known])}: ${made}`;
    const at = node.offset + 1;
    const end = node.children?.length ? ',' : `${style.eol}${outer}`;
    return done(body.slice(0, at) + property + end + body.slice(at));
  }
  return { problem: 'is not a valid JSON object' };
}

/** Whether there is a value at a path; nothing where the text cannot be read. */
export function has(text: string, path: readonly string[]): boolean {
  const opened = open(text, path);
  return !('problem' in opened) && findNodeAtLocation(opened.root, [...path]) !== undefined;
}

/** Takes back what {@link set} did: the bytes are then what they were. Takes nothing where there is no such value. */
export function unset(text: string, path: readonly string[]): Edited {
  const opened = open(text, path);
  if ('problem' in opened) return text.trim() === '' ? { text } : opened;
  const { body, bom, root, style } = opened;
  let node = findNodeAtLocation(root, [...path]);
  if (!node) return { text };
  for (let property = node.parent; property; property = node.parent) {
    node = property.parent as Node;
    const made = node.parent?.type === 'property' && node.children?.length === 1;
    const before = body.slice(node.offset, property.offset);
    if (made && before === '{ ') continue;
    return { text: bom + without(body, node, property, depthOf(node, body), style) };
  }
  return { text };
}

/** The text without one property of an object, or one item of a list. */
export function without(body: string, object: Node, property: Node, outer: string, { eol }: Style): string {
  const from = object.offset + 1;
  const end = property.offset + property.length;
  const siblings = object.children ?? [];
  const index = siblings.indexOf(property);
  if (index === 0 && body.slice(from, property.offset).trim() === '') {
    if (body.charAt(end) === ',') return body.slice(0, from) + body.slice(end + 1);
    const closing = eol + outer;
    return body.slice(0, from) + body.slice(body.startsWith(closing, end) ? end + closing.length : end);
  }
  // Somebody moved it: it goes with the comma on one side, and what stands around it stays.
  const next = siblings[index + 1];
  const comma = (a: number, b: number) => a + Math.max(0, withoutComments(body.slice(a, b)).indexOf(','));
  if (next) {
    const at = comma(end, next.offset);
    return body.slice(0, property.offset) + body.slice(end, at) + body.slice(at + 1);
  }
  const previous = siblings[index - 1];
  if (!previous) return body.slice(0, property.offset) + body.slice(end);
  const at = comma(previous.offset + previous.length, property.offset);
  return body.slice(0, at) + body.slice(at + 1, property.offset) + body.slice(end);
}

/** Comments as blanks of the same length. */
const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g, (comment) => ' '.repeat(comment.length));

type Opened = { body: string; bom: string; root: Node; style: Style };

/** Reads a text that is to be edited at a path. */
export function open(text: string, path: readonly string[]): Opened | { problem: string } {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(bom.length);
  const root = treeOf(body);
  if (root?.type !== 'object') return { problem: 'is not a valid JSON object' };
  for (let known = 0; known < path.length; known++) {
    const node = known === 0 ? root : findNodeAtLocation(root, path.slice(0, known));
    const same = node?.children?.filter(({ children }) => children?.[0]?.value === path[known]) ?? [];
    if (same.length > 1) return { problem: `names "${path[known]}" twice` };
  }
  const eol = body.includes('\r\n') ? '\r\n' : '\n';
  const unit = /^([ \t]+)"/m.exec(body)?.[1] ?? '  ';
  return { body, bom, root, style: { eol, unit } };
}

function treeOf(body: string): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(body, errors, { allowTrailingComma: true });
    return errors.length > 0 ? undefined : root;
  } catch (error) {
    // The parser recurses, and a file may be nested deeper than the stack is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What a text of plain JSON says; a value with comments is none of ours and so never the same. */
export function plainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The indentation of the line a value begins in. */
export function depthOf({ offset }: Node, body: string): string {
  const line = body.slice(body.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

export const layout = (value: unknown, { eol, unit }: Style, depth: string) =>
  JSON.stringify(value, null, unit).replace(/\n/g, eol + depth);
