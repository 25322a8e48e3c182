import { knownJobs } from '../../contract/config.ts';
import { olderTables, otherTables } from '../../contract/config-others.ts';
import { editDistance, nearest } from '../words/nearest.ts';
import { quoted } from './quoted.ts';
import type { Reader } from './reader.ts';

const ours = [
  ...['project', 'repository', 'jobs', 'scopes', 'standards', 'generated', 'gate', 'worktree'],
  ...['acceptance', 'checkpoints'],
];

/** Older spellings, and tables of the published format that other tools read. */
const others = new Set([...['capabilities', 'checks', 'ratchets', '$schema'], ...Object.keys(otherTables)]);

/** Notes the older names of tables that others read, and of the one key of theirs that has another now. */
export function noteOlderTables(reader: Reader): void {
  for (const [was, now] of Object.entries(olderTables)) {
    const entry = reader.find(was);
    if (!entry) continue;
    const wins = reader.find(now) ? ` [${now}] is given too, and wins.` : '';
    reader.note(entry.key, `[${was}] is the older spelling of [${now}]; rename it.${wins}`);
  }
  const coupling = reader.find('coupling', 'in_gate');
  if (coupling) {
    reader.note(coupling.key, '[coupling].in_gate is the older spelling of report_in_gate; rename it.');
  }
}

/** Notes what stands at the top of the file and looks misspelt or misplaced. Unknown tables are left alone. */
export function noteStrangers(reader: Reader): void {
  for (const [name, { key, value }] of reader.top()) {
    if (ours.includes(name) || others.has(name)) continue;
    const near = ours
      .map((known) => ({ known, distance: editDistance(name.toLowerCase(), known, 2) }))
      .filter(({ distance }) => distance <= 2)
      .toSorted((a, b) => a.distance - b.distance)[0];
    const isTable = value.kind === 'table' || (value.kind === 'list' && value.items[0]?.kind === 'table');
    if (isTable) {
      if (near) reader.note(key, `[${name}] is not read; did you mean [${near.known}]?`);
      continue;
    }
    const job = nearest(name, Object.keys(knownJobs));
    const advice = job
      ? ` Did you mean "${job}" under [jobs]?`
      : near
        ? ` Did you mean [${near.known}]?`
        : '';
    reader.note(key, `the key ${quoted(name)} is in no table, so it is not read.${advice}`);
  }
}
