import type { Socket } from 'node:net';
import { isAbsolute } from 'node:path';
import { type Joining, joiningNames, joiningStart } from '../contract/joining.ts';
import { isObject } from '../contract/values.ts';

/** The longest first line that is read, in bytes. */
const MOST_BYTES = 64 * 1024;

/**
 * Reads what a joiner says first on a connection, and leaves everything behind it, or everything where it says no such thing, to
 * whoever reads next. Resolves once either is certain, or the connection has ended.
 */
export function joiningOf(socket: Socket): Promise<Joining | undefined> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    const settle = (joining: Joining | undefined, rest: Buffer) => {
      socket.off('readable', look);
      socket.off('end', ended);
      socket.off('close', ended);
      if (rest.length > 0 && !socket.destroyed) socket.unshift(rest);
      resolve(joining);
    };
    const ended = () => settle(undefined, seen);
    const look = () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      seen = Buffer.concat([seen, chunk]);
      const begins = seen.subarray(0, joiningStart.length).toString('latin1');
      const end = seen.indexOf(0x0a);
      if (!joiningStart.startsWith(begins)) settle(undefined, seen);
      else if (end !== -1) settle(parsed(seen.toString('utf8', 0, end)), seen.subarray(end + 1));
      else if (seen.length > MOST_BYTES) settle(undefined, seen);
    };
    socket.on('readable', look);
    socket.once('end', ended);
    socket.once('close', ended);
  });
}

/** What a line says, as far as it is what it has to be. */
function parsed(line: string): Joining | undefined {
  let value: Partial<Joining>;
  try {
    value = JSON.parse(line) as Partial<Joining>;
  } catch {
    // It began like one and is none: there is nobody to answer.
    return undefined;
  }
  const { discern, id, launch, parent, env } = value;
  if (discern !== 1 || typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) return undefined;
  const named = isObject(env) ? env : {};
  const known = joiningNames.flatMap((name) => {
    const one = named[name];
    return typeof one === 'string' && one.length <= 4096 && !one.includes('\0') ? [[name, one]] : [];
  });
  const place = typeof launch === 'string' && isAbsolute(launch) && !launch.includes('\0');
  return {
    discern: 1,
    id,
    ...(place && { launch }),
    parent: Number.isSafeInteger(parent) ? Number(parent) : 0,
    env: Object.fromEntries(known),
  };
}
