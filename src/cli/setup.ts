import { currentDirectory, startingPoint } from './place.ts';
import type { SetupRequest } from './setup-command.ts';

/** The package's name for npm. */
const PACKAGE = 'discern-vscode';

/** What a client's configuration would name has to be there tomorrow; npx keeps what it fetched in folders like this. */
const inNpxCache = (dir: string) => dir.split(/[\\/]/).includes('_npx');

/** Sets a client up and prints what was done. Resolves with the exit code: 0, or 1 for a refusal. */
export async function setUp({ client, action, path }: SetupRequest): Promise<number> {
  if (action === 'write' && inNpxCache(__dirname)) {
    process.stderr.write(
      `discern: This copy lies in npx's cache, which npm may empty. Install it first: "npm install --global ${PACKAGE}", then "discern setup ${client}".\n`,
    );
    return 1;
  }
  const engine = await import('../engine/index.ts');
  const cwd = startingPoint(currentDirectory(), path);
  const { env, execPath: node } = process;
  try {
    const lines = await engine.setup({ client, action, env, cwd, node, dist: __dirname });
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  } catch (error) {
    if (!engine.Refusal.is(error)) throw error;
    process.stderr.write(`discern: ${error.message}\n`);
    return 1;
  }
}
