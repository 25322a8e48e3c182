import { parseArgs } from 'node:util';

export const usage = `Usage: discern mcp [--root DIR] [--read-only] [--state FILE] [--socket ADDRESS]

Serves the Model Context Protocol over stdin and stdout.

  --root DIR     the project to operate on (alias: --project); else DISCERN_ROOT, what the host
                 exports, the client's roots, and the current directory, in that order
  --read-only    withhold every tool that may change something
  --state FILE   keep held roots there, and take them up from there
  --socket ADDRESS
                 also serve on this socket or named pipe; stdin and stdout are then the person's
                 own connection (this is how VS Code's windows run it)
  --untrusted    run no project command until the person's connection says otherwise
  --version      print the version
  --help         print this
`;

const options = {
  root: { type: 'string', multiple: true },
  project: { type: 'string', multiple: true },
  'read-only': { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
  state: { type: 'string' },
  socket: { type: 'string' },
  untrusted: { type: 'boolean' },
} as const;

const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options, strict: true }).values;

/** The flags of `discern mcp`, as they were typed. */
export type Flags = ReturnType<typeof parse>;

/** Wrong usage: the process ends with 2 and says this. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** Reads the flags. Throws {@link Misuse}. */
export function readFlags(argv: readonly string[]): Flags {
  try {
    return parse(argv);
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error));
  }
}
