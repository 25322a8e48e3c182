import type { McpServerFactory, Server } from '@modelcontextprotocol/server';
import type { WindowEvent } from '../contract/window.ts';
import { type Engine, loadEngine } from './engine.ts';
import type { Session } from './session.ts';

/**
 * Adds what only the person has to the server of the extension's own connection: the re-aim, trust, cancelling anybody's run,
 * checking a discern.toml, writing a project's `.mcp.json`, and hearing what happens. None of it is a tool.
 */
function addPerson(
  server: Server,
  session: Session,
  { personMethods, windowNotification, checkFile, setup }: Engine,
  onFolders: (folders: string[]) => void,
): void {
  const { aim, held, trust, cancel, checkConfig, folders, mcpJson } = personMethods;
  server.setRequestHandler(aim.method, { params: aim.params }, async ({ path }) => ({
    held: await session.aim(path),
  }));
  server.setRequestHandler(held.method, { params: held.params }, async () => ({
    held: await (await session.held()).describe(),
  }));
  server.setRequestHandler(trust.method, { params: trust.params }, ({ trusted }) => {
    session.trust(trusted);
    return { trusted };
  });
  server.setRequestHandler(folders.method, { params: folders.params }, ({ folders: open }) => {
    onFolders(open);
    return {};
  });
  server.setRequestHandler(mcpJson.method, { params: mcpJson.params }, async ({ action, path }) => ({
    lines: await setup({
      client: 'mcp-json',
      action,
      cwd: path,
      env: process.env,
      dist: __dirname,
      node: process.execPath,
      ...(process.versions.electron && { nodeEnv: { ELECTRON_RUN_AS_NODE: '1' } }),
    }),
  }));
  server.setRequestHandler(cancel.method, { params: cancel.params }, ({ call }) => ({
    cancelled: session.cancel(call),
  }));
  server.setRequestHandler(checkConfig.method, { params: checkConfig.params }, ({ text, file }) => {
    const { problems, notes } = checkFile(text, file);
    return { problems: problems.map(({ key: _key, ...problem }) => problem), notes };
  });
  const stop = session.listen((event: WindowEvent) => {
    // A window that has gone away no longer wants to hear it.
    server.notification({ method: windowNotification, params: event } as never).catch(() => undefined);
  });
  const { onclose } = server;
  server.onclose = () => {
    onclose?.();
    stop();
  };
}

/** A factory whose servers are the person's. */
export function withPerson(
  factory: McpServerFactory,
  session: Session,
  onFolders: (folders: string[]) => void,
): McpServerFactory {
  return async (context) => {
    const [server, engine] = await Promise.all([factory(context), loadEngine()]);
    addPerson(server as Server, session, engine, onFolders);
    return server;
  };
}
