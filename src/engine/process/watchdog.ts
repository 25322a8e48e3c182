import { type ChildProcess, spawn } from 'node:child_process';
import { scrubbedEnv } from './env.ts';

/**
 * Ends process groups whose owner died. A server killed with SIGKILL runs no handler, so a second, tiny process holds
 * the other end of a pipe: it is told of each group (`+ PGID`, `- PGID`), and when the pipe closes, for whatever
 * reason, it ends the groups that are left, with all groups of the sessions they lead where /proc tells (proc(5); see
 * `livingGroups`). It sits in a session of its own, so that ending ours by group spares it.
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
end() {
  signal=$1
  for g in $groups; do kill -"$signal" -"$g" 2>/dev/null; done
  for file in /proc/[0-9]*/stat; do
    { read -r line < "$file"; } 2>/dev/null || continue
    set -- \${line##*) }
    case " $groups " in *" $4 "*) kill -"$signal" -"$3" 2>/dev/null;; esac
  done
}
end TERM
sleep 0.5
end KILL
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

/** The groups under watch, so that a watchdog that was itself killed can be replaced by one that knows them. */
const watched = new Set<number>();
let running: ChildProcess | undefined;

function startWatchdog(): ChildProcess {
  const common = { detached: true, windowsHide: true, cwd: '/', env: scrubbedEnv() };
  const child =
    process.platform === 'win32'
      ? spawn(process.execPath, ['-e', windows], {
          ...common,
          stdio: ['pipe', 'ignore', 'ignore'],
          env: { ...common.env, ELECTRON_RUN_AS_NODE: '1' },
        })
      : spawn('/bin/sh', ['-c', posix], { ...common, stdio: ['pipe', 'ignore', 'ignore'] });
  // It must not keep us alive: when we are done, our end closes and it leaves.
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  child.on('exit', (_code, killedBy) => {
    if (running === child) running = undefined;
    // A shell that leaves by itself would only do so again.
    if (killedBy && watched.size > 0) watchdog();
  });
  child.on('error', () => {
    if (running === child) running = undefined;
  });
  child.stdin?.on('error', () => undefined);
  running = child;
  for (const pgid of watched) child.stdin?.write(`+ ${pgid}\n`);
  return child;
}

const watchdog = () => running ?? startWatchdog();

/**
 * Puts a group under watch; resolves when the watchdog's pipe has it. Where no watchdog can be started (no process or file
 * descriptor is left) it resolves too: the command runs, only less guarded.
 */
export async function watchGroup(pgid: number): Promise<void> {
  watched.add(pgid);
  let stdin: ChildProcess['stdin'];
  try {
    stdin = watchdog().stdin;
  } catch {
    return;
  }
  // A watchdog just started has been told already; telling it twice does no harm.
  await new Promise<void>((resolve) => {
    if (stdin) stdin.write(`+ ${pgid}\n`, () => resolve());
    else resolve();
  });
}

/** Takes a group off the watch, once nothing of it is left. */
export function unwatchGroup(pgid: number): void {
  watched.delete(pgid);
  running?.stdin?.write(`- ${pgid}\n`);
}
