/** A duration for people, from milliseconds: `230ms`, `4.1s`, `2m 05s`, `1h 02m`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(seconds % 60)}s`;
}

/** How long a running job has taken: whole seconds, since more would only flicker. */
export function elapsed(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)}s` : duration(ms);
}

/** The short form of a commit's name. */
export const short = (commit: string): string => commit.slice(0, 10);

/**
 * A copy of a value in which every text is free of control characters but tab and newline. What is printed comes from
 * file names, branch names and tools, and none of them may move the cursor or ring the bell.
 */
export function printable<Value>(value: Value): Value {
  if (typeof value === 'string')
    return value.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '?') as Value;
  if (Array.isArray(value)) return value.map(printable) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, printable(one)])) as Value;
}

/** Lines of cells with the columns aligned; the last column is left as it is. Widths are of the undressed text. */
export function table(rows: readonly (readonly { text: string; shown?: string }[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, { text }] of row.slice(0, -1).entries()) {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    }
  }
  return rows.map((row) =>
    row
      .map(({ text, shown = text }, column) =>
        column === row.length - 1 ? shown : shown + ' '.repeat((widths[column] ?? 0) - text.length),
      )
      .join('  ')
      .trimEnd(),
  );
}
