import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  appendFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from '../../src/engine/call/refusal.ts';
import { acquireLock } from '../../src/engine/state/lock.ts';
import { isHeld, lockHolders } from '../../src/engine/state/lock-holder.ts';
import { playsPart, processes, runs, until } from '../support/processes.ts';

const run = promisify(execFile);

const never = new AbortController().signal;

const take = (path: string, options: Partial<Parameters<typeof acquireLock>[1]> = {}) =>
  acquireLock(path, { purpose: 'a test', signal: never, ...options });

/** Adds one to the number in a file, with a pause between reading and writing. */
async function increment(counter: string): Promise<void> {
  const before = Number(await readFile(counter, 'utf8'));
  await new Promise((resolve) => setTimeout(resolve, 2));
  await writeFile(counter, String(before + 1));
}

const parts = {
  /** Holds the lock until it is killed. */
  async hold(path: string) {
    await take(path, { purpose: 'a long hold' });
    process.stdout.write('held\n');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  },
  /** Takes the lock, says so, and gives it back. */
  async pass(path: string) {
    const lock = await take(path, { onWait: (message) => process.stdout.write(`${message}\n`) });
    process.stdout.write(lock.waited ? 'waited\n' : 'at once\n');
    await lock.release();
  },
  /**
   * Adds one to the counter under the lock, again and again. Each time it writes down that it holds the lock and that it
   * does no longer, so that two holders at once would show; dies while holding it the last time, where asked to.
   */
  async count(path: string, counter: string, times: string, dies: string) {
    for (let n = 1; n <= Number(times); n++) {
      const lock = await take(path);
      const others = await readdir(`${counter}.holders`);
      for (const other of others) {
        if (Number(other) !== process.pid && runs(Number(other)))
          await appendFile(`${counter}.clashes`, `${other} and ${process.pid}\n`);
      }
      const mine = join(`${counter}.holders`, String(process.pid));
      await writeFile(mine, '');
      await increment(counter);
      if (n === Number(times) && dies === 'dies') process.kill(process.pid, 'SIGKILL');
      await rm(mine);
      await lock.release();
    }
  },
};

