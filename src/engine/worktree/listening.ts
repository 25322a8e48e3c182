import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { errnoOf } from '../files/errno.ts';
import { orWhenAbsent } from '../files/files.ts';

/** Where a server for one's own browser listens. */
const LOOPBACK = ['127.0.0.1', '::1'];

/** How long a connection within one machine may take, in milliseconds: some systems try a closed port again for seconds. */
const CONNECTING_MS = 250;

/**
 * True when a server could listen on a port of the loopback addresses now. Asked by listening there for an instant, so only of a
 * port that is not given to anyone: a server that starts in that instant would be turned away.
 */
export async function isFree(port: number): Promise<boolean> {
  for (const host of LOOPBACK) if (await isTaken(port, host)) return false;
  // Elsewhere one may listen on a loopback address where another listens on all addresses.
  return process.platform === 'linux' || !(await answers(port));
}

function isTaken(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error) => {
      const code = errnoOf(error);
      // Windows keeps ranges of ports for itself. Whatever else fails (no IPv6, a sandbox) says nothing of the port.
      resolve(code === 'EADDRINUSE' || (code === 'EACCES' && process.platform === 'win32'));
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(false)));
  });
}

/** Those of the ports on which something listens on this machine. Takes none of them, not even for an instant. */
export async function listeningOn(ports: readonly number[]): Promise<Set<number>> {
  if (ports.length === 0) return new Set();
  const told = process.platform === 'linux' ? await toldByKernel() : undefined;
  if (told) return new Set(ports.filter((port) => told.has(port)));
  const found = await Promise.all(ports.map(async (port) => ((await answers(port)) ? [port] : [])));
  return new Set(found.flat());
}

/** `undefined` where the kernel shows no such list, as in some sandboxes. */
async function toldByKernel(): Promise<Set<number> | undefined> {
  const texts = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) =>
      readFile(path, 'latin1').catch(orWhenAbsent(undefined)),
    ),
  );
  if (texts[0] === undefined) return undefined;
  return new Set(texts.flatMap((text) => parseListening(text ?? '')));
}

/** The ports in state LISTEN of a `/proc/net/tcp` text (proc(5)): its second field is address:port, its fourth the state, in hex. */
export function parseListening(text: string): number[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [, port] = /^[0-9A-F]+:([0-9A-F]{4})$/.exec(local) ?? [];
    return state === '0A' && port !== undefined ? [Number.parseInt(port, 16)] : [];
  });
}

async function answers(port: number): Promise<boolean> {
  const each = await Promise.all(LOOPBACK.map((host) => connects(port, host)));
  return each.includes(true);
}

function connects(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: CONNECTING_MS });
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
