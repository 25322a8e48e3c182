/**
 * Characters that would write lines of their own, move a cursor or turn what follows around: controls, line and paragraph
 * separators, marks of direction (Unicode TR9), and others that show as nothing.
 */
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string) =>
  named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** A text on one line, in which every character shows: a name from a repository may hold anything. */
export const oneLine = (text: string): string => text.replace(hidden, escaped);

/** A text of several lines, in which everything but line ends and tabs shows. */
export const manyLines = (text: string): string =>
  text.replace(hidden, (one) => (one === '\n' || one === '\t' || one === '\r' ? one : escaped(one)));

/** What is a text of several lines wherever it stands in an answer. */
const several = new Set(['output', 'text', 'diff', 'reproduce_cmd']);

/** A value as it may be shown: every text in it on one line, but those that have several by their nature. */
export function visible<Value>(value: Value, key = ''): Value {
  if (typeof value === 'string') return (several.has(key) ? manyLines(value) : oneLine(value)) as Value;
  if (Array.isArray(value)) return value.map((one) => visible(one, key)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visible(one, name)])) as Value;
}
