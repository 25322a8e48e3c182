import './no-compiling.ts';
import tools from '../../generated/manifest.json';
import { type Flags, Misuse, readFlags, usage } from './flags.ts';
import { serveStdio } from './stdio.ts';

/** Runs the server until it is to end. Resolves with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  let flags: Flags;
  try {
    flags = readFlags(argv, process.env);
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    process.stderr.write(`discern mcp: ${error.message}\n\n${usage}`);
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
  if (flags.transport === 'stdio') return serveStdio(flags);
  // In a file of its own, so that serving over stdio loads none of it.
  const { serveHttp } = await import('./http/index.ts');
  return serveHttp(flags, tools);
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
