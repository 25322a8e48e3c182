import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../support/processes.ts';

/** A process, as /proc has it. */
export interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** The processes with this home, which only one test's clients have. Linux only, as the clients' run is. */
export function processesOf(home: string): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): Process[] => {
      try {
        const env = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
        if (!env.includes(`HOME=${home}`)) return [];
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z' || state === 'X') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        // It ended meanwhile, or is another user's.
        return [];
      }
    });
}

/** Ends every process that a test's clients have left, until none is there. */
export async function endProcessesOf(home: string): Promise<void> {
  await until(`nothing runs with the home ${home}`, () => {
    const left = processesOf(home);
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        // It ended by itself meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    return left.length === 0;
  });
}
