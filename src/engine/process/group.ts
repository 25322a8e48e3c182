import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../files/errno.ts';
import { isThere } from './alive.ts';
import { procStat } from './proc-stat.ts';

/** How long a group may take to end by itself after SIGTERM, and then after SIGKILL, in milliseconds. */
const GRACE_MS = 800;
const POLL_MS = 20;

/** True while the process group has a member, be it only a zombie nobody reaped, or one that became someone else's. */
const responds = (pgid: number): boolean => isThere(-pgid);

/** The process groups with a living member in the session `leader` leads, among pids from `least` up. */
function scan(leader: number, least: number): number[] {
  const groups = new Set<number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid >= least)) continue;
    const stat = procStat(pid);
    if (stat?.session === leader) groups.add(stat.group);
  }
  return [...groups];
}

/**
 * The groups of a command that still live. Each command leads a session of its own, and programs such as timeout(1) or a
 * shell with job control open further groups in it; Linux tells which. Elsewhere only the command's first group is known.
 * A process that called setsid(2) meant to outlive its caller and is left alone.
 */
function livingGroups(leader: number): number[] {
  if (process.platform === 'linux') {
    try {
      // Pids grow, so only processes younger than the leader are looked at, until they wrap around.
      const groups = scan(leader, leader);
      return groups.length === 0 && responds(leader) ? scan(leader, 1) : groups;
    } catch {
      // No /proc here: the group itself still answers.
    }
  }
  return responds(leader) ? [leader] : [];
}

/** True while anything of the command whose shell is `leader` runs. */
export function groupAlive(leader: number): boolean {
  return livingGroups(leader).length > 0;
}

function signalGroup(pgid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pgid, signal);
  } catch (error) {
    // EPERM: what is left of it runs as another user (sudo), and is not ours to end.
    const code = errnoOf(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Waits until nothing of the command runs, at most `limit` milliseconds; true when nothing does. */
export async function groupGone(leader: number, limit: number): Promise<boolean> {
  const until = performance.now() + limit;
  while (groupAlive(leader)) {
    if (performance.now() >= until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/**
 * Ends everything of a command we started: SIGTERM, then SIGKILL for what ignores it. Resolves with true when nothing of
 * it is left; with false when something cannot be ended (another user's process, one stuck in the kernel).
 */
export async function endGroup(leader: number): Promise<boolean> {
  if (process.platform === 'win32') {
    await new Promise<void>((resolve) => {
      const killer = spawn('taskkill', ['/T', '/F', '/PID', String(leader)], {
        stdio: 'ignore',
        windowsHide: true,
      });
      killer.on('exit', () => resolve());
      killer.on('error', () => resolve());
    });
    return true;
  }
  for (const group of livingGroups(leader)) signalGroup(group, 'SIGTERM');
  if (await groupGone(leader, GRACE_MS)) return true;
  const until = performance.now() + GRACE_MS;
  for (let groups = livingGroups(leader); groups.length > 0; groups = livingGroups(leader)) {
    if (performance.now() >= until) return false;
    // Again and again: what is being ended may still be starting processes.
    for (const group of groups) signalGroup(group, 'SIGKILL');
    await sleep(POLL_MS);
  }
  return true;
}
