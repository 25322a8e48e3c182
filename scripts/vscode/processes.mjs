// What runs on this machine, from /proc: the workbench's browser is for Linux alone.
import { readdirSync, readFileSync } from 'node:fs';

/** A process's arguments and parent, or `undefined` when it has ended. */
function processOf(pid) {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    // The name in parentheses may hold anything; what follows the last one is plain.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { pid, parent: Number(parent), args };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
    throw error;
  }
}

/** Every process that runs now. */
export const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processOf(Number(name)))
    .filter((one) => one !== undefined);

export const isAlive = (pid) => processOf(pid) !== undefined;

/** A process and all that it started, directly or not, as far as the parents in between still live. */
export function tree(pid) {
  const all = processes();
  const found = all.filter((one) => one.pid === pid);
  for (const one of found) found.push(...all.filter((child) => child.parent === one.pid));
  return found;
}

/** Discern's servers below a process, each with the extension host it is a child of. */
export function serversUnder(pid) {
  const all = tree(pid);
  return all
    .filter(({ args }) => args.some((arg) => arg.endsWith('/dist/server.js')))
    .map(({ pid, parent, args }) => {
      const value = (option) => args[args.indexOf(option) + 1];
      const host = all.find((one) => one.pid === parent);
      return {
        pid,
        host: parent,
        /** The file it runs. */
        program: args.find((arg) => arg.endsWith('/dist/server.js')),
        inExtensionHost: host?.args.includes('--type=extensionHost') === true,
        root: value('--root'),
        socket: value('--socket'),
        state: value('--state'),
      };
    });
}
