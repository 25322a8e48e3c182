import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serverFactory } from './mcp.ts';
import { loadEngine, Session } from './session.ts';

const usage = `Usage: discern mcp [--root DIR]

Serves the Model Context Protocol over stdin and stdout.

  --root DIR     the project to operate on (alias: --project); else DISCERN_ROOT, what the host
                 exports, the client's roots, and the current directory, in that order
  --version      print the version
  --help         print this
`;

/** How long what is in flight may take to end when the server does, in milliseconds. */
const ENDING_MS = 1_800;

/** Runs the server until its input ends. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let flags: { root?: string; project?: string; help?: boolean; version?: boolean };
  try {
    flags = parseArgs({
      args: [...argv],
      options: {
        root: { type: 'string' },
        project: { type: 'string' },
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
  return serve(flags.root ?? flags.project);
}

async function serve(root: string | undefined): Promise<number> {
  const session = new Session({ root, env: process.env, cwd: process.cwd() });
  const ending = new AbortController();
  const inFlight = new Set<Promise<unknown>>();
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close'] as const) process.stdin.once(event, () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const handle = serveStdio(serverFactory(session, ending.signal, inFlight), {
    onerror: (error) => process.stderr.write(`discern mcp: ${error.message}\n`),
  });
  // Loading the engine behind the first answers keeps the start short and the first call quick.
  const warmUp = setTimeout(() => void loadEngine(), 50);
  await ended;
  clearTimeout(warmUp);
  ending.abort();
  await Promise.race([
    Promise.allSettled([...inFlight]),
    new Promise((resolve) => setTimeout(resolve, ENDING_MS).unref()),
  ]);
  await handle.close();
  return 0;
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
