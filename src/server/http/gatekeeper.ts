import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { WrongSecrets } from './bounds.ts';
import { isLoopback } from './listening.ts';
import type { HttpOptions } from './options.ts';

/** Answers a request that may not pass and resolves to false; true leaves it to whoever comes next. */
export type Gatekeeper = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * Who may come in (contract §9), in this order: a request for a name that is ours, from a page that may ask, for the one path
 * there is, with the secret, which may not be guessed at without end. No OAuth metadata is offered, nor hinted at in the challenge: a client that found some would begin
 * a flow that leads nowhere, instead of sending the secret it was given.
 */
export function gatekeeper({
  host: own,
  path,
  token,
  allowedHosts,
  allowedOrigins,
}: HttpOptions): Gatekeeper {
  // What it listens on is what its URL says, also where that is another address of loopback.
  const hosts = [...localhostAllowedHostnames(), ...(isLoopback(own) ? [own] : []), ...allowedHosts];
  const wrong = new WrongSecrets();
  const originNames = [...localhostAllowedOrigins(), ...allowedOrigins.names];
  const wanted = digest(token);
  return (req, res) => {
    const host = validateHostHeader(req.headers.host, hosts);
    if (!host.ok) {
      return refuse(
        res,
        403,
        `${host.message}. This server answers to localhost, and to the names given with --allowed-hosts.`,
      );
    }
    const { origin } = req.headers;
    const from = validateOriginHeader(origin, originNames);
    if (!from.ok && !allowedOrigins.exact.has(origin ?? '')) {
      return refuse(
        res,
        403,
        `${from.message}. Pages on localhost may call, and the origins given with --allowed-origins.`,
      );
    }
    if (origin) allowPage(res, origin);
    if (req.url?.split('?', 1)[0] !== path)
      return refuse(res, 404, `There is nothing here; MCP is at ${path}.`);
    if (req.method === 'OPTIONS' && origin) {
      res.writeHead(204, { 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Max-Age': '600' }).end();
      return false;
    }
    const address = req.socket.remoteAddress ?? '';
    const wait = wrong.waitOf(address);
    if (wait > 0) {
      res.setHeader('Retry-After', String(wait));
      return refuse(res, 429, `Too many wrong secrets came from ${address}: wait ${wait} seconds.`);
    }
    if (!isSecret(req.headers.authorization, wanted)) {
      wrong.add(address);
      res.setHeader('WWW-Authenticate', 'Bearer');
      return refuse(res, 401, 'Send the secret of this server as "Authorization: Bearer".');
    }
    return true;
  };
}

/** Answers and hangs up: a body that nobody reads is not waited for. */
function refuse(res: ServerResponse, status: number, message: string): false {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  res
    .writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
    .end(JSON.stringify(body));
  return false;
}

/** Lets a page of an allowed origin send the headers MCP needs and read the answer (CORS). */
function allowPage(res: ServerResponse, origin: string): void {
  const headers = [
    ...['Authorization', 'Content-Type', 'Accept', 'Last-Event-ID'],
    ...['Mcp-Session-Id', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  ];
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Allow-Headers', headers.join(', '));
  res.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
  res.setHeader('Vary', 'Origin');
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compares digests, which are of one length, in a time that says nothing of where two secrets differ. */
function isSecret(authorization: string | undefined, wanted: Buffer): boolean {
  const [, given] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(digest(given ?? ''), wanted);
}
