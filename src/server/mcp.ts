import { createHash } from 'node:crypto';
import {
  type CallToolRequest,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { APP_URI } from '../contract/app.ts';
import type { VerbEvent } from '../contract/events.ts';
import type { Joining } from '../contract/joining.ts';
import { wholeAnswer } from '../contract/whole.ts';
import { nearest } from '../engine/words/nearest.ts';
import { appPage, appResource, declaredBy, showsApps, withApp } from './app.ts';
import { brief, paged } from './brief.ts';
import { clientKind } from './client-kind.ts';
import { asked, asking, consentOf, sealOf } from './consent.ts';
import { type FleetChanges, tellOfChanges } from './fleet-changes.ts';
import type { Life } from './life.ts';
import type { ToolEntry } from './manifest.ts';
import { progressOf } from './progress.ts';
import type { Prompts } from './prompts.ts';
import { renderText } from './render.ts';
import type { Resources } from './resources.ts';
import type { Answer, CallRequest } from './session.ts';
import { rootDirectories } from './spawn-root.ts';
import { withPlainErrors } from './wire/plain-words.ts';

/** How long a client may take to say its roots, in milliseconds. */
const ROOTS_TIMEOUT_MS = 3_000;

/** How often one call asks anew, because what it asked about has changed. */
const MOST_QUESTIONS = 8;

/** The longest id of a conversation that is kept as it is, in characters; VS Code's are of some forty. */
const LONGEST_ID = 256;

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

/** What a server made by {@link serverFactory} offers, and who answers its calls. `V` are the verbs of its tools. */
export interface Offer<V extends string> {
  tools: readonly ToolEntry<V>[];
  /** Tools that exist and that this server withholds: a call of one is refused by name. */
  withheld: readonly string[];
  resources: Resources;
  instructions: string;
  /** Answers one call. Entered in the order calls arrive; never rejects. */
  call: (request: CallRequest<V>) => Promise<Answer>;
  caller: CallRequest['caller'];
  /** Its prompts, which are about work: none where nothing may change. */
  prompts: Prompts | undefined;
  /** What questions to a person are sealed with: 32 bytes that every process has which may hear the answer. */
  sealKey: Uint8Array;
  /** What the client's own joiner said of it, on a window's socket. */
  joining?: Joining | undefined;
  life: Life;
  /** Who tells of changes of the fleet. */
  changes?: FleetChanges | undefined;
  /** Its servers have a connection each, on which they can tell something between requests. */
  connected: boolean;
}

/** The SDK's server, whose errors are sentences: it puts words and dumps of its schemas into some. */
class PlainServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    withPlainErrors(transport);
    await super.connect(transport);
  }
}

