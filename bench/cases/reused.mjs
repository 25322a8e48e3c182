import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, Mcp, median, serverFile, withRepository } from '../measure.mjs';

const job = (name, stage, inputs) =>
  `[jobs.${name}]\nstage = "${stage}"\nrun = "sleep 1"\ninputs = ["${inputs}"]\n`;

const config = `[project]
name = "bench"
${job('style', 'check', 'src/dir1/**')}${job('types', 'check', 'src/dir2/**')}${job('unit', 'test', 'src/dir3/**')}${job('whole', 'test', 'src/**')}`;

/** `done` on a new commit whose jobs are all stood in for: what the gate itself costs. */
export const reused = {
  name: 'done: four jobs, all reused, 10,000 files',
  against: 'limit',
  target: 1,
  run: () =>
    withRepository({ files: 10_000, config }, async (root) => {
      writeFileSync(join(root, 'discern-vscode.toml'), '[receipts]\ncheck_every = 0\n');
      git(root, 'add', '--all');
      git(root, 'commit', '--quiet', '-m', 'settings');
      const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
      await mcp.open();
      await mcp.call('discern_done');
      const took = [];
      for (let round = 0; round < 7; round++) {
        appendFileSync(join(root, 'notes.txt'), `${round}\n`);
        git(root, 'add', '--all');
        git(root, 'commit', '--quiet', '-m', `round ${round}`);
        const began = performance.now();
        const { steps } = await mcp.call('discern_done');
        took.push(performance.now() - began);
        if (!steps.every((step) => step.reused)) throw new Error('a job ran');
      }
      await mcp.close();
      return { ours: median(took), theirs: 150 };
    }),
};
