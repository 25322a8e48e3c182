import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Joining } from '../contract/joining.ts';
import { joiningOf } from './joined.ts';
import { LineTransport } from './wire/line-transport.ts';

/** The window socket: what a window's `attach.js` processes join, over the same held roots as everything else here. */
export interface WindowSocket {
  close(): Promise<void>;
}

/**
 * Serves MCP on a private socket or pipe. Each connection gets a server of its own from `factory`; a connection that closes
 * takes only its own calls along. On POSIX the caller puts the socket into a directory only this user can enter; a socket
 * left behind by a server that was killed is replaced; rejects where anything else has that name, which stays.
 */
export function serveWindowSocket(
  address: string,
  factory: (joining: Joining | undefined) => McpServerFactory,
  onError: (error: Error) => void,
  /** Hears of each connection once it is served. */
  onServed: (transport: LineTransport) => void,
): Promise<WindowSocket> {
  const open = new Map<Socket, StdioServerHandle | undefined>();
  const server = createServer((socket) => {
    socket.on('error', onError);
    socket.on('close', () => open.delete(socket));
    open.set(socket, undefined);
    joiningOf(socket).then((joining) => {
      if (socket.destroyed) return;
      const transport = new LineTransport(socket, socket);
      open.set(socket, serveStdio(factory(joining), { transport, onerror: onError }));
      onServed(transport);
    }, onError);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (process.platform !== 'win32') makeRoom(address);
    server.listen(address, () => {
      if (process.platform !== 'win32') chmodSync(address, 0o600);
      server.off('error', reject);
      server.on('error', onError);
      resolve({ close: () => closeAll(server, open) });
    });
  });
}

/** Removes the socket of an earlier server, and nothing that is no socket. */
function makeRoom(address: string): void {
  const found = lstatSync(address, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket())
    throw new Error(
      `${address} is there and no socket: name another file with --socket, or move that one away.`,
    );
  rmSync(address, { force: true });
}

async function closeAll(server: Server, open: Map<Socket, StdioServerHandle | undefined>): Promise<void> {
  for (const [socket, handle] of open) {
    await handle?.close();
    socket.destroy();
  }
  // Closing also removes the socket's file.
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