/** Makes servers, each for one connection or one request, of either protocol era, over an offer that outlives them. */
export function serverFactory<V extends string>(offer: Offer<V | 'status' | 'fleet'>): McpServerFactory {
  const { tools, resources, instructions, life, caller, prompts, joining, changes, connected } = offer;
  const listed = tools.map(({ verb: _verb, looking: _looking, remote: _remote, ...tool }) => tool);
  const listedWithApp = listed.map((tool, index) => withApp(tools[index]?.verb ?? '', tool));
  const seal = sealOf(offer.sealKey);
  return ({ era }) => {
    // Without a connection of its own a 2025-era client can be told nothing between its requests.
    const pushes = changes !== undefined && (era !== 'legacy' || connected);
    const server = new PlainServer(
      { name: 'discern', title: 'Discern', version: DISCERN_VERSION },
      {
        capabilities: {
          tools: {},
          resources: { ...(pushes && { subscribe: true }) },
          ...(prompts && { prompts: {} }),
        },
        instructions,
        requestState: { verify: seal.verify },
      },
    );

    const call = (
      verb: V | 'status' | 'fleet',
      args: Record<string, unknown> | undefined,
      ctx: ServerContext,
      consent?: CallRequest['consent'],
    ) =>
      life.follow(ctx.mcpReq.signal, (signal) =>
        offer.call({
          verb,
          args,
          signal,
          emit: reporter(ctx),
          client: clientKind(clientName(server, ctx)),
          askRoots: askRoots(),
          caller,
          consent: caller === 'person' ? 'given' : consent,
          conversation: conversationOf(ctx) ?? joining?.id,
          joining,
          meta: ctx.mcpReq._meta as Record<string, unknown> | undefined,
          exchange: exchangeOf(ctx),
        }),
      );

    /** Asking is possible only of a 2025-era client that declares roots: the newer era has no such request. */
    const askRoots = () => {
      if (era !== 'legacy' || !server.getClientCapabilities()?.roots) return undefined;
      return async () =>
        rootDirectories((await server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS })).roots);
    };

    const declared = (ctx: ServerContext) => declaredBy(ctx, server.getClientCapabilities());

    server.setRequestHandler('tools/list', (_request, ctx) => ({
      tools: (showsApps(declared(ctx)) ? listedWithApp : listed) as never,
    }));
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const tool = toolNamed(tools, params.name);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(offer, params.name));
      const client = clientKind(clientName(server, ctx));
      let consent = consentOf(ctx, declared(ctx), client);
      let answer = await call(tool.verb, params.arguments, ctx, consent);
      // What the word was about may change while a person thinks.
      for (let round = 0; consent.asks && era === 'legacy' && round < MOST_QUESTIONS; round++) {
        consent = await asked(consent.asks, server, ctx, client);
        answer = await call(tool.verb, params.arguments, ctx, consent);
      }
      return consent.asks && era !== 'legacy'
        ? await asking(consent.asks, seal, client)
        : toolResult(answer, params);
    });
    if (prompts) {
      server.setRequestHandler('prompts/list', () => ({ prompts: prompts.listed as never }));
      server.setRequestHandler('prompts/get', ({ params }) => prompts.get(params.name, params.arguments));
    }
    server.setRequestHandler('resources/list', (_request, ctx) => ({
      resources: [...resources.listed, ...(showsApps(declared(ctx)) ? [appResource] : [])],
    }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
      if (uri === APP_URI) return { contents: [await appPage()] };
      const text = await resources.read(uri, (verb) => call(verb, {}, ctx), askRoots());
      if (text === undefined) {
        throw new ResourceNotFoundError(
          uri,
          `There is no resource ${uri}; there are: ${resources.listed.map((one) => one.uri).join(', ')}.`,
        );
      }
      const mimeType = uri.startsWith('discern://help/') ? 'text/markdown' : 'application/json';
      return { contents: [{ uri, mimeType, text }] };
    });
    if (changes && connected) tellOfChanges(server, era, changes);
    return server;
  };
}

/** VS Code names the conversation that calls; other hosts leave it out, and the connection is the caller. */
function conversationOf(ctx: ServerContext): string | undefined {
  const id = (ctx.mcpReq._meta as Record<string, unknown> | undefined)?.['vscode.conversationId'];
  if (typeof id !== 'string' || id === '') return undefined;
  // Kept for each conversation, in memory and on disk; a longer one stands there by its digest, which no other shares.
  return id.length <= LONGEST_ID ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

/** Over HTTP: the session the client names and the request's id in it, by which a 2025-era client cancels. */
function exchangeOf({ mcpReq, http }: ServerContext): CallRequest['exchange'] {
  const session = http?.req?.headers.get('mcp-session-id');
  return session ? { session, id: mcpReq.id } : undefined;
}

/** Both parts of an answer, each of which stands alone: some clients give their model only the one, some only the other. */
function toolResult({ envelope, held }: Answer, { _meta: meta, arguments: args }: CallToolRequest['params']) {
  const page = paged(envelope, args?.cursor);
  return {
    content: [{ type: 'text' as const, text: renderText(page, held) }],
    structuredContent: { ...(meta?.[wholeAnswer] === true ? envelope : brief(page)) },
    isError: !envelope.ok,
  };
}

/** A tool's entry by its name; the bare verb is understood too. */
function toolNamed<V extends string>(tools: readonly ToolEntry<V>[], name: string) {
  return tools.find((tool) => tool.name === name || tool.verb === name);
}

function unknownTool<V extends string>({ tools, withheld }: Offer<V>, name: string): string {
  const names = tools.map((tool) => tool.name);
  const there = `There are: ${names.join(', ')}.`;
  if (withheld.some((one) => one === name || one === `discern_${name}`)) {
    return `This server was started with --read-only, which withholds "${name}". ${there}`;
  }
  const close = nearest(name, [...names, ...tools.map((tool) => tool.verb)]);
  const meant = close ? `; did you mean "${toolNamed(tools, close)?.name}"?` : '.';
  return `There is no tool "${name}"${meant} ${there}`;
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
