import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Verb } from '../../contract/verbs.ts';
import { currentDirectory } from '../current-directory.ts';
import type { Flags } from '../flags.ts';
import { asksToListen, FLEET_URI, FleetChanges } from '../fleet-changes.ts';
import { instructions } from '../instructions.ts';
import { complain, Life, onEndingSignal } from '../life.ts';
import type { ToolEntry } from '../manifest.ts';
import { serverFactory } from '../mcp.ts';
import { remotePrompts } from '../prompts.ts';
import { remoteResources } from '../resources.ts';
import { offeredTools, withheldFrom } from '../tools.ts';
import { LONGEST_MESSAGE } from '../wire/message.ts';
import { accepting } from './accepting.ts';
import { accessLog } from './access-log.ts';
import { messageOf } from './body.ts';
import { MOST_CONNECTIONS } from './bounds.ts';
import { namingSessions, withCancelling } from './cancelling.ts';
import { gatekeeper } from './gatekeeper.ts';
import { LaunchRoots } from './launch-roots.ts';
import { isLoopback, listen, stopListening } from './listening.ts';
import { type HttpOptions, httpOptions } from './options.ts';
import { RemoteCalls } from './remote-calls.ts';
import { remoteTools } from './tools.ts';
import { Unusable } from './unusable.ts';

/**
 * Serves Streamable HTTP until a signal ends the process. Resolves with the exit code: 2, before there is a socket, when it
 * cannot be served as it was asked for.
 */
export async function serveHttp(flags: Flags, tools: readonly ToolEntry[]): Promise<number> {
  process.stderr.on('error', () => undefined);
  try {
    const options = httpOptions(flags, process.env);
    // From here on no process this one starts can read it, whoever makes its environment.
    delete process.env.DISCERN_MCP_TOKEN;
    return await serve(options, flags, tools);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    complain(error);
    return 2;
  }
}

async function serve(options: HttpOptions, flags: Flags, tools: readonly ToolEntry[]): Promise<number> {
  const readOnly = flags['read-only'] === true;
  const life = new Life();
  const launch = new LaunchRoots({
    flags: flags.root ?? flags.project ?? [],
    env: process.env,
    cwd: currentDirectory(),
  });
  const calls = new RemoteCalls(launch, { lookOnly: readOnly, anyProject: options.anyProject });
  const changes = new FleetChanges(calls.bounds);
  const all = remoteTools(tools);
  const offered = offeredTools(all, readOnly);
  const factory = serverFactory<Verb>({
    tools: offered,
    withheld: withheldFrom(all, offered),
    resources: remoteResources,
    instructions: instructions.remote[readOnly ? 'looking' : 'all'],
    prompts: readOnly ? undefined : remotePrompts,
    // The same in every process that serves with this secret: any of them may be asked next.
    sealKey: createHash('sha256').update(`requestState\0${options.token}`).digest(),
    call: (request) => calls.call(request),
    caller: 'agent',
    life,
    changes,
    connected: false,
  });
  const handler = createMcpHandler(withCancelling(factory, calls), {
    // A gate may take longer than a client waits for the first byte of an answer.
    responseMode: 'sse',
    maxRequestBodySize: LONGEST_MESSAGE,
    onerror: complain,
  });
  changes.listen(() => handler.notify.resourceUpdated(FLEET_URI));
  const handle = toNodeHandler(accepting(namingSessions(handler)), {
    maxRequestBodySize: LONGEST_MESSAGE,
    onerror: complain,
  });
  const mayPass = gatekeeper(options);
  const log = options.accessLog
    ? accessLog((line) => process.stderr.write(`discern mcp: ${line}\n`))
    : undefined;
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    const entry = log?.(req, res);
    if (!mayPass(req, res)) return;
    // The adapter's type and Node's differ in what exactOptionalPropertyTypes makes of `method?`.
    const request = req as Parameters<typeof handle>[0];
    if (req.method !== 'POST') return handle(request, res);
    const message = await messageOf(req, res);
    if (message === undefined) return;
    entry?.calls(message);
    if (asksToListen(message)) changes.start().catch(complain);
    await handle(request, res, message);
  };
  const server = createServer(bounded(options), (req, res) => {
    // One whose body does not arrive is over.
    answer(req, res).catch((error) => (req.complete ? complain(error) : res.destroy()));
  });
  server.maxConnections = MOST_CONNECTIONS;
  const url = await listen(server, options);
  server.on('error', complain);
  const ended = new Promise<void>((resolve) => {
    onEndingSignal(resolve);
    if (flags['until-stdin-ends']) onStdinEnd(resolve);
  });
  announce(url, options);
  // Taken as they are now, so that one that vanishes can be found again.
  launch.now().catch(complain);
  await ended;
  const close = stopListening(server);
  changes.end();
  await life.end();
  await handler.close();
  await close();
  return 0;
}

/** Calls `end` when nobody holds the other end of stdin any more. What comes in on it is nothing. */
function onStdinEnd(end: () => void): void {
  for (const event of ['end', 'close', 'error'] as const) process.stdin.once(event, end);
  process.stdin.resume();
}

/** How long a request may take to arrive: its headers a third of it. Both are looked after every half second. */
const bounded = ({ requestTimeout }: HttpOptions): ServerOptions => ({
  requestTimeout,
  headersTimeout: Math.ceil(requestTimeout / 3),
  connectionsCheckingInterval: 500,
});

function announce(url: string, { host, allowedHosts }: HttpOptions): void {
  process.stderr.write(`discern mcp: serving ${url}\n`);
  if (isLoopback(host)) return;
  process.stderr.write(
    `discern mcp: ${host} is reached from other machines, and this is plain HTTP: put TLS in front of it\n`,
  );
  if (allowedHosts.length > 0) return;
  process.stderr.write(
    'discern mcp: only requests for localhost are answered: name with --allowed-hosts what clients call this machine\n',
  );
}
