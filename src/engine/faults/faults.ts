import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { exists } from '../files/files.ts';

/**
 * Named points between the effects of a lifecycle verb. A test sets DISCERN_FAULT_POINT to a name, and the process kills
 * itself there with SIGKILL, as a power cut would; elsewhere a point costs one comparison. `name=MS` waits there instead,
 * and `name@FILE` writes `FILE.reached` and waits until FILE is there, so that a test can act in between.
 */
export async function point(name: string): Promise<void> {
  const wanted = process.env.DISCERN_FAULT_POINT;
  if (wanted === undefined) return;
  if (wanted === name) process.kill(process.pid, 'SIGKILL');
  else if (wanted.startsWith(`${name}=`)) await sleep(Number(wanted.slice(name.length + 1)));
  else if (wanted.startsWith(`${name}@`)) await waitFor(wanted.slice(name.length + 1));
}

async function waitFor(file: string): Promise<void> {
  await writeFile(`${file}.reached`, '');
  while (!(await exists(file))) await sleep(20);
}
