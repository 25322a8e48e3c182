import { randomBytes } from 'node:crypto';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { JobCounts } from '../../contract/data.ts';
import type { Diagnostic, Step } from '../../contract/envelope.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';
import { messageOf } from '../../contract/values.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { point } from '../faults/faults.ts';
import { exists, stateDir } from '../files/files.ts';
import { runGate } from '../gate/run.ts';
import { readStatus } from '../git/status.ts';
import { addWorktree } from '../git/worktree.ts';
import { openRepository, type Repository, rootIn } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';
import { journalOf } from '../state/journal.ts';
import { type Busy, holding, type Lock, orRefuse, tryLock } from '../state/lock.ts';
import { inodeOf } from '../state/remove.ts';
import { shellWord } from '../words/shell-word.ts';
import { homeCheckout, makeDirectories, worktreesDir } from '../worktree/place.ts';
import { checkoutCommands, ensureCommands, stepCommands } from '../worktree/setup.ts';
import { type Made, takeBack } from '../worktree/take-back.ts';

/** What a run of the proposed gate in a throwaway worktree came to. */
export interface Proving {
  /** Absent when it is green. */
  error?: RefusalSlug;
  message: string;
  steps: Step[];
  diagnostics: Diagnostic[];
  hints: string[];
  jobs?: JobCounts;
}

/** A throwaway worktree that is being used, so that one whose process died can be removed. */
const Journal = z.object({
  version: z.literal(1),
  path: z.string(),
  ino: z.string().exactOptional().describe('Its inode, once it is there.'),
  /** Directories that were made for it. */
  directories: z.array(z.string()),
});
type Journal = z.infer<typeof Journal>;

const nameOf = (id: string) => `init-proof-${id}`;
/** No directory of this name is anybody's but ours: the end of it is random. */
const ours = /^init-proof-[0-9a-f]{12}$/;

const journalFile = journalOf<Journal>(
  'init-proof.json',
  { name: 'init-proof', schema: Journal },
  ({ path }) => ours.test(basename(path)),
);

/** The lock under which a project is made and its gate tried: one at a time in a repository. Refuses `busy`. */
export async function lockInit(commonDir: string, ctx: Context): Promise<Lock> {
  return orRefuse(await tryLockInit(commonDir, ctx));
}

function tryLockInit(commonDir: string, ctx: Context): Promise<Lock | Busy> {
  return tryLock(join(stateDir(commonDir), 'locks', 'init.lock'), {
    purpose: 'an init',
    signal: ctx.signal,
    waitMs: 0,
  });
}

/**
 * Runs the gate of a project that has just been made, in a new worktree of its commit with the new `discern.toml` in it, as
 * a piece of work would have it: setup first, then everything `done` runs. The worktree is removed afterwards, whatever
 * came of it. The caller holds the init lock.
 */
export async function proveInWorktree(repo: Repository, text: string, ctx: Context): Promise<Proving> {
  try {
    return await prove(repo, text, ctx);
  } catch (error) {
    if (!Refusal.is(error)) throw error;
    return { error: error.slug, message: error.message, steps: [], diagnostics: [], hints: [] };
  }
}

async function prove(repo: Repository, text: string, ctx: Context): Promise<Proving> {
  const dir = worktreesDir(repo);
  const isThere = await exists(dir);
  const path = join(isThere ? await realpath(dir) : dir, nameOf(randomBytes(6).toString('hex')));
  let journal: Journal = { version: 1, path, directories: isThere ? [] : [dir] };
  await journalFile.write(repo.commonDir, journal);
  await point('init.journaled');
  let proving: Proving;
  try {
    await makeDirectories(dir);
    await mkdir(path);
    journal = { ...journal, ino: (await inodeOf(path)) ?? '' };
    await journalFile.write(repo.commonDir, journal);
    await point('init.claimed');
    await addWorktree(repo.top, path, repo.commit, ctx.signal);
    await point('init.added');
    const root = rootIn(repo, path);
    await mkdir(root, { recursive: true });
    // What the commit may have there is not to be written through, should it be a link.
    await rm(join(root, CONFIG_FILE), { force: true });
    await writeFile(join(root, CONFIG_FILE), text, { flag: 'wx' });
    proving = await judge(repo, root, ctx);
  } catch (error) {
    await clear(repo, journal, ctx).catch((left: unknown) => tellLeft(error, path, left));
    throw error;
  }
  await point('init.judged');
  const left = await clear(repo, journal, ctx).then(
    () => [],
    (error: unknown) => [couldNotClear(path, error)],
  );
  return { ...proving, hints: [...proving.hints, ...left] };
}

