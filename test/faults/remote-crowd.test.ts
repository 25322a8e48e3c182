import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { started } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { playsPart, processes } from '../support/processes.ts';
import { commit, git, makeProject } from '../support/project.ts';

/** How many landings in all: a long run takes forty, `DISCERN_LANDINGS=40`. */
const LANDINGS = Number(process.env.DISCERN_LANDINGS ?? 12);
const WORKERS = 6;

interface Report {
  landed: string[];
  tries: number;
}

const parts = {
  /** Lands one piece of work after the other through the remote, from the clone at `root`. */
  async land(root: string, name: string, count: string) {
    const report: Report = { landed: [], tries: 0 };
    for (let n = 0; n < Number(count); n++) {
      const { path } = await started(root, { name });
      await commit({ [`src/${name}-${n}.txt`]: `${name} ${n}\n` }, path, `${name} ${n}`);
      for (;;) {
        report.tries++;
        const answer = await verb('accept', path, { push: true });
        if (answer.ok) {
          report.landed.push(answer.data?.landed_commit ?? '');
          break;
        }
        assert.equal(answer.error, 'busy', answer.message);
        await sleep(50);
      }
    }
    process.stdout.write(JSON.stringify(report));
  },
};

if (!playsPart(parts)) {
  const players = processes(__filename);

  describe('Two clones of one remote', function () {
    this.timeout(LANDINGS * 30_000);
    after(() => players.endAll());

    it(`land ${LANDINGS} pieces of work from ${WORKERS} processes: none is lost, and each is proved`, async () => {
      const project = await makeProject();
      try {
        const hub = join(project.home, 'hub.git');
        await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
        const before = await git(hub, 'rev-parse', 'main');
        const clones = [join(project.home, 'one'), join(project.home, 'two')];
        for (const clone of clones) await git(project.home, 'clone', '--quiet', hub, clone);
        const each = Math.ceil(LANDINGS / WORKERS);
        const reports = await Promise.all(
          Array.from({ length: WORKERS }, async (_, n) => {
            const count = Math.min(each, LANDINGS - n * each);
            const player = players.play('land', clones[n % 2] ?? '', `w${n}`, String(count));
            assert.equal(await player.ended, 0, `w${n}`);
            return JSON.parse(player.said()) as Report;
          }),
        );
        const landed = reports.flatMap((report) => report.landed);
        assert.equal(new Set(landed).size, LANDINGS);
        const files = (await git(hub, 'ls-tree', '-r', '--name-only', 'main', 'src/')).split('\n');
        assert.equal(files.filter((name) => /^src\/w\d-/.test(name)).length, LANDINGS, 'none is lost');
        const folders = clones.map((clone) => join(clone, '.git/discern-vscode/proofs'));
        const proofs = (await Promise.all(folders.map((folder) => readdir(folder)))).flat();
        for (const one of landed) {
          await git(hub, 'merge-base', '--is-ancestor', one, 'main');
          assert.ok(
            proofs.some((name) => name.startsWith(one)),
            `${one} is proved`,
          );
        }
        // Whatever the trunk was at, in the order of its first parents' reflog over there, it only ever moved forward.
        await git(hub, 'merge-base', '--is-ancestor', before, 'main');
        for (const clone of clones) {
          assert.equal(await git(clone, 'status', '--porcelain'), '');
          assert.equal((await git(clone, 'worktree', 'list')).split('\n').length, 1);
          await git(clone, 'fsck', '--connectivity-only', '--no-dangling');
        }
        const tries = reports.reduce((sum, report) => sum + report.tries, 0);
        console.log(`    ${landed.length} landed with ${tries} calls of accept`);
      } finally {
        await project.remove();
      }
    });
  });
}
