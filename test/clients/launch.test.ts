import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Data } from '../../src/contract/verbs.ts';
import { json } from '../support/cli.ts';
import { until } from '../support/processes.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { type Driver, program, surroundings } from './driver.ts';
import type { Turn } from './model.ts';
import { stage } from './stage.ts';

const exec = promisify(execFile);
const { make, home: newHome, played, clear } = stage();

const first = 'The first request, please.';
const second = 'And the second;\nwith another line: is it there?';

/** A project with a worktree, and a home in which a client has been set up for it. */
async function ready(driver: Driver, script: Turn[]) {
  const [project, home] = [await make(), await newHome()];
  const bin = join(home, 'bin');
  await mkdir(bin);
  for (const name of ['claude', 'codex']) await symlink(program(name), join(bin, name));
  const env: Record<string, string> = {
    ...surroundings(home),
    DISCERN_STATE_DIR: join(home, 'state'),
    // Its socket lies there: the person's own terminals stay untouched.
    TMUX_TMPDIR: join(home, 'tmp'),
  };
  env.PATH = `${bin}:${env.PATH}`;
  const run = <V extends 'start' | 'launch' | 'message' | 'sessions' | 'recollect' | 'remap'>(
    verb: V,
    ...args: string[]
  ) => json<Data<V>>([verb, ...args], { cwd: project.root, env });
  const { envelope } = await run('start', 'work');
  const worktree = envelope.data.path;
  const { model, command } = await played(driver, script, { home, cwd: worktree, prompt: first });
  Object.assign(env, command.env);
  const tmux = (...args: string[]) => exec('tmux', ['-L', 'discern', ...args], { env });
  return {
    run,
    model,
    worktree,
    bin,
    tmux,
    /** Waits until the only session there is has its turn behind it. */
    async idle() {
      await until('the turn is over', async () => {
        const [one] = (await run('sessions')).envelope.data.sessions;
        return one?.state === 'idle' || one?.needs_attention === 'asks a question';
      });
    },
  };
}

describe('An agent that is launched in a worktree', () => {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
    await clear();
  });

  for (const driver of [claude, codex]) {
    it(`${driver.name}: gets its first task and, between its turns, messages, each confirmed by its own record`, async () => {
      const { run, idle, model, worktree, tmux } = await ready(driver, [
        { say: 'Ready.' },
        { say: 'Heard.' },
      ]);
      open.push(() => tmux('kill-server').catch(unlessGone));
      const client = driver === claude ? 'claude' : 'codex';
      const launched = await run('launch', client, '--worktree', worktree, '--prompt', first);
      assert.equal(launched.envelope.ok, true, launched.envelope.message);
      assert.match(launched.envelope.data.attach ?? '', /^tmux -L discern attach -t [\w-]+$/);
      const again = await run('launch', client, '--worktree', worktree);
      assert.equal(again.envelope.error, 'busy', again.envelope.message);
      await idle();
      const told = await run('message', worktree, second);
      assert.equal(told.envelope.ok, true, told.envelope.message);
      await until('the model is asked', () => model.played() >= 2);
      const asked = await run('recollect', told.envelope.data.session);
      assert.deepEqual(
        asked.envelope.data.queries.map(({ text }) => text),
        [first, second],
      );
      await idle();
      await tmux('kill-server');
      const late = await run('message', worktree, 'Too late.');
      assert.equal(late.envelope.error, 'unavailable', late.envelope.message);
      assert.match(late.envelope.message ?? '', /has ended/);
    });
  }

  it('is not messaged while it asks for a permission, which Enter would give', async () => {
    const dangerous: Turn = claude.shell('touch asked-for');
    const { run, worktree, tmux, model } = await ready(claude, [dangerous, { say: 'Never.' }]);
    open.push(() => tmux('kill-server').catch(unlessGone));
    await run('launch', 'claude', '--worktree', worktree, '--prompt', first);
    await until('it waits', async () => {
      const [one] = (await run('sessions')).envelope.data.sessions;
      return one?.needs_attention === 'asks for permission';
    });
    const { envelope } = await run('message', worktree, 'Go on.');
    assert.equal(envelope.error, 'busy', envelope.message);
    assert.match(envelope.message ?? '', /permission/);
    assert.equal(model.played(), 1);
  });

  it('that ends at once is refused with what it said, and can be launched again', async () => {
    const { run, worktree, bin, tmux } = await ready(claude, [{ say: 'Ready.' }]);
    open.push(() => tmux('kill-server').catch(unlessGone));
    const [fine, broken] = [join(bin, 'claude'), '#!/bin/sh\necho "No licence."\nexit 3\n'];
    await exec('rm', [fine]);
    await writeFile(fine, broken);
    await chmod(fine, 0o755);
    const { envelope } = await run('launch', 'claude', '--worktree', worktree);
    assert.equal(envelope.error, 'unavailable', envelope.message);
    assert.match(envelope.message ?? '', /ended at once, saying: No licence/);
    await exec('rm', [fine]);
    await symlink(program('claude'), fine);
    const two = await Promise.all([1, 2].map(() => run('launch', 'claude', '--worktree', worktree)));
    assert.deepEqual(two.map(({ envelope: { error } }) => error ?? 'ok').sort(), ['busy', 'ok']);
  });
});

/** tmux ends by itself with its last terminal. */
function unlessGone(error: Error): void {
  if (!/no server running|error connecting/.test(error.message)) throw error;
}
