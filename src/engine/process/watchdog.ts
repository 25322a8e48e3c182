import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends process groups whose owner died. A server killed with SIGKILL runs no handler, so a second, tiny process holds
 * the other end of a pipe: it is told of each group (`+ PGID`, `- PGID`), and when the pipe closes, for whatever
 * reason, it ends the groups that are left. It sits in a session of its own, so that ending ours by group spares it.
 */
const posix = `
trap '' HUP INT TERM
groups=
while read -r op id; do
  if [ "$op" = + ]; then groups="$groups $id"
  else
    kept=
    for g in $groups; do [ "$g" = "$id" ] || kept="$kept $g"; done
    groups=$kept
  fi
done
[ -n "$groups" ] || exit 0
for g in $groups; do kill -TERM -"$g" 2>/dev/null; done
sleep 0.5
for g in $groups; do kill -KILL -"$g" 2>/dev/null; done
exit 0
`;

/** Windows has no process groups: trees are ended by \`taskkill /T\`, which walks parent ids. */
const windows = `
const ids = new Set();
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const [op, id] = line.split(' ');
    if (op === '+') ids.add(id); else ids.delete(id);
  }
});
process.stdin.on('end', () => {
  const { spawnSync } = require('node:child_process');
  for (const id of ids) spawnSync('taskkill', ['/T', '/F', '/PID', id], { windowsHide: true });
});
`;

let running: ChildProcess | undefined;

function watchdog(): ChildProcess {
  if (running) return running;
  const child =
    process.platform === 'win32'
      ? spawn(process.execPath, ['-e', windows], {
          stdio: ['pipe', 'ignore', 'ignore'],
          detached: true,
          windowsHide: true,
          env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
        })
      : spawn('/bin/sh', ['-c', posix], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // It must not keep us alive: when we are done, our end closes and it leaves.
  child.unref();
  (child.stdin as unknown as { unref?: () => void }).unref?.();
  child.on('exit', () => {
    if (running === child) running = undefined;
  });
  child.on('error', () => {
    if (running === child) running = undefined;
  });
  child.stdin?.on('error', () => undefined);
  running = child;
  return child;
}

/** Puts a group under watch; resolves when the watchdog's pipe has it. */
export function watchGroup(pgid: number): Promise<void> {
  return new Promise((resolve) => {
    watchdog().stdin?.write(`+ ${pgid}\n`, () => resolve());
  });
}

/** Takes a group off the watch, once nothing of it is left. */
export function unwatchGroup(pgid: number): void {
  running?.stdin?.write(`- ${pgid}\n`);
}
