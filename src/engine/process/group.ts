import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a group may take to end by itself after SIGTERM, in milliseconds. */
const GRACE_MS = 800;

/** True while any process of the group lives. */
export function groupAlive(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but became someone else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalGroup(pgid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pgid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Ends every process of a group we started: SIGTERM, then SIGKILL for what ignores it. Resolves when the group is gone
 * (or, for zombies nobody reaps, after the same time again).
 */
export async function endGroup(pgid: number): Promise<void> {
  if (process.platform === 'win32') {
    await new Promise<void>((resolve) => {
      const killer = spawn('taskkill', ['/T', '/F', '/PID', String(pgid)], {
        stdio: 'ignore',
        windowsHide: true,
      });
      killer.on('exit', () => resolve());
      killer.on('error', () => resolve());
    });
    return;
  }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(pgid, signal);
    for (let waited = 0; waited < GRACE_MS; waited += 20) {
      if (!groupAlive(pgid)) return;
      await sleep(20);
    }
  }
}
