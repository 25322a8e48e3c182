import assert from 'node:assert/strict';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { elsewhere, started } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { playsPart, processes } from '../support/processes.ts';
import { commit, git, makeProject } from '../support/project.ts';

/** How many landings in all: the long run, `npm run test:landings`, takes forty. */
const LANDINGS = Number(process.env.DISCERN_LANDINGS ?? 8);
const WORKERS = Math.min(6, LANDINGS);
/** One landing in so many is killed on its way, at each of these points in turn. */
const KILLED_ONE_IN = 4;
const POINTS = [
  'push.pushed',
  'accept.moved',
  'push.checked',
  'accept.followed',
  'accept.journaled',
  'retire.renamed',
  'accept.removed',
];

interface Report {
  /** The commits of the work. */
  work: string[];
  /** What accept said that landed. */
  landed: string[];
  tries: number;
  kills: number;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const parts = {
  /** Lands one piece of work after the other through the remote, from the clone at `root`; some of it is killed and goes on. */
  async land(root: string, name: string, first: string, count: string) {
    const report: Report = { work: [], landed: [], tries: 0, kills: 0 };
    for (let n = 0; n < Number(count); n++) {
      const { path } = await started(root, { name });
      report.work.push(await commit({ [`src/${name}-${n}.txt`]: `${name} ${n}\\n` }, path, `${name} ${n}`));
      const at = Number(first) + n;
      if (at % KILLED_ONE_IN === KILLED_ONE_IN - 1) {
        const point = POINTS[Math.floor(at / KILLED_ONE_IN) % POINTS.length];
        const { child, ended } = elsewhere('accept', path, { push: true }, point);
        await ended;
        if (child.signalCode === 'SIGKILL') report.kills++;
      }
      // Whoever comes next may have finished what was killed: then the worktree is gone.
      while (await isThere(path)) {
        report.tries++;
        const answer = await verb('accept', path, { push: true }).catch(async (error: unknown) => {
          if (await isThere(path)) throw error;
          return undefined;
        });
        if (answer?.ok) {
          report.landed.push(answer.data?.landed_commit ?? '');
          break;
        }
        if (answer && answer.error !== 'busy') assert.equal(await isThere(path), false, answer.message);
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

    it(`land ${LANDINGS} pieces of work from ${WORKERS} processes, some of them killed: none is lost, and each is proved`, async () => {
      const project = await makeProject();
      try {
        const hub = join(project.home, 'hub.git');
        await git(project.home, 'clone', '--quiet', '--bare', project.root, hub);
        await git(hub, 'config', 'core.logAllRefUpdates', 'true');
        const before = await git(hub, 'rev-parse', 'main');
        const clones = [join(project.home, 'one'), join(project.home, 'two')];
        for (const clone of clones) await git(project.home, 'clone', '--quiet', hub, clone);
        const each = Math.ceil(LANDINGS / WORKERS);
        const reports = await Promise.all(
          Array.from({ length: WORKERS }, async (_, n) => {
            const count = Math.max(0, Math.min(each, LANDINGS - n * each));
            const player = players.play(
              'land',
              clones[n % 2] ?? '',
              `w${n}`,
              String(n * each),
              String(count),
            );
            assert.equal(await player.ended, 0, `w${n}`);
            return JSON.parse(player.said()) as Report;
          }),
        );
        const landed = reports.flatMap((report) => report.landed);
        const work = reports.flatMap((report) => report.work);
        assert.equal(new Set(landed).size, landed.length);
        assert.equal(new Set(work).size, LANDINGS);
        // What was killed after it had moved the trunk here or there is brought to the end by whoever comes next.
        for (const clone of clones) assert.equal((await verb('status', clone)).ok, true);
        const files = (await git(hub, 'ls-tree', '-r', '--name-only', 'main', 'src/')).split('\n');
        assert.equal(files.filter((name) => /^src\/w\d-/.test(name)).length, LANDINGS, 'none is lost');
        const folders = clones.map((clone) => join(clone, '.git/discern-vscode/proofs'));
        const proofs = (await Promise.all(folders.map((folder) => readdir(folder)))).flat();
        const proved = new Set(proofs.map((name) => name.split('-')[0] ?? ''));
        for (const one of landed) {
          await git(hub, 'merge-base', '--is-ancestor', one, 'main');
          assert.ok(proved.has(one), `${one} is proved`);
        }
        // Every commit that the trunk over there was moved to, and so everybody's work, is one that the gate passed.
        const moves = (await git(hub, 'reflog', 'show', '--format=%H', 'main')).split('\n');
        for (const one of moves) assert.ok(one === before || proved.has(one), `${one} is proved`);
        for (const one of work) await git(hub, 'merge-base', '--is-ancestor', one, 'main');
        // Whatever the trunk was at, in the order of its first parents' reflog over there, it only ever moved forward.
        await git(hub, 'merge-base', '--is-ancestor', before, 'main');
        for (const clone of clones) {
          assert.equal(await git(clone, 'status', '--porcelain'), '');
          assert.equal((await git(clone, 'worktree', 'list')).split('\n').length, 1);
          await git(clone, 'fsck', '--connectivity-only', '--no-dangling');
        }
        const tries = reports.reduce((sum, report) => sum + report.tries, 0);
        const kills = reports.reduce((sum, report) => sum + report.kills, 0);
        console.log(
          `    ${work.length} landed in ${moves.length} pushes, with ${tries} calls of accept and ${kills} kills`,
        );
      } finally {
        await project.remove();
      }
    });
  });
}
