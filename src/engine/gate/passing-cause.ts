import type { Diagnostic, Step } from '../../contract/envelope.ts';
import { readWindow } from '../diagnostics/window.ts';

/** How much of the end of a job's output is searched, in characters: what ends a job is said last. */
const MOST_SEARCHED = 16 * 1024;

/** How a machine that has no room says so, whoever prints it (errno(3): ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE). */
const noRoom =
  /No space left on device|Disk quota exceeded|Cannot allocate memory|Too many open files|\b(?:ENOSPC|EDQUOT|ENOMEM|EMFILE|ENFILE)\b/i;

/** The signals that somebody else sends: a job that crashes ends by another one (signal(7)). */
const fromOutside = /It was ended by the signal (SIGKILL|SIGTERM|SIGINT|SIGHUP|SIGQUIT|SIGXCPU)\b/;

/** How a shell tells that of what it ran: 128 and the number of the signal (sh(1)). */
const codesFromOutside = new Map([
  [129, 'SIGHUP'],
  [130, 'SIGINT'],
  [137, 'SIGKILL'],
  [143, 'SIGTERM'],
]);

/**
 * Why a failed run of jobs says nothing of the work that was judged, as a clause: a full disk, a job that somebody or the system killed, a
 * time limit on a busy machine. `undefined` where at least one job failed for another reason.
 */
export async function passingCause(
  steps: readonly Step[],
  diagnostics: readonly Diagnostic[],
): Promise<string | undefined> {
  const bad = steps.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed_out');
  const causes = await Promise.all(bad.map((step) => causeOf(step, diagnostics)));
  return causes.some((cause) => cause === undefined) ? undefined : causes[0];
}

async function causeOf(step: Step, diagnostics: readonly Diagnostic[]): Promise<string | undefined> {
  const { name, outcome, exit_code: code, output_path: path } = step;
  if (outcome === 'timed_out') return `${name} ran out of time`;
  const found = diagnostics.filter((one) => path !== undefined && one.output_path === path);
  const said = found.map(({ message }) => message).join('\n');
  const killed = fromOutside.exec(said)?.[1] ?? codesFromOutside.get(code ?? 0);
  if (killed !== undefined) return `${name} was ended by ${killed}`;
  const printed = path === undefined ? '' : (await readWindow(path, true)).text;
  const room = noRoom.exec(`${said}\n${printed.slice(-MOST_SEARCHED)}`)?.[0];
  return room === undefined ? undefined : `${name} said "${room}"`;
}
