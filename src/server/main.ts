import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { LONGEST_MESSAGE, serverFactory } from './mcp.ts';
import { withPerson } from './person.ts';
import { Session } from './session.ts';
import { StateStore } from './state-store.ts';
import { serveWindowSocket } from './window-socket.ts';

const usage = `Usage: discern mcp [--root DIR] [--state FILE] [--socket ADDRESS]

Serves the Model Context Protocol over stdin and stdout.

  --root DIR     the project to operate on (alias: --project); else DISCERN_ROOT, what the host
                 exports, the client's roots, and the current directory, in that order
  --state FILE   keep held roots there, and take them up from there
  --socket ADDRESS
                 also serve on this socket or named pipe; stdin and stdout are then the person's
                 own connection (this is how VS Code's windows run it)
  --untrusted    run no project command until the person's connection says otherwise
  --version      print the version
  --help         print this
`;

/** How long what is in flight may take to end when the server does, in milliseconds. */
const ENDING_MS = 1_800;

interface Flags {
  root?: string;
  project?: string;
  state?: string;
  socket?: string;
  untrusted?: boolean;
  help?: boolean;
  version?: boolean;
}

/** Runs the server until its input ends. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let flags: Flags;
  try {
    flags = parseArgs({
      args: [...argv],
      options: {
        root: { type: 'string' },
        project: { type: 'string' },
        state: { type: 'string' },
        socket: { type: 'string' },
        untrusted: { type: 'boolean' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
      strict: true,
    }).values;
  } catch (error) {
    process.stderr.write(
      `discern mcp: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`,
    );
    return 2;
  }
  if (flags.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (flags.version) {
    process.stdout.write(`${DISCERN_VERSION}\n`);
    return 0;
  }
  return serve(flags);
}

async function serve(flags: Flags): Promise<number> {
  // A host may close stderr; what is said there is then for nobody, and no reason to end.
  process.stderr.on('error', () => undefined);
  const session = new Session({
    root: flags.root ?? flags.project,
    env: process.env,
    cwd: currentDirectory(),
    state: new StateStore(flags.state),
    trusted: flags.untrusted !== true,
  });
  const ending = new AbortController();
  const inFlight = new Set<Promise<unknown>>();
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  for (const event of ['end', 'close'] as const) process.stdin.once(event, () => end());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end());
  const onError = (error: Error) => void process.stderr.write(`discern mcp: ${error.message}\n`);
  const serving = (caller: 'person' | 'agent') => serverFactory(session, caller, ending.signal, inFlight);
  const window = flags.socket !== undefined;
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: LONGEST_MESSAGE,
  });
  const handle = serveStdio(window ? withPerson(serving('person'), session) : serving('agent'), {
    transport,
    onerror: onError,
  });
  // A connection that broke is not read any more, so the end of stdin would go unseen and a window's server would stay.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    end();
  };
  const socket =
    flags.socket === undefined ? undefined : await serveWindowSocket(flags.socket, serving('agent'), onError);
  session.begin().catch(onError);
  await ended;
  ending.abort();
  await Promise.race([
    Promise.allSettled([...inFlight]),
    new Promise((resolve) => setTimeout(resolve, ENDING_MS).unref()),
  ]);
  await socket?.close();
  await handle.close();
  return 0;
}

/** The process's directory; absent when it was removed, as a worktree is under a shell that stood in it. */
function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

// As `discern mcp` the CLI loads this file with its own argument vector.
const argv = process.argv.slice(process.argv[2] === 'mcp' ? 3 : 2);

main(argv).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(
      `discern mcp: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  },
);
