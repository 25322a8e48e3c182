import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isIPv6 } from 'node:net';
import type { HttpOptions } from './options.ts';
import { Unusable } from './unusable.ts';

/** How long answers may take to reach their callers when the process ends, in milliseconds. */
const FLUSH_MS = 150;

/** Opens the socket; resolves with the URL. Throws {@link Unusable} where that cannot be. */
export async function listen(server: Server, { host, port, path }: HttpOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Unusable(inWords(error, { host, port }))),
    );
    server.listen({ host, port }, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${actual}${path}`;
}

function inWords(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: Pick<HttpOptions, 'host' | 'port'>,
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use by another process: end that one, or choose another with --port (0 takes any that is free).`;
    case 'EACCES':
      return `This user may not listen on port ${port} of ${host}: choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `"${host}" is not an address of this machine: name one with --host, such as 127.0.0.1 or ::1.`;
    default:
      return `Cannot listen on port ${port} of ${host}: ${message}`;
  }
}

/** Stops listening at once. What it resolves to, called once nothing is in flight any more, closes what is open still. */
export function stopListening(server: Server): () => Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  return async () => {
    // Answers that were just given are on their way; connections without one are only kept for a next request.
    const idle = setInterval(() => server.closeIdleConnections(), 10);
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref())]);
    clearInterval(idle);
    server.closeAllConnections();
  };
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
}
