import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../call/context.ts';
import { point } from '../faults/faults.ts';
import { stateDir } from '../files/files.ts';
import type { Repository } from '../repository/repository.ts';
import { acquireLock } from '../state/lock.ts';
import { plainName } from '../words/plain-name.ts';
import { projectSlug } from './handles.ts';
import { tieHome } from './home-link.ts';
import { gitDirOf, namesOf, portFor, type WorktreeRecord, writeRecord } from './identity.ts';
import { listLedgers } from './ledger.ts';
import { isFree } from './listening.ts';
import { type Claims, withPortClaims } from './port-claims.ts';

/** A worktree that git has just made. */
interface Fresh {
  id: string;
  branch: string;
  path: string;
  base: string;
  baseCommit: string;
  title?: string;
}

/**
 * Marks a worktree as ours, with a port that no worktree of this user has and nothing listens on. The locks keep two that are
 * made in the same instant from taking the same one: a port is taken once its record is written.
 */
export async function identify(
  repo: Repository,
  { id, branch, path, base, baseCommit, title }: Fresh,
  ctx: Context,
): Promise<{ gitDir: string; record: WorktreeRecord & { slug: string }; hints: string[] }> {
  const gitDir = await gitDirOf(path);
  if (!gitDir) throw new Error(`git made no .git file in ${path}`);
  const lock = await acquireLock(join(stateDir(repo.commonDir), 'locks', 'identity.lock'), {
    purpose: 'naming a worktree',
    signal: ctx.signal,
  });
  try {
    const taken = await takenPorts(repo);
    const { value: record, hints } = await withPortClaims(ctx, async (claims) => {
      const port = await freePort(plainName(id), taken, claims);
      const made = {
        version: 1 as const,
        id,
        branch,
        base,
        base_commit: baseCommit,
        port,
        slug: projectSlug(repo),
        ...(title !== undefined && { title }),
      };
      await claims.claim(port, gitDir);
      await point('start.naming');
      await writeRecord(gitDir, made);
      return made;
    });
    await tieHome(gitDir, path);
    return { gitDir, record, hints };
  } finally {
    await lock.release();
  }
}

/** The first port from the id's own on that no worktree has and nobody listens on. */
async function freePort(id: string, taken: ReadonlySet<number>, claims: Claims): Promise<number> {
  const passed = new Set(taken);
  for (;;) {
    const port = portFor(id, passed);
    if (!(await claims.isHeld(port)) && (await isFree(port))) return port;
    passed.add(port);
  }
}

/** The ports of every worktree that git knows or that has resources, and the one that stands for the trunk in the published format. */
async function takenPorts(repo: Repository): Promise<Set<number>> {
  const admin = join(repo.commonDir, 'worktrees');
  const siblings = await Promise.all((await readdir(admin)).map((name) => namesOf(join(admin, name))));
  // What a worktree that vanished has left running may still listen.
  const { ledgers } = await listLedgers(repo.commonDir);
  const taken = new Set([...siblings, ...ledgers].flatMap((one) => (one ? [one.port] : [])));
  if (repo.trunk) taken.add(portFor(plainName(repo.trunk.name), new Set()));
  return taken;
}
