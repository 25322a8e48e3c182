import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addReceipts, readCounts, readReceipt, receiptsOf } from '../../src/engine/receipts/store.ts';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { startCli } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { playsPart, processes, until } from '../support/processes.ts';
import { makeProject, type Project } from '../support/project.ts';
import { Dice } from '../support/random.ts';
import { receiptOf } from '../support/receipt.ts';

const ROUNDS = 12;

const parts = {
  /** Writes results that others write too, and says after each that it has been written. */
  async write(commonDir: string, who: string) {
    const number = Number(who);
    const { signal } = new AbortController();
    for (let round = 0; round < ROUNDS; round++) {
      // What all write fails on the odd rounds: later than any pass, so that it must stand against all of them.
      const bad = round % 2 === 1;
      const shared = receiptOf(
        'shared',
        round,
        bad && number === 0 ? 'failed' : 'passed',
        bad && number === 0 ? 9_000 : 1_000,
      );
      const own = receiptOf(`own-${who}`, round, 'passed', 1_000);
      await addReceipts(
        commonDir,
        {
          receipts: [shared, own],
          seen: new Map(),
          used: [shared.key],
          reused: [`own-${who}`],
          disagreed: [],
        },
        signal,
      );
      process.stdout.write(`${round}\n`);
    }
  },
};

if (!playsPart(parts)) {
  const players = processes(__filename);

  describe('Results that sixteen processes keep at once', function () {
    this.timeout(120_000);
    let project: Project;
    before(async () => {
      project = await makeProject();
    });
    afterEach(() => players.endAll());
    after(() => project.remove());

    it('are all there and whole, no failure hidden by a pass, though every other process is killed', async () => {
      const commonDir = join(project.root, '.git');
      const dice = new Dice(16);
      const all = Array.from({ length: 16 }, (_, who) => players.play('write', commonDir, String(who)));
      const killed = all.filter((_, who) => who % 2 === 1);
      for (const player of killed) {
        await until('it writes', () => player.said() !== '');
        await sleep(dice.next() * 30);
        player.child.kill('SIGKILL');
      }
      for (const [who, { ended }] of all.entries()) if (who % 2 === 0) assert.equal(await ended, 0, `${who}`);
      await Promise.all(killed.map(({ ended }) => ended));

      const counts = await readCounts(commonDir);
      for (const [who, player] of all.entries()) {
        const rounds = player.said().split('\n').filter(Boolean).length;
        assert.equal(rounds === ROUNDS || who % 2 === 1, true);
        for (let round = 0; round < rounds; round++) {
          const { key } = receiptOf(`own-${who}`, round, 'passed', 1_000);
          assert.equal((await readReceipt(commonDir, key))?.outcome, 'passed', `${who} ${round}`);
        }
        // One that was killed may have been counted in the instant before it could say so.
        const counted = counts.jobs[`own-${who}`]?.reused ?? 0;
        assert.ok(
          counted === rounds || (who % 2 === 1 && counted === rounds + 1),
          `${who}: ${counted} of ${rounds}`,
        );
      }
      for (let round = 0; round < ROUNDS; round++) {
        const { key } = receiptOf('shared', round, 'passed', 0);
        assert.equal((await readReceipt(commonDir, key))?.outcome, round % 2 === 1 ? 'failed' : 'passed');
      }
      const dir = join(commonDir, 'discern-vscode', 'receipts');
      const names = (await readdir(dir)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
      for (const name of names)
        assert.ok(await readReceipt(commonDir, name.slice(0, 64)), `${name} is whole`);
      assert.equal((await receiptsOf(commonDir, '', 'shared')).length, ROUNDS);
    });
  });

  describe('A done that is killed while its job runs', () => {
    let project: Project;
    before(async () => {
      project = await makeProject({
        config:
          '[jobs.slow]\nstage = "test"\nrun = "cat src/a.txt >> ../ran; test -e ../quick || sleep 600"\ninputs = ["src/**"]\n',
      });
    });
    after(() => project.remove());

    it('leaves no result: the job runs again, and its failure is one', async () => {
      const { path } = succeeded(await verb('start', project.root, { name: 'killed' }));
      const ran = join(path, '../ran');
      const running = startCli(['done'], { cwd: path });
      await until('the job runs', async () => (await readFile(ran, 'utf8').catch(() => '')) !== '');
      running.child.kill('SIGKILL');
      await running.ended;
      await writeFile(join(path, '../quick'), '');
      assert.equal(succeeded(await verb('explain', path, { job: 'slow' })).runs, true);
      assert.equal(succeeded(await verb('done', path)).proof?.state, 'valid');
      assert.equal(await readFile(ran, 'utf8'), 'a\na\n');
      assert.equal(succeeded(await verb('explain', path, { job: 'slow' })).runs, false);
      refusedWith(await verb('explain', path, { job: 'slo' }), 'invalid_argument', /Did you mean slow/);
    });
  });
}
