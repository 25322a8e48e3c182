import { objectIn } from '../callers/record-file.ts';
import type { Adapter, Query } from './adapter.ts';
import type { Known } from './list.ts';
import { GrowingRecords } from './record-lines.ts';

/** What a record's lines have of the person's. */
interface Asked {
  queries: Query[];
  /** Lines that were too long to be looked into. */
  skipped: number;
  /** Characters of all queries. */
  characters: number;
}

const records = new Map<Adapter, GrowingRecords<Asked>>();

function recordsOf(adapter: Adapter): GrowingRecords<Asked> {
  const before = records.get(adapter);
  if (before) return before;
  const marks = adapter.marks.map((mark) => Buffer.from(mark));
  const made = new GrowingRecords<Asked>({
    fresh: () => ({ queries: [], skipped: 0, characters: 0 }),
    copy: (asked) => ({ ...asked, queries: [...asked.queries] }),
    line(asked, line) {
      if (line === undefined) asked.skipped++;
      // Others need not be parsed.
      if (line === undefined || !marks.some((mark) => line.includes(mark))) return;
      const record = objectIn(line.toString('utf8'));
      const query = record && adapter.asked(record);
      if (query === undefined) return;
      asked.queries.push(query);
      asked.characters += query.text.length;
    },
    size: ({ characters }) => characters,
  });
  records.set(adapter, made);
  return made;
}

/** Everything the person asked in a session, oldest first and whole, and how many lines were too long to be looked into. */
export async function askedIn(
  one: Known,
  signal: AbortSignal,
): Promise<{ queries: Query[]; skipped: number }> {
  const { file, adapter } = one;
  if (adapter.recall) return adapter.recall(one, signal);
  const { queries, skipped } = await recordsOf(adapter).read(file, signal);
  return { queries: once(queries), skipped };
}

/** How close two records of one text are of the same asking: clients write some twice. Milliseconds. */
const SAME = 2_000;

/** Each asking once: by its own name, else by its text and time. */
function once(queries: readonly Query[]): Query[] {
  const keys = new Set<string>();
  const times = new Map<string, number>();
  return queries.filter(({ key, text, at }) => {
    const time = Date.parse(at ?? '');
    const before = times.get(text);
    times.set(text, time);
    if (key !== undefined && keys.has(key)) return false;
    if (key !== undefined) keys.add(key);
    return !(before !== undefined && Math.abs(time - before) < SAME);
  });
}
