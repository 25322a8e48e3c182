import { randomUUID } from 'node:crypto';
import type { McpHttpHandler, McpServerFactory, Server } from '@modelcontextprotocol/server';
import type { RemoteCalls } from './remote-calls.ts';

/*
 * A 2026-era client cancels a call by closing its stream. A 2025-era client says so in a request of its own, which names the
 * call by an id that is only its own, so a server that keeps no sessions could not tell whose it is. Therefore each of them is
 * given a session id, which nothing is kept under: it says whose ids those are, and a server that was started anew takes it too.
 */

/** A factory whose 2025-era servers hear that a call over another connection is cancelled. */
export function withCancelling(factory: McpServerFactory, calls: RemoteCalls): McpServerFactory {
  return async (context) => {
    const server = (await factory(context)) as Server;
    const session = context.requestInfo?.headers.get('mcp-session-id');
    if (context.era === 'legacy' && session) {
      server.setNotificationHandler('notifications/cancelled', ({ params: { requestId } }) => {
        if (requestId !== undefined) calls.cancel({ session, id: requestId });
      });
    }
    return server;
  };
}

/** Gives a 2025-era client its session id with the first answer. Only its first request says nothing of a version. */
export function namingSessions(handler: McpHttpHandler): Pick<McpHttpHandler, 'fetch'> {
  return {
    async fetch(request, options) {
      const response = await handler.fetch(request, options);
      const { headers } = request;
      if (response.ok && !headers.has('mcp-session-id') && !headers.has('mcp-protocol-version')) {
        response.headers.set('Mcp-Session-Id', randomUUID());
      }
      return response;
    },
  };
}
