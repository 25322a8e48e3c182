import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { orWhenAbsent, stateDir } from '../files/files.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { removeOwnFile } from '../state/remove.ts';
import { isPlainId } from './name.ts';

/** One resource of a worktree, and all that is needed to destroy it once nothing else of the worktree is left. */
const Entry = z.object({
  name: z.string(),
  state: z
    .enum(['intent', 'ready'])
    .describe('intent: its create has begun, and nothing says that it ended well.'),
  destroy: z.string().describe('The command, its tokens expanded.'),
  required: z.boolean(),
  retries: z.number().int(),
  gc: z.boolean().describe('False: only what names the worktree may destroy it.'),
});
export type Entry = z.infer<typeof Entry>;

/** What a worktree has outside of itself, in the order it was made. */
const Ledger = z.object({
  version: z.literal(1),
  id: z.string(),
  slug: z.string(),
  port: z.number().int(),
  path: z.string().describe('The worktree’s git top.'),
  git_dir: z.string().describe('Its git directory, below the repository’s.'),
  timeout: z.number().describe('Seconds one command may take; 0 means no limit.'),
  resources: z.array(Entry),
});
export type Ledger = z.infer<typeof Ledger>;

const kind: Kind<Ledger> = { name: 'resources', schema: Ledger };

const ledgersDir = (commonDir: string) => join(stateDir(commonDir), 'resources');
const ledgerPath = (commonDir: string, id: string) => join(ledgersDir(commonDir), `${id}.json`);

/**
 * What is written down of a worktree's resources; `undefined` when it has none. Refuses `untrusted` when the file is none of ours,
 * since taking it for empty would lose what it names.
 */
export async function readLedger(commonDir: string, id: string): Promise<Ledger | undefined> {
  const path = ledgerPath(commonDir, id);
  const found = await readLedgerFile(commonDir, id);
  if (!found) return undefined;
  if ('value' in found) return found.value;
  throw new Refusal(
    'untrusted',
    `${path}, which names the resources of ${id}, ${found.distrust}: destroy them by hand, then delete that file and call again.`,
  );
}

/** A ledger is ours when it is sealed and is of the worktree its file is named for. */
async function readLedgerFile(commonDir: string, id: string) {
  if (!isPlainId(id)) return undefined;
  const found = await readRecordFile(commonDir, ledgerPath(commonDir, id), kind);
  if (found && 'value' in found && found.value.id !== id) return { distrust: 'names another worktree' };
  return found;
}

/** Writes a ledger down, whole or not at all; one without resources is removed. */
export async function writeLedger(commonDir: string, ledger: Ledger): Promise<void> {
  const path = ledgerPath(commonDir, ledger.id);
  if (ledger.resources.length === 0) await removeOwnFile(path);
  else await writeRecordFile(commonDir, path, kind, ledger);
}

/** The ledgers of all worktrees, living or not, and the paths of those that cannot be read. */
export async function listLedgers(commonDir: string): Promise<{ ledgers: Ledger[]; unreadable: string[] }> {
  const dir = ledgersDir(commonDir);
  const names = await readdir(dir).catch(orWhenAbsent<string[]>([]));
  const found: { ledgers: Ledger[]; unreadable: string[] } = { ledgers: [], unreadable: [] };
  for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
    const path = join(dir, name);
    const read = await readLedgerFile(commonDir, name.slice(0, -'.json'.length));
    // It may just have been removed: its worktree is being retired.
    if (!read) continue;
    if ('value' in read) found.ledgers.push(read.value);
    else found.unreadable.push(path);
  }
  return found;
}

/** Lets one process at a time make or destroy the resources of a worktree. Refuses `busy` when another does. */
export async function withResources<Value>(
  commonDir: string,
  id: string,
  ctx: Context,
  act: () => Promise<Value>,
): Promise<Value> {
  const lock = await acquireLock(join(stateDir(commonDir), 'locks', `resources-${id}.lock`), {
    purpose: `work on the resources of ${id}`,
    signal: ctx.signal,
    waitMs: 0,
  });
  return holding(lock, act);
}
