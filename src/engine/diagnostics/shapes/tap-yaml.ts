/** The scalars of a YAML block by their key, a nested mapping's as `parent.key`. */
export type Fields = ReadonlyMap<string, string>;

const entry = /^(\s*)([\w.$-]{1,100}):(?: +(.*))?$/;

/**
 * Reads the little YAML that TAP producers write below a failing test: plain and quoted scalars, block
 * scalars, one level of nesting. What it does not understand it passes over; it refuses nothing.
 */
export function readFields(lines: readonly string[]): Fields {
  const fields = new Map<string, string>();
  let base: number | undefined;
  let parent = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.trim() === '...') break;
    const [, space, key, value = ''] = entry.exec(line) ?? [];
    if (space === undefined || key === undefined) continue;
    base ??= space.length;
    if (space.length <= base) parent = '';
    const name = parent === '' ? key : `${parent}.${key}`;
    if (/^[|>][+-]?\d?$/.test(value)) {
      const to = blockEnd(lines, at + 1, space.length);
      fields.set(name, unindented(lines.slice(at + 1, to)));
      at = to - 1;
    } else if (value === '') {
      if (space.length === base) parent = key;
    } else if (!fields.has(name)) {
      fields.set(name, unquoted(value));
    }
  }
  return fields;
}

function blockEnd(lines: readonly string[], from: number, indent: number): number {
  let to = from;
  while (to < lines.length) {
    const line = lines[to] ?? '';
    if (line.trim() !== '' && line.length - line.trimStart().length <= indent) break;
    to++;
  }
  return to;
}

function unindented(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

function unquoted(value: string): string {
  const quote = value[0];
  if ((quote !== "'" && quote !== '"') || value.length < 2 || !value.endsWith(quote)) return value;
  // Node writes its strings as JavaScript would, so a Windows path comes with doubled backslashes.
  return value
    .slice(1, -1)
    .replaceAll("''", "'")
    .replace(/\\([\\'"])/g, '$1');
}
