import { type CommandLine, readCommandLine } from './command-line.ts';
import { explain } from './misuse.ts';
import { Misuse } from './options.ts';
import { run } from './run.ts';
import { setUp } from './setup.ts';
import { printable } from './words.ts';

/** Does what the arguments behind `discern` ask for, and ends the process with the exit code that says how it went. */
export async function program(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that has seen enough (`| head`) is no failure, and there is nobody left to tell of one.
    stream.on('error', () => undefined);
  }
  const code = await perform(argv);
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
  process.exit(code);
}

async function perform(argv: readonly string[]): Promise<number> {
  let line: CommandLine;
  try {
    line = readCommandLine(argv);
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    return complain(error, argv);
  }
  if ('request' in line) return run(line.request);
  if ('setup' in line) return setUp(line.setup);
  process.stdout.write(`${line.text}\n`);
  return 0;
}

function complain(misuse: Misuse, argv: readonly string[]): number {
  if (argv.length === 0) {
    const help = readCommandLine(['--help']);
    if ('text' in help) process.stderr.write(`${help.text}\n`);
    return 2;
  }
  const { text, envelope } = explain(misuse, argv);
  process.stderr.write(printable(text));
  if (envelope && argv.includes('--json')) process.stdout.write(`${JSON.stringify(envelope)}\n`);
  return 2;
}
