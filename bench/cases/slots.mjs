import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { env, git, withRepository } from '../measure.mjs';

const cliFile = new URL('../../dist/cli.js', import.meta.url).pathname;
const GATES = 16;

/** A suite as test runners are: a worker for each core, each half a second of work and 100 MB. */
const suite = `const { Worker, isMainThread } = require('node:worker_threads');
if (isMainThread) for (let n = 0; n < ${availableParallelism()}; n++) new Worker(__filename);
else { const kept = Buffer.alloc(100e6, 1); let n = 0; 
  for (let i = 0; i < 15e7; i++) n = (n + i * 31) | 0; if (kept[0] + n === -1) throw new Error(); }
`;

/** Milliseconds until each of sixteen gates has its verdict, all asked for at once. */
async function allAtOnce(paths, slots) {
  const began = performance.now();
  return Promise.all(
    paths.map(
      (path) =>
        new Promise((resolve, reject) => {
          const child = spawn(process.execPath, [cliFile, 'test', '--json', '--path', path], {
            env: { ...env, DISCERN_SLOTS_DIR: slots },
            stdio: ['ignore', 'ignore', 'inherit'],
          });
          child.on('exit', (code) =>
            code === 0 ? resolve(performance.now() - began) : reject(new Error(`exit ${code}`)),
          );
        }),
    ),
  );
}

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** How long an agent waits for its verdict, on average, when sixteen ask at once: with slots, against without. */
export const slots = {
  name: 'slots: 16 gates at once, until the mean verdict',
  against: 'the same with concurrent_test_runs = 0',
  target: 0.7,
  run: () =>
    withRepository({ files: 20 }, async (root, home) => {
      const took = {};
      for (const limit of [1, 0]) {
        writeFileSync(join(root, 'suite.cjs'), suite);
        writeFileSync(
          join(root, 'discern.toml'),
          `[gate]\nconcurrent_test_runs = ${limit}\n[jobs]\ntest = "node suite.cjs"\n`,
        );
        git(root, 'add', '--all');
        git(root, 'commit', '--quiet', '-m', `limit ${limit}`);
        const paths = Array.from({ length: GATES }, (_, n) => join(home, `w${limit}-${n}`));
        for (const path of paths) git(root, 'worktree', 'add', '--quiet', '--detach', path);
        took[limit] = await allAtOnce(paths, join(home, 'slots'));
      }
      const last = (values) => Math.round(Math.max(...values));
      return {
        ours: mean(took[1]),
        theirs: mean(took[0]),
        note: `first verdict ${Math.round(Math.min(...took[1]))} ms against ${Math.round(Math.min(...took[0]))} ms, last ${last(took[1])} ms against ${last(took[0])} ms`,
      };
    }),
};
