import { resolve } from 'node:path';

/** A file a line of strace(1) is about. */
export interface Opened {
  path: string;
  how: 'read' | 'written';
}

/**
 * The file one line of strace(1) says was opened, as `-y` shows it behind the descriptor, or a program that was started;
 * `undefined` for any other line, and for a directory. What was opened to be made or emptied counts as written.
 */
export function openedIn(line: string): Opened | undefined {
  const started = /^execve\("((?:[^"\\]|\\.)*)".* = 0$/.exec(line)?.[1];
  if (started !== undefined) return { path: unescaped(started), how: 'read' };
  const [, call = '', path] = /^(open(?:at2?)?\(.*)\) += \d+<(.*)>(?: \(deleted\))?$/.exec(line) ?? [];
  if (path === undefined || /\bO_DIRECTORY\b/.test(call)) return undefined;
  return { path: unescaped(path), how: /\bO_(?:WRONLY|CREAT|TRUNC)\b/.test(call) ? 'written' : 'read' };
}

/** What one line of strace(1) says that a relative name depends on. */
export type Move = { to: string } | { child: string };

/** Where a process went, or the process it started; `undefined` for any other line. */
export function moveIn(line: string): Move | undefined {
  const to = /^(?:chdir\("|fchdir\(\d+<)((?:[^"\\]|\\.)*?)(?:"|>)\) += 0$/.exec(line)?.[1];
  if (to !== undefined) return { to: unescaped(to) };
  const child = /^(?:clone3?|v?fork)\(.*\) += (\d+)$/.exec(line)?.[1];
  return child === undefined ? undefined : { child };
}

/** What a process did that matters here, in its order: programs it started by a relative name, and moves. */
export type Did = Move | { started: string };

/** The absolute names of the programs that were started by a relative one, each from where its process was then. */
export function startedIn(processes: ReadonlyMap<string, readonly Did[]>, root: string): string[] {
  const children = new Set(
    [...processes.values()].flat().flatMap((one) => ('child' in one ? one.child : [])),
  );
  const ahead = [...processes.keys()].filter((pid) => !children.has(pid)).map((pid) => ({ pid, cwd: root }));
  const seen = new Set<string>();
  const found: string[] = [];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    let { cwd } = next;
    if (seen.has(next.pid)) continue;
    seen.add(next.pid);
    for (const did of processes.get(next.pid) ?? []) {
      if ('to' in did) cwd = resolve(cwd, did.to);
      else if ('child' in did) ahead.push({ pid: did.child, cwd });
      else found.push(resolve(cwd, did.started));
    }
  }
  return found;
}

const named: Record<string, number> = { n: 10, t: 9, r: 13, v: 11, f: 12, a: 7, b: 8 };

/** A name as strace prints it: bytes that are no ASCII in octal, the rest as C has it. */
function unescaped(text: string): string {
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of text.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(named[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(plain ?? ''));
  }
  return Buffer.from(bytes).toString('utf8');
}
