import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copy, git, Mcp, median, serverFile, withFolder } from '../measure.mjs';

const home = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const ROUNDS = 5;

/** An example of ours in a repository of its own, with a server that knows nothing of it yet. */
async function withExample(name, use) {
  return withFolder(async (folder) => {
    const root = join(folder, name);
    copy(home(`examples/${name}`), root);
    // The packages it needs are among ours.
    if (name.startsWith('typescript')) symlinkSync(home('node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, 'discern-vscode.toml'), '[receipts]\ncheck_every = 0\n');
    git(root, 'init', '--quiet', '--initial-branch', 'main');
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'everything');
    const mcp = new Mcp(process.execPath, [serverFile, '--root', root]);
    await mcp.open();
    const measured = await use(root, mcp);
    await mcp.close();
    return measured;
  });
}

/** Milliseconds `done` takes after another line in one file, and the jobs that ran. */
async function doneAfter(mcp, root, file, line, args = {}) {
  appendFileSync(join(root, file), `${line}\n`);
  git(root, 'commit', '--quiet', '--all', '-m', line);
  const began = performance.now();
  const { steps } = await mcp.call('discern_done', args);
  const took = performance.now() - began;
  return { took, ran: steps.filter(({ reused }) => !reused).map(({ name }) => name) };
}

/** A real project of which one file changes: only what that concerns runs, against every job. */
const changing = (example, file, comment, must) => ({
  name: `done in ${example} after a change of ${file}`,
  against: 'every job again (`rerun`)',
  run: () =>
    withExample(example, async (root, mcp) => {
      await mcp.call('discern_done');
      const ours = [];
      const theirs = [];
      for (let round = 0; round < ROUNDS; round++) {
        const some = await doneAfter(mcp, root, file, `${comment} ${round}`);
        if (some.ran.join() !== must.join()) throw new Error(`${some.ran.join(' ') || 'nothing'} ran`);
        ours.push(some.took);
        theirs.push((await doneAfter(mcp, root, file, `${comment} again ${round}`, { rerun: true })).took);
      }
      return { ours: median(ours), theirs: median(theirs), note: `ran: ${must.join(', ') || 'nothing'}` };
    }),
});

export const projects = [
  changing('typescript-library', 'README.md', 'Note', []),
  changing('typescript-library', 'test/money.test.ts', '//', ['build', 'test']),
  changing('python-service', 'README.md', 'Note', []),
  changing('python-service', 'tests/test_app.py', '#', ['test']),
  changing('python-service', 'service/app.py', '#', ['lint', 'test']),
];
