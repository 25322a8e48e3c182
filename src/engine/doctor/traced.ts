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
