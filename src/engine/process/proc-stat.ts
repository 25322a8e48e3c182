import { readFileSync } from 'node:fs';

/** The fields of `/proc/PID/stat` we decide from (proc(5)). */
export interface ProcStat {
  pid: number;
  parent: number;
  /** Process group. */
  group: number;
  session: number;
  /** When it began, in clock ticks since boot: tells a process from a later one with the same pid. */
  started: string;
}

/**
 * What Linux says of a process. `undefined` for one that is gone, for a zombie (it can do and hold nothing any more, and
 * where nobody reaps it, it stays), and on other platforms.
 */
export function procStat(pid: number): ProcStat | undefined {
  if (process.platform !== 'linux') return undefined;
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It ended between being listed and being read, or /proc hides it.
    return undefined;
  }
  // The program's name stands in parentheses and may hold anything, spaces and parentheses included.
  const rest = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = rest;
  if (state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: rest[19] ?? '',
  };
}
