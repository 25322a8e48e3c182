/**
 * `discern`. The common quick things load nothing: `--version` is answered here, and `mcp` goes straight to the server
 * and `hook` to its own program, which lie beside this file and read the argument vector themselves.
 */
const argv = process.argv.slice(2);

if (argv[0] === 'mcp') {
  require('./server.js');
} else if (argv[0] === 'hook') {
  require('./hook.js');
} else if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  process.stdout.write(`${DISCERN_VERSION}\n`);
} else {
  import('./program.ts')
    .then(({ program }) => program(argv))
    .catch((error: unknown) => {
      process.stderr.write(
        `discern: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
      process.exitCode = 1;
    });
}
