import { errnoOf } from '../files/errno.ts';
import { procStat } from './proc-stat.ts';

/** True while a process of this number is there, be it another user's, or a zombie; of a negative one, a member of that group. */
export function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/**
 * True while the process is there that began at `born` (in clock ticks since boot), and not a later one of the same number, where
 * the system tells when it began.
 */
export function isThereSince(pid: number, born: unknown): boolean {
  if (!isThere(pid)) return false;
  const stat = procStat(pid);
  return stat === undefined || typeof born !== 'string' || stat.started === born;
}
