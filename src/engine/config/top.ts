import { knownJobs } from '../../contract/config.ts';
import { editDistance, nearest } from '../nearest.ts';
import { quoted } from './quoted.ts';
import type { Reader } from './reader.ts';

const ours = ['project', 'repository', 'jobs', 'scopes', 'standards', 'generated', 'gate', 'worktree'];

/** Older spellings, and tables of the published format that other tools read. `docs` and `meta` resemble ours. */
const others = new Set([
  ...['capabilities', 'checks', 'ratchets'],
  ...['map', 'docs', 'skills', 'instructions', 'meta', 'setup', 'assurance', 'acceptance', 'checkpoints'],
  ...['coupling', 'scripts', 'recipes', '$schema'],
]);

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
    reader.note(key, `the key ${quoted(name)} stands in no table, so it is not read.${advice}`);
  }
}
