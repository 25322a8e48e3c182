import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, Mcp, serverFile, withRepository } from '../measure.mjs';

const WORKTREES = 10;

const job = (name, stage, inputs, seconds) =>
  `[jobs.${name}]\nstage = "${stage}"\nrun = "sleep ${seconds}"\ninputs = ["${inputs}"]\n`;

/**
 * A folder's own check for each of ten, which results of before stand in for, and one test of all that no landing goes without. It
 * waits and does not compute, as one that asks a server does, so the project lets ten of it run at once.
 */
const config = `[project]
name = "bench"
[gate]
concurrent_test_runs = ${WORKTREES}
${Array.from({ length: WORKTREES }, (_, n) => job(`check${n}`, 'check', `src/dir${n}/**`, 1)).join('')}${job('whole', 'test', 'src/**', 4)}`;

/** Milliseconds until the work of ten worktrees, each with its own proof, has landed as `land` does it. */
const landed = (land) =>
  withRepository({ files: 1_000, config }, async (root) => {
    writeFileSync(join(root, 'discern-vscode.toml'), '[receipts]\ncheck_every = 0\n');
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'settings');
    const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
    await mcp.open();
    const paths = [];
    for (let n = 0; n < WORKTREES; n++) {
      const { data } = await mcp.call('discern_start', { name: `work-${n}`, path: root });
      writeFileSync(join(data.path, 'src', `dir${n}`, `file${n}.txt`), `the work of ${n}\n`);
      git(data.path, 'commit', '--quiet', '--all', '-m', `work ${n}`);
      paths.push(data.path);
    }
    await Promise.all(paths.map((path) => mcp.call('discern_done', { path })));
    const before = git(root, 'rev-parse', 'main');
    const began = performance.now();
    await land(mcp, paths, root);
    const took = performance.now() - began;
    await mcp.close();
    const commits = Number(git(root, 'rev-list', '--count', '--no-merges', `${before}..main`));
    if (commits !== WORKTREES) throw new Error(`${commits} of ${WORKTREES} landed`);
    return took;
  });

/** Ten pieces of work that are ready at the same time: landed through the queue, and one after another by hand. */
export const queue = {
  name: 'queue: ten ready worktrees until all have landed',
  against: 'update, done and accept, ten times',
  target: 0.35,
  run: async () => {
    const ours = await landed(async (mcp, paths, root) => {
      for (const path of paths) await mcp.call('discern_accept', { path, queue: true });
      await mcp.call('discern_await', { path: root, until: 'landed', worktree: `q${WORKTREES}` });
    });
    const theirs = await landed(async (mcp, paths) => {
      for (const path of paths) {
        await mcp.call('discern_update', { path });
        await mcp.call('discern_done', { path });
        await mcp.call('discern_accept', { path });
      }
    });
    return { ours, theirs, note: '1,000 files; ten checks that are reused, one test of 4 s that is not' };
  },
};
