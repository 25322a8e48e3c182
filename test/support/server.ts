import { join } from 'node:path';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Envelope } from '../../src/contract/envelope.ts';
import { gitEnv, slotsEnv } from './project.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

/** The built server. */
export const serverFile = join(process.env.DISCERN_DIST ?? join(DISCERN_HOME, 'dist'), 'server.js');

/** Arguments without which a tool refuses before it looks at anything else. */
export const requiredArguments: Record<string, Record<string, unknown>> = {
  discern_await: { until: 'landed' },
  discern_commit: { message: 'm' },
  discern_explain: { job: 'x' },
  discern_recollect: { session: 'x' },
  discern_verify: { commit: 'x' },
  discern_drop: { worktree: 'x', delete_branch: false },
  discern_phase: { worktree: 'x' },
  discern_peek: { worktree: 'x' },
  discern_todo: { worktree: 'x' },
  discern_describe: { worktree: 'x' },
  discern_park: { worktree: 'x' },
  discern_unpark: { worktree: 'x' },
  discern_ticket: { action: 'attach', worktree: 'x', ref: '1' },
  discern_launch: { client: 'claude', worktree: 'x' },
  discern_message: { worktree: 'x', text: 't' },
  discern_remap: { worktree: 'x', session: '' },
};

/** True of a tool that refuses these arguments even where it only looks: they name nothing. */
export const namesNothing = (tool: string): boolean => tool in requiredArguments;

export interface ToolAnswer {
  envelope: Envelope & { data: Record<string, unknown> };
  text: string;
  isError: boolean;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (message: string, progress: number) => void;
  /** What the request carries beside its arguments. */
  meta?: Record<string, unknown>;
}

/** One MCP connection to a real server process. */
export interface Connection {
  pid: number;
  call(tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  tools(): Promise<{ name: string; inputSchema: unknown; outputSchema?: unknown; annotations?: unknown }[]>;
  resource(uri: string): Promise<unknown>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

/** What a person says to a question, as the protocol has it. */
export type Elicit = (
  question: string,
) => Promise<{ action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }>;

export interface ConnectOptions {
  args?: string[];
  cwd?: string;
  env?: Record<string, string>;
  /** What the client calls itself. */
  name?: string;
  /** Answers the server's questions to the person; a client without it cannot ask. */
  elicit?: Elicit;
  /** Directories the client declares as MCP roots (1.x client). */
  roots?: string[];
}

/** The clients hosts run today, and the newest. */
export const clients = ['SDK 1.x', 'SDK 2.x, legacy', 'SDK 2.x, 2026-07-28'] as const;
export type ClientName = (typeof clients)[number];

/** This process's environment without anything that aims a server, and with `extra`. */
export const environment = (extra: Record<string, string> = {}) => {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    // Nor may where this test's own agent stands be taken for where its client does.
    const aims = /^(DISCERN_.*|WORKSPACE_FOLDER_PATHS|CLAUDE.*|COPILOT_.*|CODEX_.*)$/.test(name);
    if (value !== undefined && !aims) clean[name] = value;
  }
  return { ...clean, ...gitEnv, ...slotsEnv, ...extra };
};

const answer = (result: unknown): ToolAnswer => {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text: string }[];
    structuredContent: ToolAnswer['envelope'];
    isError?: boolean;
  };
  return { envelope: structuredContent, text: content[0]?.text ?? '', isError: isError === true };
};

/** Spawns the built server and connects to it as one of {@link clients}. */
export async function connect(
  options: ConnectOptions = {},
  client: ClientName = 'SDK 1.x',
): Promise<Connection> {
  const parameters = {
    command: process.execPath,
    args: [serverFile, ...(options.args ?? [])],
    env: environment(options.env),
    cwd: options.cwd ?? '/',
    stderr: 'inherit' as const,
  };
  const info = { name: options.name ?? 'test', version: '1.0.0' };
  return client === 'SDK 1.x'
    ? connectOld(parameters, info, options)
    : connectNew(parameters, info, client, options);
}

type Spawning = ConstructorParameters<typeof OldTransport>[0];

async function connectOld(
  parameters: Spawning,
  info: { name: string; version: string },
  options: ConnectOptions,
): Promise<Connection> {
  const transport = new OldTransport(parameters);
  const connection = await overOld(transport, info, options.roots, options.elicit);
  return { ...connection, pid: transport.pid ?? -1 };
}

async function connectNew(
  parameters: Spawning,
  info: { name: string; version: string },
  kind: ClientName,
  options: ConnectOptions,
): Promise<Connection> {
  const transport = new NewTransport(parameters);
  const connection = await overNew(transport, info, kind, options.elicit);
  return { ...connection, pid: transport.pid ?? -1 };
}

/** Connects SDK 1.x over a transport of its own. */
export async function overOld(
  transport: Parameters<OldClient['connect']>[0],
  info: { name: string; version: string },
  roots?: string[],
  elicit?: Elicit,
): Promise<Omit<Connection, 'pid'>> {
  const client = new OldClient(info, {
    capabilities: { ...(roots && { roots: {} }), ...(elicit && { elicitation: {} }) },
  });
  if (elicit) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
      content: {},
      ...(await elicit(params.message)),
    }));
  }
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((path) => ({ uri: `file://${path}` })),
    }));
  }
  await client.connect(transport);
  // Listing makes the client validate every later answer against its tool's output schema.
  await client.listTools();
  return {
    async call(name, args = {}, { signal, onProgress, meta } = {}) {
      const result = await client.callTool(
        { name, arguments: args, ...(meta && { _meta: meta }) },
        undefined,
        {
          timeout: 120_000,
          ...(signal && { signal }),
          ...(onProgress && { onprogress: (one) => onProgress(one.message ?? '', one.progress) }),
        },
      );
      return answer(result);
    },
    tools: async () => (await client.listTools()).tools,
    resource: async (uri) => json((await client.readResource({ uri })).contents[0]),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** Connects SDK 2.x over a transport of its own, in one era or the other. */
export async function overNew(
  transport: Parameters<NewClient['connect']>[0],
  info: { name: string; version: string },
  kind: ClientName,
  elicit?: Elicit,
): Promise<Omit<Connection, 'pid'>> {
  const mode = kind === 'SDK 2.x, 2026-07-28' ? { pin: '2026-07-28' as const } : ('legacy' as const);
  const client = new NewClient(info, {
    versionNegotiation: { mode },
    ...(elicit && { capabilities: { elicitation: { form: {} } } }),
  });
  if (elicit) {
    client.setRequestHandler('elicitation/create', ({ params }) => elicit(params.message));
  }
  await client.connect(transport);
  await client.listTools();
  return {
    async call(name, args = {}, { signal, onProgress, meta } = {}) {
      const result = await client.callTool(
        { name, arguments: args, ...(meta && { _meta: meta }) },
        {
          timeout: 120_000,
          ...(signal && { signal }),
          ...(onProgress && { onprogress: (one) => onProgress(one.message ?? '', one.progress) }),
        },
      );
      return answer(result);
    },
    tools: async () => (await client.listTools()).tools,
    resource: async (uri) => json((await client.readResource({ uri })).contents[0]),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

const json = (content: unknown) => JSON.parse((content as { text: string }).text);

/** Connections of one test file; `closeAll` goes into `afterEach`. */
export function connections() {
  const open: Connection[] = [];
  return {
    async open(options?: ConnectOptions, client?: ClientName): Promise<Connection> {
      const connection = await connect(options, client);
      open.push(connection);
      return connection;
    },
    async closeAll(): Promise<void> {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
    },
  };
}
