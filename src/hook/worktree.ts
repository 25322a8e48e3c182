import { dirname, join } from 'node:path';
import { checkoutOf } from '../engine/callers/checkout-of.ts';
import { namesIn, writeFileAtomic } from '../engine/files/files.ts';
import { gitDirOf, textOf } from '../engine/git/git-dir.ts';
import { isDirectory } from './directory.ts';
import type { HookEvent } from './input.ts';
import { createOwn, reasonToKeep, removeOwn } from './own-worktree.ts';
import { projectAt } from './project.ts';

/**
 * Makes the worktree that Claude Code asks for, and resolves with its path. In a project it is one of ours, from birth on; elsewhere
 * it is what Claude Code itself would have made, since with such a hook it makes none anywhere. Rejects, in words for the person,
 * when there is none: the client then goes on without.
 */
export async function createWorktree(event: HookEvent, signal: AbortSignal): Promise<string> {
  const { name, cwd } = event;
  if (name === undefined || cwd === undefined) throw new Error('The client named no worktree to make.');
  const project = await projectAt(cwd);
  if (!project) return createOwn(cwd, name, signal);
  const known = await madeFor(project.commonDir, name);
  if (known) return known;
  const { homeRoot, run } = await import('../engine/index.ts');
  const home = await homeRoot(project.root);
  const { ok, data, message, steps, diagnostics } = await run('start', home, { name }, quietly(signal));
  if (!ok || !data?.path || !data.worktree) {
    const output = diagnostics?.map((one) => one.output ?? one.message) ?? [];
    throw new Error([message ?? 'start failed', ...output.slice(0, 3)].join('\n'));
  }
  const failed = steps?.find(({ outcome }) => outcome !== 'passed' && outcome !== 'skipped');
  if (failed) process.stderr.write(`discern: ${failed.name}: ${failed.outcome}\n`);
  await remember(data.worktree, { client: event.client, name, path: data.path });
  return data.path;
}

/**
 * Removes a worktree that Claude Code is done with. Never with force: the hook is not told whether somebody agreed to lose what is
 * in it, so what would be lost stays, and the promise rejects with what that is.
 */
export async function removeWorktree({ worktree }: HookEvent, signal: AbortSignal): Promise<void> {
  if (worktree === undefined) throw new Error('The client named no worktree to remove.');
  if (!(await isDirectory(worktree))) return;
  if (!(await projectAt(worktree))) return removeOwn(worktree, signal);
  const refused = await dropped(worktree, false, signal);
  if (refused !== undefined) throw new Error(refused);
}

/** Why a worktree that was to be removed is still there, in words for the agent; `undefined` when it is gone. */
export async function whyKept(worktree: string, signal: AbortSignal): Promise<string | undefined> {
  if (!(await isDirectory(worktree))) return undefined;
  return (await projectAt(worktree)) ? dropped(worktree, true, signal) : reasonToKeep(worktree, signal);
}

async function dropped(worktree: string, dry_run: boolean, signal: AbortSignal): Promise<string | undefined> {
  const { homeRoot, run } = await import('../engine/index.ts');
  // The worktree's own root is about to go.
  const home = await homeRoot(worktree);
  const { ok, message } = await run(
    'drop',
    home,
    { worktree, delete_branch: true, dry_run },
    quietly(signal),
  );
  return ok ? undefined : (message ?? 'It could not be removed.');
}

const quietly = (signal: AbortSignal) => ({ signal, emit: () => undefined, client: 'claude' }) as const;

/** Which of a client's worktrees one of ours is, in its own git directory: it goes with it. */
interface MadeFor {
  client: string;
  /** As the client calls it. */
  name: string;
  path: string;
}

const MARK = 'discern-client.json';

async function remember(top: string, made: MadeFor): Promise<void> {
  const gitDir = await gitDirOf(top);
  if (gitDir === undefined) throw new Error(`${top} is not a worktree.`);
  await writeFileAtomic(join(gitDir, MARK), `${JSON.stringify(made)}\n`);
}

/** What a record says; a stranger may have written it, so nothing but what git says of the worktree is believed. */
async function readMade(path: string): Promise<Partial<MadeFor> | null | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Partial<MadeFor> | null;
  } catch {
    return undefined;
  }
}

/** The worktree that was made for this name before, if it is still there: the client comes back to its work. */
async function madeFor(commonDir: string, name: string): Promise<string | undefined> {
  const folder = join(commonDir, 'worktrees');
  for (const id of await namesIn(folder)) {
    const made = await readMade(join(folder, id, MARK));
    if (made?.name !== name || made.client !== 'claude') continue;
    // Whatever a record says, git's own link decides where the worktree is.
    const link = (await textOf(join(folder, id, 'gitdir'))) ?? '';
    const top = dirname(link.trim());
    const place = await checkoutOf(top);
    const path = typeof made.path === 'string' && made.path.startsWith(top) ? made.path : top;
    if (place?.linked && place.commonDir === commonDir && (await projectAt(path))) return path;
  }
  return undefined;
}
