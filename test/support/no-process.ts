import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const starters = [
  'exec',
  'execFile',
  'execFileSync',
  'execSync',
  'fork',
  'spawn',
  'spawnSync',
] as const satisfies (keyof typeof childProcess)[];

// Loaded before the tests of the unit tier: whatever starts a process there fails, and says why.
// mocha itself starts the processes that the tests run in.
for (const name of process.env.MOCHA_WORKER_ID === undefined ? [] : starters) {
  Object.assign(childProcess, {
    [name]: () => {
      throw new Error(
        `A unit test starts no process, and this one called ${name}. Name it *.test.ts instead.`,
      );
    },
  });
}
syncBuiltinESMExports();
