import { parseArgs } from 'node:util';
import { messageOf } from '../contract/values.ts';

export const usage = `Usage: discern mcp [--transport stdio|http] [--root DIR] [--read-only] [options]

Serves the Model Context Protocol, over stdin and stdout unless told otherwise.

  --transport stdio|http
                 how it is served; http is Streamable HTTP (DISCERN_MCP_TRANSPORT)
  --root DIR     the project to operate on (alias: --project); else DISCERN_ROOT, what the host
                 exports, the client's roots, and the current directory, in that order
  --read-only    withhold every tool that may change something
  --version      print the version
  --help         print this

Over stdio:
  --state FILE   keep held roots there, and take them up from there
  --socket ADDRESS
                 also serve on this socket or named pipe; stdin and stdout are then the person's
                 own connection (this is how VS Code's windows run it)
  --untrusted    run no project command until the person's connection says otherwise

Over http, where DISCERN_MCP_TOKEN must hold a secret of at least 16 characters that every
request brings as "Authorization: Bearer", and --root may be given several times:
  --host HOST    the address to listen on (DISCERN_MCP_HOST; default 127.0.0.1)
  --port PORT    the port, 0 for any that is free (DISCERN_MCP_PORT; default 7431)
  --path PATH    the URL's path (DISCERN_MCP_PATH; default /mcp)
  --allowed-hosts NAMES
                 what clients may call this machine beside localhost, comma-separated
                 (DISCERN_MCP_ALLOWED_HOSTS)
  --allowed-origins ORIGINS
                 web origins that may call beside those on localhost, comma-separated
                 (DISCERN_MCP_ALLOWED_ORIGINS)
  --any-project  serve every project on this machine, whose jobs then run for whoever has the
                 secret, not only those of --root (DISCERN_MCP_ANY_PROJECT=1)
  --access-log   say one line of each request on stderr, without headers and arguments
                 (DISCERN_MCP_ACCESS_LOG=1)
  --request-timeout SECONDS
                 how long a request may take to arrive (DISCERN_MCP_REQUEST_TIMEOUT; default 30)
  --until-stdin-ends
                 end when stdin does, and so with whoever started it
`;

const options = {
  transport: { type: 'string' },
  root: { type: 'string', multiple: true },
  project: { type: 'string', multiple: true },
  'read-only': { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
  state: { type: 'string' },
  socket: { type: 'string' },
  untrusted: { type: 'boolean' },
  host: { type: 'string' },
  port: { type: 'string' },
  path: { type: 'string' },
  'allowed-hosts': { type: 'string', multiple: true },
  'allowed-origins': { type: 'string', multiple: true },
  'any-project': { type: 'boolean' },
  'access-log': { type: 'boolean' },
  'request-timeout': { type: 'string' },
  'until-stdin-ends': { type: 'boolean' },
} as const;

/** Which flags mean something over which transport only. */
const only = {
  stdio: ['state', 'socket', 'untrusted'],
  http: [
    'host',
    'port',
    'path',
    'allowed-hosts',
    'allowed-origins',
    'any-project',
    'access-log',
    'request-timeout',
    'until-stdin-ends',
  ],
} as const;

const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options, strict: true }).values;

/** The flags of `discern mcp`, as they were typed. */
export type Flags = Omit<ReturnType<typeof parse>, 'transport'> & { transport: 'stdio' | 'http' };

/** Wrong usage: the process ends with 2 and says this. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** Reads the flags, the transport also from the environment. Throws {@link Misuse}. */
export function readFlags(argv: readonly string[], env: NodeJS.ProcessEnv): Flags {
  let flags: ReturnType<typeof parse>;
  try {
    flags = parse(argv);
  } catch (error) {
    if (argv.some((word) => /^--(?:auth-?)?token(?:=|$)/.test(word))) {
      throw new Misuse(
        'A secret is never given on a command line, where every process can read it: set DISCERN_MCP_TOKEN.',
      );
    }
    throw new Misuse(messageOf(error));
  }
  if (flags.help || flags.version) return { ...flags, transport: 'stdio' };
  const transport = flags.transport ?? (env.DISCERN_MCP_TRANSPORT || 'stdio');
  if (transport !== 'stdio' && transport !== 'http') {
    const by = flags.transport === undefined ? 'DISCERN_MCP_TRANSPORT' : '--transport';
    throw new Misuse(
      `${by} is "${transport}": there are stdio and http (Streamable HTTP; SSE is not served).`,
    );
  }
  const other = transport === 'http' ? 'stdio' : 'http';
  const wrong = only[other].find((name) => flags[name] !== undefined);
  if (wrong !== undefined) {
    throw new Misuse(`--${wrong} is for --transport ${other}, and this is ${transport}.`);
  }
  return { ...flags, transport };
}