const couldNotClear = (path: string, error: unknown) =>
  `The throwaway worktree ${path} could not be removed (${messageOf(error)}); status tries again.`;

function tellLeft(error: unknown, path: string, left: unknown): void {
  if (error instanceof Error) error.message += ` ${couldNotClear(path, left)}`;
}

async function judge(repo: Repository, root: string, ctx: Context): Promise<Proving> {
  const fresh = await openRepository(root, ctx.signal);
  const commands = await checkoutCommands(fresh, 'init', ctx);
  const orders = [...stepCommands(fresh), ...ensureCommands(fresh)];
  commands.plan(orders.length);
  await commands.runAll(orders);
  const { failed, ...setup } = commands.result;
  if (failed !== undefined) {
    const late = setup.steps.at(-1)?.outcome === 'timed_out';
    return {
      ...setup,
      error: ctx.signal.aborted ? 'cancelled' : late ? 'timed_out' : 'gate_failed',
      message: ctx.signal.aborted
        ? 'init was cancelled.'
        : `In a new worktree the setup command "${failed.command}" ${late ? 'ran out of time' : 'failed'}.`,
    };
  }
  const gate = await runGate(root, 'done', ctx).catch((error: unknown) => {
    if (!Refusal.is(error)) throw error;
    return error;
  });
  if (Refusal.is(gate)) {
    return { ...setup, error: gate.slug, message: `The gate could not be tried: ${gate.message}` };
  }
  const left = gate.error === undefined ? await leftFiles(fresh) : [];
  return {
    ...(gate.error && { error: gate.error }),
    message: gate.error
      ? `In a new worktree of ${repo.commit.slice(0, 10)} ${said(gate.message)}`
      : gate.message,
    steps: [...setup.steps, ...gate.steps],
    diagnostics: [...setup.diagnostics, ...gate.diagnostics],
    hints: [
      ...setup.hints,
      ...gate.hints,
      ...(left.length > 0
        ? [
            `The jobs left files that git does not ignore (${left.slice(0, 5).join(', ')}): add them to .gitignore, since no proof is recorded while there are any.`,
          ]
        : []),
    ],
    jobs: gate.data.jobs,
  };
}

/** A sentence to go on with after a comma. */
const said = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1);

async function leftFiles(fresh: Repository): Promise<string[]> {
  const config = fresh.prefix ? `${fresh.prefix}/${CONFIG_FILE}` : CONFIG_FILE;
  const { untracked } = await readStatus(fresh.top);
  return untracked.filter((path) => path !== config && !config.startsWith(path));
}

async function clear(
  repo: Repository,
  { path, ino = '', directories }: Journal,
  ctx: Context,
): Promise<void> {
  // Forgotten even where it is gone: a removal may have been cut off between the two.
  const made: Made = { directories, branch: false, checkout: ino, throwaway: true };
  const home = homeCheckout(repo);
  const from = { top: home === path ? repo.commonDir : home, commonDir: repo.commonDir };
  await takeBack(from, { path, branch: '', baseCommit: '' }, made, ctx, undefined);
  await point('init.cleared');
  await journalFile.close(repo.commonDir);
}

/**
 * Removes the throwaway worktree of an init whose process died; one that is still going is left alone. Resolves with what
 * was done, if anything.
 */
export async function recoverProving(repo: Repository, ctx: Context): Promise<string | undefined> {
  if (!(await readJournal(repo.commonDir))) return undefined;
  const lock = await tryLockInit(repo.commonDir, ctx);
  return 'busy' in lock ? undefined : holding(lock, () => recoverProvingLocked(repo, ctx));
}

/** {@link recoverProving} for a caller that holds the init lock. */
export async function recoverProvingLocked(repo: Repository, ctx: Context): Promise<string | undefined> {
  const journal = await readJournal(repo.commonDir);
  if (!journal) return undefined;
  await clear(repo, journal, ctx);
  return 'A throwaway worktree that an interrupted init had made is removed.';
}

/** The journal; one that is not sealed, or names a directory of another name than ours, was not written by us. */
export const readJournal = journalFile.read;

/** Says of a journal that is there and not ours what it is. */
export async function distrustedProving(commonDir: string): Promise<{ what: string; remedy: string }[]> {
  const path = journalFile.path(commonDir);
  const why = await journalFile.distrust(commonDir);
  if (why === undefined) return [];
  const what = `${path}, the record of an init that was cut off, ${why}, so nothing it says is done.`;
  return [{ what, remedy: `rm ${shellWord(path)}` }];
}
