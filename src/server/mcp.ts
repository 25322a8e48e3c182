import tools from 'virtual:manifest';
import {
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { VerbEvent } from '../contract/events.ts';
import { nearest } from '../engine/nearest.ts';
import { clientKind } from './client-kind.ts';
import { instructions } from './instructions.ts';
import { progressOf } from './progress.ts';
import { renderText } from './render.ts';
import { readResource, resources } from './resources.ts';
import type { Answer, CallRequest, Session } from './session.ts';
import { rootDirectories } from './spawn-root.ts';

/** How long a client may take to say its roots, in milliseconds. */
const ROOTS_TIMEOUT_MS = 3_000;

/**
 * The longest message a caller may send, in bytes; ours are short, and a `discern.toml` to check is at most 1 MiB. A longer
 * one ends its connection: reading it costs the SDK time by the square of its length, and everybody waits meanwhile.
 */
export const LONGEST_MESSAGE = 4 * 1024 * 1024;

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

const listed = tools.map(({ verb: _verb, ...tool }) => tool);

/** A tool's entry by its name; the bare verb is understood too. */
const toolNamed = (name: string) => tools.find((tool) => tool.name === name || tool.verb === name);

/**
 * Makes a server for one connection, of either protocol era, over a session that outlives it. `ending` aborts every call
 * when the process is about to end.
 */
export function serverFactory(
  session: Session,
  caller: CallRequest['caller'],
  ending: AbortSignal,
  inFlight: Set<Promise<unknown>>,
): McpServerFactory {
  return ({ era }) => {
    const server = new Server(
      { name: 'discern', title: 'Discern', version: DISCERN_VERSION },
      { capabilities: { tools: {}, resources: {} }, instructions },
    );

    const call = (
      verb: CallRequest['verb'],
      args: Record<string, unknown> | undefined,
      ctx: ServerContext,
    ) => {
      const answer = session.call({
        verb,
        args,
        signal: AbortSignal.any([ctx.mcpReq.signal, ending]),
        emit: reporter(ctx),
        client: clientKind(clientName(server, ctx)),
        askRoots: askRoots(),
        caller,
        conversation: conversationOf(ctx),
      });
      inFlight.add(answer);
      answer.finally(() => inFlight.delete(answer)).catch(() => undefined);
      return answer;
    };

    /** Asking is possible only of a 2025-era client that declares roots: the newer era has no such request. */
    const askRoots = () => {
      if (era !== 'legacy' || !server.getClientCapabilities()?.roots) return undefined;
      return async () =>
        rootDirectories((await server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS })).roots);
    };

    server.setRequestHandler('tools/list', () => ({ tools: listed as never }));
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const tool = toolNamed(params.name);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(params.name));
      return toolResult(await call(tool.verb, params.arguments, ctx));
    });
    server.setRequestHandler('resources/list', () => ({ resources }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
      const text = await readResource(uri, session, () => call('status', {}, ctx), askRoots());
      if (text === undefined) {
        throw new ResourceNotFoundError(
          uri,
          `There is no resource ${uri}; there are: ${resources.map((one) => one.uri).join(', ')}.`,
        );
      }
      const mimeType = uri.startsWith('discern://help/') ? 'text/markdown' : 'application/json';
      return { contents: [{ uri, mimeType, text }] };
    });
    return server;
  };
}

/** VS Code names the conversation that calls; other hosts leave it out, and the connection is the caller. */
function conversationOf(ctx: ServerContext): string | undefined {
  const id = (ctx.mcpReq._meta as Record<string, unknown> | undefined)?.['vscode.conversationId'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function toolResult({ envelope, held }: Answer) {
  return {
    content: [{ type: 'text' as const, text: renderText(envelope, held) }],
    structuredContent: { ...envelope },
    isError: !envelope.ok,
  };
}

function unknownTool(name: string): string {
  const names = tools.map((tool) => tool.name);
  const close = nearest(name, [...names, ...tools.map((tool) => tool.verb)]);
  const meant = close ? `; did you mean "${toolNamed(close)?.name}"?` : '.';
  return `There is no tool "${name}"${meant} There are: ${names.join(', ')}.`;
}

function clientName(server: Server, ctx: ServerContext): string | undefined {
  const envelope = ctx.mcpReq.envelope as Record<string, { name?: string } | undefined> | undefined;
  return envelope?.[CLIENT_INFO]?.name ?? server.getClientVersion()?.name;
}

/** Sends a call's events as progress, when the caller asked for it by a token. */
function reporter(ctx: ServerContext): (event: VerbEvent) => void {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  const toProgress = progressOf();
  return (event) => {
    const progress = toProgress(event);
    if (!progress || ctx.mcpReq.signal.aborted) return;
    // A caller that has gone away no longer wants to hear it.
    ctx.mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
      .catch(() => undefined);
  };
}
