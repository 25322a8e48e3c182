import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { started, succeeded } from '../support/checkouts.ts';
import { json } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { httpServers } from '../support/http.ts';
import { git, projects } from '../support/project.ts';
import { connections } from '../support/server.ts';

const { make, removeAll } = projects();
const { serve, connect: connectHttp, stopAll } = httpServers();
const { open, closeAll } = connections();

describe('One queue that a server over stdio, one over HTTP and a command line drive at once', function () {
  this.timeout(180_000);
  afterEach(async () => {
    await closeAll();
    await stopAll();
    await removeAll();
  });

  it('lands the work of all three, each once and proved', async () => {
    const project = await make();
    const { root } = project;
    const stdio = await open({ args: ['--root', root] }, 'SDK 1.x');
    const { url } = await serve(['--root', root]);
    const http = await connectHttp(url, 'SDK 2.x, 2026-07-28');
    const faces: ((
      tool: 'accept' | 'await',
      args: Record<string, unknown>,
    ) => Promise<{ ok: boolean; message?: string }>)[] = [
      async (tool, args) => (await stdio.call(`discern_${tool}`, args)).envelope,
      async (tool, args) => (await http.call(`discern_${tool}`, args)).envelope,
      async (tool, { path, ...args }) => {
        const words = tool === 'accept' ? ['--queue'] : [String(args.until), String(args.worktree)];
        return (await json([tool, ...words, '--path', String(path)], { cwd: root })).envelope;
      },
    ];
    const work: { path: string; commit: string; branch: string }[] = [];
    for (let n = 0; n < faces.length * 2; n++) {
      const { path, branch } = await started(root, { name: `work ${n}` });
      work.push({
        path,
        branch: branch ?? '',
        commit: await project.commit({ [`src/w${n}.txt`]: `${n}\n` }, path),
      });
    }
    await Promise.all(
      work.map(async ({ path }, n) => {
        const answer = await faces[n % faces.length]?.('accept', { path, queue: true });
        assert.equal(answer?.ok, true, String(answer?.message));
      }),
    );
    const { entries } = succeeded(await verb('queue', root));
    assert.deepEqual(new Set(entries.map(({ place }) => place)), new Set([1, 2, 3, 4, 5, 6]));
    await Promise.all(
      faces.map(async (face, n) => {
        const own = entries.find(({ branch }) => branch === work[n + faces.length]?.branch);
        const answer = await face('await', { path: root, until: 'landed', worktree: own?.entry });
        assert.equal(answer.ok, true, String(answer.message));
      }),
    );
    succeeded(await verb('queue', root, { action: 'run' }));
    const over = succeeded(await verb('queue', root)).entries;
    assert.deepEqual(
      over.map(({ state }) => state),
      work.map(() => 'landed'),
    );
    const landed = over.map(({ landed_commit: commit = '' }) => commit);
    assert.equal(new Set(landed).size, work.length);
    const proofs = await readdir(join(root, '.git/discern-vscode/proofs'));
    for (const commit of landed) {
      await git(root, 'merge-base', '--is-ancestor', commit, 'main');
      assert.ok(
        proofs.some((name) => name.startsWith(commit)),
        `${commit} is proved`,
      );
    }
    for (const { commit } of work) await git(root, 'merge-base', '--is-ancestor', commit, 'main');
    const files = (await git(root, 'ls-tree', '--name-only', 'main', 'src/')).split('\n');
    assert.equal(files.filter((name) => /^src\/w\d/.test(name)).length, work.length);
    assert.equal(await git(root, 'status', '--porcelain'), '');
    assert.equal((await git(root, 'worktree', 'list')).split('\n').length, 1);
    assert.deepEqual(await readdir(join(root, '.git/discern-vscode/own-checkouts')), []);
  });
});
