import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Envelope } from '../../src/contract/envelope.ts';
import type { VerbEvent } from '../../src/contract/events.ts';
import type { Verb } from '../../src/contract/verbs.ts';
import { run } from '../../src/engine/index.ts';
import { verb } from '../support/engine.ts';
import { awaits, config, log, logged, meets } from '../support/jobs.ts';
import { type Player, playsPart, processes, runs, until } from '../support/processes.ts';
import { type Project, projects } from '../support/project.ts';

const parts = {
  /** Runs a verb as a server of its own would, and prints its events and its answer as lines of JSON. */
  async verb(name: string, root: string) {
    const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
    const context = { signal: new AbortController().signal, emit: print, client: 'unknown' } as const;
    print({ type: 'answer', envelope: await run(name as Verb, root, {}, context) });
  },
};

type Line = VerbEvent | { type: 'answer'; envelope: Envelope };

const lines = (player: Player): Line[] =>
  player
    .said()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const waiting = (player: Player) => lines(player).find((line) => line.type === 'waiting')?.message;

async function answer(player: Player): Promise<Envelope> {
  assert.equal(await player.ended, 0);
  const last = lines(player).at(-1);
  assert.equal(last?.type, 'answer');
  return last.envelope;
}

if (!playsPart(parts)) {
  const { make, removeAll } = projects();
  const { play, endAll } = processes(__filename);

  const release = (project: Project) => project.write({ released: '' }, project.home);
  const pidIn = async (project: Project, file: string) =>
    Number(await readFile(join(project.home, file), 'utf8').catch(() => ''));

  /** A job that says it began, waits to be released and says it ended. */
  const held = config({
    test: JSON.stringify([log('begin'), 'echo $$ > ../pid', awaits('released'), log('end')]),
  });

  describe('Two gates in one checkout', () => {
    afterEach(async () => {
      await endAll();
      await removeAll();
    });

    it('of two processes run one after the other; the second says whom it waits for', async () => {
      const project = await make({ config: held });
      const first = play('verb', 'done', project.root);
      await until('the first runs', async () => (await logged(project)).length > 0);
      const second = play('verb', 'test', project.root);
      await until('the second waits', () => waiting(second) !== undefined);
      assert.equal(waiting(second), `Waiting for a run of "done" in ${project.root} (process ${first.pid}).`);
      assert.deepEqual(await logged(project), ['begin'], 'nothing of the second runs meanwhile');
      assert.equal(
        lines(second).some((line) => line.type === 'run_started'),
        false,
      );
      await release(project);
      assert.equal((await answer(first)).ok, true);
      assert.equal((await answer(second)).ok, true);
      assert.deepEqual(await logged(project), ['begin', 'end', 'begin', 'end']);
    });

    it('of one process do too', async () => {
      const project = await make({ config: held });
      const events: VerbEvent[] = [];
      const first = verb('done', project.root);
      await until('the first runs', async () => (await logged(project)).length > 0);
      const second = verb('done', project.root, {}, { events });
      await until('the second waits', () => events.some((event) => event.type === 'waiting'));
      await release(project);
      assert.equal((await first).ok, true);
      assert.equal((await second).ok, true);
      assert.deepEqual(await logged(project), ['begin', 'end', 'begin', 'end']);
    });

    it('never judge what the first has left behind: the second looks again when it is its turn', async () => {
      const project = await make({ config: held });
      const first = play('verb', 'test', project.root);
      await until('the first runs', async () => (await logged(project)).length > 0);
      const second = play('verb', 'done', project.root);
      await until('the second waits', () => waiting(second) !== undefined);
      const commit = await project.commit({ 'src/b.txt': 'b\n' });
      await release(project);
      await answer(first);
      const { data, ok, message } = await answer(second);
      assert.equal(ok, true, message);
      assert.equal(data?.commit, commit);
      assert.deepEqual(data?.proof, { state: 'valid', commit });
    });

    it('may be cancelled while they wait', async () => {
      const project = await make({ config: held });
      const first = play('verb', 'test', project.root);
      await until('the first runs', async () => (await logged(project)).length > 0);
      const controller = new AbortController();
      const events: VerbEvent[] = [];
      const second = verb('done', project.root, {}, { signal: controller.signal, events });
      await until('the second waits', () => events.length > 0);
      controller.abort();
      assert.equal((await second).error, 'cancelled');
      await release(project);
      assert.equal((await answer(first)).ok, true);
      assert.deepEqual(await logged(project), ['begin', 'end']);
    });
  });

  describe('A gate whose owner is killed', () => {
    afterEach(async () => {
      await endAll();
      await removeAll();
    });

    it('leaves nothing running, and frees the checkout for who waits', async () => {
      const project = await make({ config: held });
      const first = play('verb', 'done', project.root);
      await until('its job runs', async () => (await pidIn(project, 'pid')) > 0);
      const pid = await pidIn(project, 'pid');
      await until('the job is in its wait', async () => (await logged(project)).length === 1);
      const second = play('verb', 'done', project.root);
      await until('the second waits', () => waiting(second) !== undefined);
      first.child.kill('SIGKILL');
      await first.ended;
      await until('nothing of the job is left', () => !runs(pid));
      await until('the second runs', async () => (await logged(project)).length === 2);
      await release(project);
      const done = await answer(second);
      assert.equal(done.ok, true, done.message);
      assert.deepEqual(await logged(project), ['begin', 'begin', 'end']);
    });
  });

  describe('Gates in different checkouts', () => {
    afterEach(async () => {
      await endAll();
      await removeAll();
    });

    it('run at the same time', async () => {
      const meeting = `case $PWD in *.worktrees/*) ${meets('a', 'b')};; *) mkdir -p ../app.worktrees; touch ../app.worktrees/b; n=0; until test -e ../app.worktrees/a; do n=$((n+1)); test $n -lt 1200 || exit 9; sleep 0.05; done;; esac`;
      const project = await make({ config: config({ lint: JSON.stringify(meeting) }) });
      const start = await verb('start', project.root);
      const here = play('verb', 'done', project.root);
      const there = play('verb', 'done', start.data?.path ?? '');
      for (const player of [here, there]) {
        const done = await answer(player);
        assert.equal(done.ok, true, done.message);
        assert.equal(waiting(player), undefined);
      }
    });
  });
}