if (!playsPart(parts)) {
  const { play, endAll } = processes(__filename);

  describe('A lock', () => {
    let dir: string;
    let path: string;
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'discern-lock-'));
      path = join(dir, 'discern-vscode', 'er', 'x.lock');
    });
    afterEach(async () => {
      await endAll();
      await rm(dir, { recursive: true, force: true });
    });

    const foreign = (host: string) =>
      JSON.stringify({ pid: 1, started: '1', host, nonce: 'theirs', purpose: 'their work' });

    for (const [what, put] of [
      ['a link that leads nowhere', () => symlink(join(dir, 'nowhere'), path)],
      ['a link to a lock', () => symlink(join(dir, 'theirs'), path)],
      ['a directory', () => mkdir(path)],
      ['a pipe', () => run('mkfifo', [path])],
      ['a huge file', () => writeFile(path, 'x'.repeat(100_000))],
    ] as const) {
      it(`that is ${what} is refused at once, and left as it is`, async () => {
        await mkdir(join(path, '..'), { recursive: true });
        await writeFile(join(dir, 'theirs'), foreign('elsewhere'));
        await put();
        const before = await lstat(path);
        await assert.rejects(
          take(path),
          (error) => Refusal.is(error) && error.slug === 'untrusted' && error.message.startsWith(path),
        );
        assert.equal(await isHeld(path), false);
        assert.deepEqual(await lockHolders(join(path, '..')), []);
        assert.equal((await lstat(path)).ino, before.ino);
        assert.equal(await readFile(join(dir, 'theirs'), 'utf8'), foreign('elsewhere'));
      });
    }

    it('names no file outside of its directory by what another lock says', async () => {
      await mkdir(join(path, '..'), { recursive: true });
      const theirs = { pid: 1, started: '0', host: 'gone', nonce: '/../../../out', purpose: 'x' };
      await writeFile(path, JSON.stringify(theirs));
      await utimes(path, new Date(0), new Date(0));
      const lock = await take(path);
      await lock.release();
      assert.deepEqual(await readdir(dir), ['discern-vscode']);
    });

    it('is taken at once when it is free, and leaves nothing when it is given back', async () => {
      const lock = await take(path);
      assert.equal(lock.waited, false);
      await lock.release();
      assert.deepEqual(await readdir(join(path, '..')), []);
      await lock.release();
    });

    it('is waited for, within one process too, and the wait names the holder once', async () => {
      const first = await take(path, { purpose: 'the first thing' });
      const said: string[] = [];
      const second = take(path, { onWait: (message) => said.push(message) });
      await until('the wait is told', () => said.length > 0);
      await first.release();
      const lock = await second;
      assert.equal(lock.waited, true);
      assert.deepEqual(said, [`Waiting for the first thing (process ${process.pid}).`]);
      await lock.release();
    });

    it('refuses busy when it may not wait', async () => {
      const lock = await take(path, { purpose: 'the first thing' });
      const refused = (error: unknown) => {
        assert.ok(error instanceof Refusal);
        assert.equal(error.slug, 'busy');
        assert.match(error.message, /the first thing/);
        return true;
      };
      await assert.rejects(take(path, { waitMs: 0 }), refused);
      await assert.rejects(take(path, { waitMs: 100 }), refused);
      await lock.release();
    });

    it('refuses cancelled while it waits, and takes nothing then', async () => {
      const lock = await take(path);
      const controller = new AbortController();
      const waiting = take(path, { signal: controller.signal, onWait: () => controller.abort() });
      await assert.rejects(waiting, (error) => error instanceof Refusal && error.slug === 'cancelled');
      await lock.release();
      assert.deepEqual(await readdir(join(path, '..')), []);
    });

    it('writes nothing while it waits', async () => {
      const lock = await take(path);
      const seen = new Set<string>();
      const controller = new AbortController();
      const waiting = take(path, { signal: controller.signal }).catch(() => undefined);
      for (let looks = 0; looks < 50; looks++) {
        for (const name of await readdir(join(path, '..'))) seen.add(name);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      controller.abort();
      await waiting;
      assert.deepEqual([...seen], ['x.lock']);
      await lock.release();
    });

    it('is free at once when its holder was killed', async () => {
      const holder = play('hold', path);
      await until('it is held', () => holder.said() !== '');
      await assert.rejects(take(path, { waitMs: 0 }), /a long hold/);
      const waiting = play('pass', path);
      await until('it is waited for', () => waiting.said() !== '');
      assert.match(waiting.said(), new RegExp(`Waiting for a long hold \\(process ${holder.pid}\\)`));
      holder.child.kill('SIGKILL');
      assert.equal(await waiting.ended, 0);
      assert.match(waiting.said(), /waited\n$/);
      const lock = await take(path, { waitMs: 0 });
      await lock.release();
    });

    it('is not held by a later process that got the same pid', async () => {
      const lock = await take(path);
      const holder = JSON.parse(await readFile(path, 'utf8'));
      await lock.release();
      await writeFile(path, JSON.stringify({ ...holder, nonce: 'old', started: `${holder.started}0` }));
      // Only Linux tells when a process began; elsewhere a pid that lives counts as the holder.
      if (process.platform === 'linux') await (await take(path, { waitMs: 0 })).release();
      else await assert.rejects(take(path, { waitMs: 0 }));
    });

    it('of another machine is respected while it is kept fresh, and taken over when it is not', async () => {
      await mkdir(join(path, '..'), { recursive: true });
      for (const host of ['another-machine', `${hostname()} pid:[1]`]) {
        await writeFile(path, foreign(host));
        await assert.rejects(take(path, { waitMs: 0 }), /their work/);
        const past = new Date(Date.now() - 10 * 60_000);
        await utimes(path, past, past);
        await (await take(path, { waitMs: 0 })).release();
      }
    });

    it('that names nobody is someone’s who is just writing it, and a leftover once it is old', async () => {
      await mkdir(join(path, '..'), { recursive: true });
      for (const text of ['', '{"pid":', '{}', 'null']) {
        await writeFile(path, text);
        await assert.rejects(take(path, { waitMs: 0 }), /unreadable lock/);
        const past = new Date(Date.now() - 60_000);
        await utimes(path, past, past);
        await (await take(path, { waitMs: 0 })).release();
      }
    });

    it('is not given back by one who has lost it', async () => {
      const lock = await take(path);
      await writeFile(path, foreign('another-machine'));
      await lock.release();
      assert.match(await readFile(path, 'utf8'), /another-machine/);
    });

    it('has one holder at a time among many that find it stale', async () => {
      await mkdir(join(path, '..'), { recursive: true });
      for (let round = 0; round < 10; round++) {
        const holder = { pid: 2 ** 22 + 1, started: '1', nonce: `dead${round}`, purpose: 'a dead thing' };
        const host = await hostOfLocks(path);
        await writeFile(path, JSON.stringify({ ...holder, host }));
        let holders = 0;
        let most = 0;
        await Promise.all(
          Array.from({ length: 12 }, async () => {
            const lock = await take(path);
            most = Math.max(most, ++holders);
            await new Promise((resolve) => setTimeout(resolve, 1));
            holders--;
            await lock.release();
          }),
        );
        assert.equal(most, 1);
      }
      assert.deepEqual(await readdir(join(path, '..')), [], 'and nothing is left lying about');
    });

    it('loses no update of many processes, some killed while they hold it', async function () {
      this.timeout(120_000);
      const counter = join(dir, 'counter');
      await writeFile(counter, '0');
      await mkdir(`${counter}.holders`);
      const players = Array.from({ length: 8 }, (_, n) =>
        play('count', path, counter, '15', n % 2 === 0 ? 'dies' : 'lives'),
      );
      const ends = await Promise.all(players.map(({ ended }) => ended));
      assert.deepEqual(
        ends,
        players.map((_, n) => (n % 2 === 0 ? 'SIGKILL' : 0)),
      );
      assert.equal(await readFile(counter, 'utf8'), String(8 * 15));
      const clashes = await readFile(`${counter}.clashes`, 'utf8').catch(() => '');
      assert.equal(clashes, '');
      await (await take(path, { waitMs: 0 })).release();
    });
  });

  /** What a holder on this machine is said to be on. */
  async function hostOfLocks(path: string): Promise<string> {
    const lock = await take(`${path}.sample`);
    const { host } = JSON.parse(await readFile(`${path}.sample`, 'utf8'));
    await lock.release();
    return host;
  }
}
