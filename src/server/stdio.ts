import { randomBytes } from 'node:crypto';
import { delimiter, isAbsolute } from 'node:path';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import tools from '../../generated/manifest.json';
import type { Joining } from '../contract/joining.ts';
import { WindowEntry } from '../engine/user/windows.ts';
import { currentDirectory } from './current-directory.ts';
import type { Flags } from './flags.ts';
import { FleetChanges, startWhenAsked } from './fleet-changes.ts';
import { instructions } from './instructions.ts';
import { complain, Life, onEndingSignal } from './life.ts';
import { serverFactory } from './mcp.ts';
import { onParentGone } from './parent.ts';
import { withPerson } from './person.ts';
import { heldPrompts } from './prompts.ts';
import { sessionResources } from './resources.ts';
import { Session } from './session.ts';
import { StateStore } from './state-store.ts';
import { offeredTools, withheldFrom } from './tools.ts';
import { serveWindowSocket } from './window-socket.ts';
import { LineTransport } from './wire/line-transport.ts';

/** Serves over stdin and stdout, and on a window's socket where one is named, until stdin ends. Resolves with the exit code. */
export async function serveStdio(flags: Flags): Promise<number> {
  // A host may close stderr; what is said there is then for nobody, and no reason to end.
  process.stderr.on('error', () => undefined);
  const readOnly = flags['read-only'] === true;
  const session = new Session({
    root: (flags.root ?? flags.project)?.at(-1),
    env: process.env,
    cwd: currentDirectory(),
    state: new StateStore(flags.state),
    trusted: flags.untrusted !== true,
    lookOnly: readOnly,
  });
  const life = new Life();
  const changes = new FleetChanges();
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  for (const event of ['end', 'close'] as const) process.stdin.once(event, () => end());
  onEndingSignal(end);
  onParentGone(end);
  const offered = offeredTools(tools, readOnly);
  const sealKey = randomBytes(32);
  const serving = (caller: 'person' | 'agent', joining?: Joining) =>
    serverFactory({
      tools: offered,
      withheld: withheldFrom(tools, offered),
      resources: sessionResources(session),
      instructions: instructions.holding[readOnly ? 'looking' : 'all'],
      prompts: readOnly ? undefined : heldPrompts,
      sealKey,
      call: (request) => session.call(request),
      caller,
      joining,
      life,
      changes,
      connected: true,
    });
  const window = flags.socket !== undefined;
  let entry: WindowEntry | undefined;
  const transport = new LineTransport(process.stdin, process.stdout);
  const handle = serveConnection(
    window ? withPerson(serving('person'), session, (folders) => entry?.update(folders)) : serving('agent'),
    {
      transport,
      onerror: complain,
    },
  );
  startWhenAsked(transport, changes, complain);
  // A connection that broke is not read any more, so the end of stdin would go unseen and a window's server would stay.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    end();
  };
  const socket =
    flags.socket === undefined
      ? undefined
      : await serveWindowSocket(
          flags.socket,
          (joining) => serving('agent', joining),
          complain,
          (one) => startWhenAsked(one, changes, complain),
        );
  if (flags.socket !== undefined) entry = announced(flags);
  session.begin().catch(complain);
  await ended;
  entry?.close();
  changes.end();
  await life.end();
  await socket?.close();
  await handle.close();
  return 0;
}

/** Lets agent hosts find this window; one that cannot be found is no reason not to serve it. */
function announced(flags: Flags): WindowEntry | undefined {
  const named = (process.env.WORKSPACE_FOLDER_PATHS ?? '').split(delimiter);
  const folders = [...new Set([...(flags.root ?? []), ...named])].filter((one) => isAbsolute(one));
  try {
    const { socket = '', state } = flags;
    const kept = state !== undefined && isAbsolute(state) ? { state } : {};
    return WindowEntry.open(process.env, { socket, folders, server: DISCERN_VERSION, ...kept });
  } catch (error) {
    complain(error as Error);
    return undefined;
  }
}
