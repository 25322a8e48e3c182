import { tableName } from './problems.ts';
import type { Reader } from './reader.ts';

/** A table whose older keys have gone where they stand now. */
type Renamed<Table, Older> = Omit<Table, keyof Older>;

/**
 * Moves what a table says under older keys to the keys of today, and notes each. The key of today wins where both are
 * given. `older` says what each is now; a value of another type than today's is left out, since it has no effect either way.
 */
export function renamed<Table extends object, Older extends Record<string, string>>(
  reader: Reader,
  path: readonly string[],
  table: Table,
  older: Older,
): Renamed<Table, Older> {
  const now = { ...table } as Record<string, unknown>;
  for (const [was, key] of Object.entries(older)) {
    const entry = reader.find(...path, was);
    const value = now[was];
    delete now[was];
    if (!entry) continue;
    const isGiven = reader.find(...path, key) !== undefined;
    const wins = isGiven ? ' The new one is given too, and wins.' : '';
    reader.note(entry.key, `${tableName(path)}.${was} is the older spelling of ${key}; rename it.${wins}`);
    if (!isGiven && value !== undefined) now[key] = value;
  }
  return now as Renamed<Table, Older>;
}
