import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VerbEvent } from '../../src/contract/events.ts';
import { Refusal } from '../../src/engine/call/refusal.ts';
import { readLogbook } from '../../src/engine/gate/logbook.ts';
import { type Slot, takeSlot } from '../../src/engine/gate/slots.ts';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { cliFile } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { playsPart, processes, until } from '../support/processes.ts';
import { projects } from '../support/project.ts';

const parts = {
  /** Takes a slot and holds it until it is killed. */
  async hold(purpose: string) {
    await takeSlot({ limit: 1, purpose, signal: new AbortController().signal, onWait: () => undefined });
    process.stdout.write('held');
    setInterval(() => undefined, 1_000);
    await new Promise(() => undefined);
  },
};

if (!playsPart(parts)) {
  const players = processes(__filename);
  const { make, removeAll } = projects();

  /** Asks for a slot, and says when it has one. */
  function ask(purpose: string, options: { limit?: number; expectedMs?: number } = {}) {
    const controller = new AbortController();
    const said: string[] = [];
    const asked = { slot: undefined as Slot | undefined, refused: undefined as unknown, said, purpose };
    const ended = takeSlot({
      limit: 1,
      ...options,
      purpose,
      signal: controller.signal,
      onWait: (message) => said.push(message),
    }).then(
      (slot) => {
        asked.slot = slot;
      },
      (error) => {
        asked.refused = error;
      },
    );
    return Object.assign(asked, { ended, cancel: () => controller.abort() });
  }

  describe('A slot for a test run', () => {
    let dir: string;
    const before = process.env.DISCERN_SLOTS_DIR;
    const queue = () => join(dir, 'discern-vscode/slots/queue');
    const tickets = async () => (await readdir(queue())).filter((name) => name.endsWith('.lock'));
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'discern-slots-'));
      process.env.DISCERN_SLOTS_DIR = dir;
    });
    afterEach(async () => {
      await players.endAll();
      process.env.DISCERN_SLOTS_DIR = before;
      await rm(dir, { recursive: true });
    });

    it('is given in the order of asking, and says behind whom one waits, and about how long', async () => {
      const first = ask('the first', { expectedMs: 90_000 });
      await first.ended;
      const second = ask('the second', { expectedMs: 3_600_000 });
      await until('it waits', () => second.said.length > 0);
      const third = ask('the third');
      await until('it waits', () => third.said.length > 0);
      assert.match(
        second.said[0] ?? '',
        new RegExp(
          `^Waiting for a test slot, behind the first \\(process ${process.pid}\\); about (?:90|89) s\\.$`,
        ),
      );
      assert.match(third.said[0] ?? '', /behind the first \(process \d+\) and 1 more; about 6[12] min\.$/);
      await first.slot?.release();
      await second.ended;
      assert.deepEqual([second.slot !== undefined, third.slot !== undefined], [true, false]);
      await until('it says so', () => third.said.length > 1);
      assert.match(third.said[1] ?? '', /behind the second \(process \d+\); about 60 min\.$/);
      await second.slot?.release();
      await third.ended;
      await third.slot?.release();
      assert.deepEqual(await readdir(queue()), []);
    });

    it('says so where it is not known how long the runs before it take', async () => {
      const first = ask('the first');
      await first.ended;
      const second = ask('the second', { expectedMs: 5_000 });
      await until('it waits', () => second.said.length > 0);
      assert.match(second.said[0] ?? '', /; how long such runs take is not known yet\.$/);
      second.cancel();
      await second.ended;
      await first.slot?.release();
    });

    it('is given up by who is cancelled, and the next in line has it', async () => {
      const first = ask('the first');
      await first.ended;
      const second = ask('the second');
      await until('it waits', () => second.said.length > 0);
      const third = ask('the third');
      await until('it waits', () => third.said.length > 0);
      second.cancel();
      await second.ended;
      assert.ok(Refusal.is(second.refused) && second.refused.slug === 'cancelled');
      assert.equal((await tickets()).length, 2);
      await first.slot?.release();
      await third.ended;
      assert.ok(third.slot);
      await third.slot.release();
    });

    it('is free again when its owner is killed, and a dead ticket is cleared away', async () => {
      const player = players.play('hold', 'a run in another process');
      await until('it has the slot', () => player.said() === 'held');
      const mine = ask('mine');
      await until('it waits', () => mine.said.length > 0);
      assert.match(
        mine.said[0] ?? '',
        new RegExp(`behind a run in another process \\(process ${player.pid}\\)`),
      );
      player.child.kill('SIGKILL');
      await mine.ended;
      assert.ok(mine.slot);
      const next = ask('next', { limit: 2 });
      await next.ended;
      assert.equal((await tickets()).length, 2, 'the dead one is gone');
      await mine.slot.release();
      await next.slot?.release();
    });

    it('is for as many as the project allows; 0 is no limit, and leaves no trace', async () => {
      const all = ['a', 'b', 'c'].map((name) => ask(name, { limit: 2 }));
      await until('two have one', () => all.filter(({ slot }) => slot).length === 2);
      await until('the third waits', () => all.some(({ said }) => said.length > 0));
      const unlimited = ask('unlimited', { limit: 0 });
      await unlimited.ended;
      assert.ok(unlimited.slot);
      assert.equal((await tickets()).length, 3);
      for (const { slot } of all) await slot?.release();
      await Promise.all(all.map(({ ended }) => ended));
      for (const { slot } of all) await slot?.release();
    });

    it('is not waited for by a run under another one: by what its job was told, or by its place among the processes', async () => {
      const outer = ask('the outer');
      await outer.ended;
      const env = outer.slot?.env ?? {};
      Object.assign(process.env, env);
      try {
        const inner = ask('the inner');
        await inner.ended;
        assert.ok(inner.slot);
        await inner.slot.release();
        assert.equal((await tickets()).length, 1, 'the outer one still has its own');
      } finally {
        for (const name of Object.keys(env)) delete process.env[name];
      }
      await outer.slot?.release();
    });
  });

  describe('Gates of several worktrees', () => {
    afterEach(async () => {
      await players.endAll();
      await removeAll();
    });

    /** Two worktrees whose test job writes down when it begins and ends. */
    async function two(gate: string, more = '') {
      const config = `[jobs]\ntest = "echo begin >> ../log; sleep 0.3; echo end >> ../log"\n${more}${gate}`;
      const project = await make({ config });
      const paths: string[] = [];
      for (const name of ['one', 'two'])
        paths.push(succeeded(await verb('start', project.root, { name })).path);
      const log = async () =>
        (await readFile(join(`${project.root}.worktrees`, 'log'), 'utf8'))
          .split('\n')
          .filter(Boolean)
          .join(' ');
      return { project, paths, log };
    }

    it('run their tests one after the other, and say so; their checks do not wait', async () => {
      const { paths, log, project } = await two('', 'lint = "echo lint >> ../lints"\n');
      const events: VerbEvent[][] = [[], []];
      const answers = await Promise.all(
        paths.map((path, index) => verb('done', path, {}, { events: events[index] ?? [] })),
      );
      for (const answer of answers) assert.equal(answer.data?.proof?.state, 'valid', answer.message);
      assert.equal(await log(), 'begin end begin end');
      const waits = events
        .flat()
        .filter((event) => event.type === 'waiting')
        .filter(({ message }) => message.startsWith('Waiting for a test slot'));
      // It may be said again, when what is before it has moved on.
      assert.ok(waits.length >= 1, JSON.stringify(waits));
      const [wait] = waits;
      assert.match(
        wait?.message ?? '',
        /^Waiting for a test slot, behind the tests of done in .*\/app\.worktrees\//,
      );
      const book = await readLogbook({ commonDir: join(project.root, '.git') });
      assert.equal(book.length, 2);
      assert.ok(book.every(({ tests_ms: time }) => (time ?? 0) >= 300));
      assert.ok(book.some(({ waited_ms: time }) => (time ?? 0) >= 200));
      assert.deepEqual(
        book[0]?.jobs.map(({ name, outcome }) => `${name} ${outcome}`),
        ['lint passed', 'test passed'],
      );
      const third: VerbEvent[] = [];
      await Promise.all(paths.map((path) => verb('test', path, {}, { events: third })));
      const said = third.flatMap((event) => (event.type === 'waiting' ? [event.message] : []));
      assert.match(said.join(), /; about 1 s\.$/, 'the logbook knows how long they take');
    });

    it('run at once where the project allows as many, and keep no logbook where it says so', async () => {
      const { paths, log, project } = await two(
        '[gate]\nconcurrent_test_runs = 2\n',
        '[project]\nrecord_logbook = false\n',
      );
      await Promise.all(paths.map((path) => verb('test', path)));
      assert.match(await log(), /^begin begin end end$/);
      assert.deepEqual(await readLogbook({ commonDir: join(project.root, '.git') }), []);
    });

    it('do not wait for themselves: a job that is a gate runs under the slot of the one that started it', async () => {
      const inner = await make({ config: '[jobs]\ntest = "echo inner >> ../log"\n' });
      const call = `${process.execPath} ${cliFile} test --path ${inner.root}`;
      const bare = `env -i HOME="$HOME" PATH="$PATH" DISCERN_SLOTS_DIR="$DISCERN_SLOTS_DIR" ${call}`;
      const outer = await make({
        config: `[jobs.told]
stage = "test"
run = '''${call}'''

[jobs.bare]
stage = "test"
run = '''${process.platform === 'linux' ? bare : call}'''

[jobs.checks]
stage = "check"
run = '''${call}'''

[jobs.after]
stage = "test"
run = "sleep 0.1"
needs = ["jobs.checks"]
timeout = 60
`,
      });
      const answer = await verb('done', outer.root);
      assert.equal(answer.ok, true, answer.message);
      assert.equal((await readFile(join(inner.home, 'log'), 'utf8')).trim(), 'inner\ninner\ninner');
    });

    it('give up their place when they are cancelled, and run without a slot where none can be had', async () => {
      const { paths } = await two('', '');
      const holder = players.play('hold', 'a run that does not end');
      await until('it has the slot', () => holder.said() === 'held');
      const controller = new AbortController();
      const events: VerbEvent[] = [];
      const running = verb('done', paths[0] ?? '', {}, { signal: controller.signal, events });
      await until('it waits', () => events.some(({ type }) => type === 'waiting'));
      controller.abort();
      const answer = await running;
      refusedWith(answer, 'cancelled');
      assert.deepEqual(
        answer.steps?.map(({ name, outcome }) => [name, outcome]),
        [['test', 'skipped']],
      );
      const before = process.env.DISCERN_SLOTS_DIR;
      const blocked = join(await mkdtemp(join(tmpdir(), 'discern-slots-')), 'blocked');
      // What is in the way is a file.
      await writeFile(blocked, '');
      process.env.DISCERN_SLOTS_DIR = blocked;
      try {
        const free = await verb('done', paths[1] ?? '');
        assert.equal(free.data?.proof?.state, 'valid', free.message);
        assert.match(
          free.hints?.join() ?? '',
          /Test runs could not be queued, so this one went without a slot/,
        );
      } finally {
        process.env.DISCERN_SLOTS_DIR = before;
        await rm(join(blocked, '..'), { recursive: true });
      }
    });
  });
}
