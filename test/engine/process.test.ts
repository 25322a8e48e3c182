import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endGroup, groupAlive, groupGone } from '../../src/engine/process/group.ts';
import { type CommandOptions, runCommand } from '../../src/engine/process/shell.ts';
import { playsPart, processes, runs, until } from '../support/processes.ts';

const run = promisify(execFile);
const never = new AbortController().signal;

const parts = {
  /** Runs one command as the engine would, in a process that is going to be killed. */
  async own(dir: string, command: string) {
    const outputPath = join(dir, 'out');
    await runCommand(command, { cwd: dir, env: process.env, outputPath, signal: never });
  },
  /** The same, twice over, with its watchdog's process killed in between. */
  async unguarded(dir: string, command: string) {
    const running = parts.own(dir, command);
    const { stdout } = await run('pgrep', ['-P', String(process.pid), '-f', 'trap']);
    process.kill(Number(stdout.trim().split('\n')[0]), 'SIGKILL');
    process.stdout.write('killed\n');
    await running;
  },
};

if (!playsPart(parts)) {
  const { play, endAll } = processes(__filename);

  describe('Processes', () => {
    let dir: string;

    const command = (text: string, options: Partial<CommandOptions> = {}) =>
      runCommand(text, {
        cwd: dir,
        env: process.env,
        outputPath: join(dir, 'out'),
        signal: never,
        ...options,
      });
    const output = () => readFile(join(dir, 'out'), 'utf8');
    const exists = (name: string) =>
      access(join(dir, name)).then(
        () => true,
        () => false,
      );
    const pidIn = async (name: string) => Number(await readFile(join(dir, name), 'utf8').catch(() => ''));

    beforeEach(async () => {
      dir = await realpath(await mkdtemp(join(tmpdir(), 'discern-process-')));
    });
    afterEach(async () => {
      await endAll();
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    });

    describe('A command', () => {
      it('is read by the shell, in its directory, with its environment and no other', async () => {
        const env = { PATH: process.env.PATH, WORD: 'a  b' };
        const result = await command(
          'pwd; echo "$WORD" | tr a x; printenv HOME || echo none; false || echo or',
          {
            env,
          },
        );
        assert.deepEqual(result, { exitCode: 0, leftovers: false, stuck: false });
        assert.equal(await output(), `${dir}\nx  b\nnone\nor\n`);
      });

      it('may hold quotes, newlines and what looks like an expansion', async () => {
        await command(`printf '%s|' 'it''s' "a b" '$x' \\\n  "\`echo c\`"\necho -- -n`);
        assert.equal(await output(), 'its|a b|$x|c|-- -n\n');
      });

      it('has its output appended, both streams in the order they were written', async () => {
        await writeFile(join(dir, 'out'), 'before\n');
        await command('echo 1; echo 2 >&2; echo 3');
        assert.equal(await output(), 'before\n1\n2\n3\n');
      });

      it('tells its exit code, or the signal that ended it', async () => {
        assert.equal((await command('exit 7')).exitCode, 7);
        const killed = await command('kill -SEGV $$');
        assert.equal(killed.exitCode, undefined);
        assert.equal(killed.killedBy, 'SIGSEGV');
      });

      it('is its own process group', async () => {
        await command('ps -o pgid= -p $$; echo $$');
        const [group, pid] = (await output()).trim().split(/\s+/);
        assert.equal(group, pid);
        assert.notEqual(Number(pid), process.pid);
      });

      it('that cannot be started is told, never thrown', async () => {
        assert.match((await command('true', { cwd: join(dir, 'gone') })).startError ?? '', /ENOENT/);
        assert.match(
          (await command('true', { outputPath: join(dir, 'gone', 'out') })).startError ?? '',
          /ENOENT/,
        );
        assert.match((await command('a\0b')).startError ?? '', /null bytes/);
        assert.match((await command(`: ${'x'.repeat(4_000_000)}`)).startError ?? '', /E2BIG/);
      });

      it('is not started when it is cancelled before', async () => {
        const result = await command('touch ran', { signal: AbortSignal.abort() });
        assert.equal(result.ended, 'cancelled');
        assert.equal(await exists('ran'), false);
      });

      it('leaves no listener on the signal behind', async () => {
        const controller = new AbortController();
        let listeners = 0;
        const { signal } = controller;
        const add = signal.addEventListener.bind(signal);
        const remove = signal.removeEventListener.bind(signal);
        signal.addEventListener = (...args: Parameters<typeof add>) => {
          listeners++;
          add(...args);
        };
        signal.removeEventListener = (...args: Parameters<typeof remove>) => {
          listeners--;
          remove(...args);
        };
        await command('true', { signal, timeoutMs: 60_000 });
        assert.equal(listeners, 0);
      });
    });

    describe('Ending a group', () => {
      let leader: ChildProcess | undefined;
      afterEach(async () => {
        if (leader?.pid) await endGroup(leader.pid);
      });

      const lead = async (text: string): Promise<number> => {
        leader = spawn('/bin/sh', ['-c', text], { cwd: dir, stdio: 'ignore', detached: true });
        const { pid } = leader;
        assert.ok(pid);
        await until('the group is up', () => exists('up'));
        return pid;
      };

      it('resolves with true when all of it is gone', async () => {
        const pid = await lead('sleep 600 & echo $! > child; touch up; wait');
        assert.equal(groupAlive(pid), true);
        assert.equal(await endGroup(pid), true);
        assert.equal(runs(await pidIn('child')), false);
        assert.equal(groupAlive(pid), false);
        assert.equal(await endGroup(pid), true, 'and again does no harm');
      });

      it('takes in what is started while it is being ended', async () => {
        const pid = await lead(
          "trap 'n=0; while [ $n -lt 200 ]; do sleep 600 & n=$((n+1)); done' TERM; touch up; while :; do sleep 0.05; done",
        );
        assert.equal(await endGroup(pid), true);
        assert.equal(groupAlive(pid), false);
      });

      it('is waited for only so long', async () => {
        const pid = await lead('touch up; exec sleep 600');
        assert.equal(await groupGone(pid, 50), false);
        process.kill(pid, 'SIGKILL');
        assert.equal(await groupGone(pid, 60_000), true);
      });

      if (process.platform === 'linux') {
        it('ends the groups a shell with job control opened', async () => {
          const pid = await lead("exec bash -c 'set -m; sleep 600 & echo $! > child; touch up; wait'");
          const child = await pidIn('child');
          const { stdout } = await run('ps', ['-o', 'pgid=', '-p', String(child)]);
          assert.notEqual(Number(stdout), pid);
          assert.equal(await endGroup(pid), true);
          assert.equal(runs(child), false);
        });

        it('spares what made itself a session of its own', async () => {
          const pid = await lead("setsid sh -c 'echo $$ > child; touch up; exec sleep 600' & wait");
          const daemon = await pidIn('child');
          try {
            await endGroup(pid);
            assert.equal(runs(daemon), true);
          } finally {
            process.kill(daemon, 'SIGKILL');
          }
        });
      }
    });

    describe('The death of the owner', () => {
      const jobs: Record<string, string> = {
        'a job': 'echo $$ > pid; sleep 600; true',
        'a child of a job': 'sleep 600 & echo $! > pid; wait',
        'a job that ignores SIGTERM': "trap '' TERM HUP INT; echo $$ > pid; while :; do sleep 0.1; done",
        ...(process.platform === 'linux' && {
          'a job in a group of its own': 'timeout 600 sh -c "echo \\$\\$ > pid; sleep 600; true"',
        }),
      };
      for (const [what, text] of Object.entries(jobs)) {
        it(`by SIGKILL ends ${what}`, async () => {
          const owner = play('own', dir, text);
          await until('the job runs', async () => (await pidIn('pid')) > 0);
          const pid = await pidIn('pid');
          assert.equal(runs(pid), true);
          owner.child.kill('SIGKILL');
          await owner.ended;
          await until('the job is gone', () => !runs(pid));
        });
      }

      it('by SIGTERM ends a job', async () => {
        const owner = play('own', dir, 'echo $$ > pid; sleep 600; true');
        await until('the job runs', async () => (await pidIn('pid')) > 0);
        owner.child.kill('SIGTERM');
        await owner.ended;
        const pid = await pidIn('pid');
        await until('the job is gone', () => !runs(pid));
      });

      it('ends a job also when its first watchdog was killed before', async () => {
        const owner = play('unguarded', dir, 'echo $$ > pid; sleep 600; true');
        await until('the watchdog was killed', () => owner.said() !== '');
        await until('the job runs', async () => (await pidIn('pid')) > 0);
        const pid = await pidIn('pid');
        await until('there is another', async () => {
          const { stdout } = await run('pgrep', ['-P', String(owner.pid), '-f', 'trap']).catch(() => ({
            stdout: '',
          }));
          return stdout.trim() !== '';
        });
        owner.child.kill('SIGKILL');
        await owner.ended;
        await until('the job is gone', () => !runs(pid));
      });
    });
  });
}
