import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../call/context.ts';
import { readBounded } from '../files/bounded-file.ts';
import { errnoOf } from '../files/errno.ts';
import { namesIn, writeFileAtomic } from '../files/files.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { ownStateDir } from '../state/seal.ts';
import { namesOf } from './identity.ts';

/*
 * Ports are one machine's, repositories many: which worktree has which port stands in the user's own directory, a file a port.
 * It is a pointer only. A claim counts as long as the worktree it names says itself that the port is its own, so one that is
 * left by a removal, a kill or a moved repository holds nothing.
 */
const Claim = z.object({ version: z.literal(1), git_dir: z.string() });

/** How many claims there may be before those that hold nothing are looked for. */
const MOST_CLAIMS = 256;

const ours = /^(\d{1,5})\.json$/;

/** The claims of this user's worktrees, while no other start may change them. */
export interface Claims {
  /** True when a living worktree has the port. */
  isHeld(port: number): Promise<boolean>;
  /** Writes down that a worktree, by its git directory, has the port. */
  claim(port: number, gitDir: string): Promise<void>;
}

/**
 * Acts with the claims, which no other process changes meanwhile: what `act` claims counts once the worktree's record names the
 * port, so that is written before it ends. Where no directory of the user's can be written to there are none to go by, and a
 * hint says so.
 */
export async function withPortClaims<Value>(
  ctx: Context,
  act: (claims: Claims) => Promise<Value>,
): Promise<{ value: Value; hints: string[] }> {
  const dir = join(await ownStateDir(), 'ports');
  const lock = await lockOf(dir, ctx);
  if ('problem' in lock) {
    const value = await act({ isHeld: async () => false, claim: async () => undefined });
    return {
      value,
      hints: [`Whether a worktree of another repository has its port could not be seen (${lock.problem}).`],
    };
  }
  const value = await holding(lock, async () => {
    await sweep(dir);
    return act({
      isHeld: async (port) => (await livingClaim(dir, port)) !== undefined,
      claim: (port, git_dir) =>
        writeFileAtomic(claimPath(dir, port), `${JSON.stringify({ version: 1, git_dir })}\n`),
    });
  });
  return { value, hints: [] };
}

const claimPath = (dir: string, port: number) => join(dir, `${port}.json`);

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT']);

async function lockOf(dir: string, ctx: Context) {
  try {
    await mkdir(dirname(dir), { recursive: true });
    return await acquireLock(join(dir, 'claiming.lock'), {
      purpose: 'choosing a worktree’s port',
      signal: ctx.signal,
    });
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined || !unwritable.has(code)) throw error;
    return { problem: `${dir}: ${code}` };
  }
}

async function livingClaim(dir: string, port: number): Promise<string | undefined> {
  const read = await readBounded(claimPath(dir, port), 64 * 1024);
  if (!read || !('text' in read)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch {
    return undefined;
  }
  const claim = Claim.safeParse(value).data;
  return claim && (await namesOf(claim.git_dir))?.port === port ? claim.git_dir : undefined;
}

async function sweep(dir: string): Promise<void> {
  const ports = (await namesIn(dir)).flatMap((name) => ours.exec(name)?.[1] ?? []).map(Number);
  if (ports.length <= MOST_CLAIMS) return;
  for (const port of ports) {
    if ((await livingClaim(dir, port)) === undefined) await rm(claimPath(dir, port), { force: true });
  }
}
