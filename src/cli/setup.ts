import { currentDirectory, startingPoint } from './place.ts';
import type { SetupRequest } from './setup-command.ts';

/** Sets a client up and prints what was done. Resolves with the exit code: 0, or 1 for a refusal. */
export async function setUp({ client, action, path }: SetupRequest): Promise<number> {
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
