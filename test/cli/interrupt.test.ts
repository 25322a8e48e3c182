import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartData } from '../../src/contract/data.ts';
import { envelopeSchema } from '../../src/contract/envelope.ts';
import { verbs } from '../../src/contract/verbs.ts';
import { cli, json, startCli } from '../support/cli.ts';
import { runs, until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A job that starts a child of its own, says who both are, and never ends by itself. */
const endless = `[jobs]
lint = { run = "echo $$ > ../self; sleep 1000 & echo $! > ../child; wait" }
`;

function pidsOf({ home }: Project): number[] {
  return ['self', 'child'].flatMap((name) => {
    const file = join(home, name);
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    return pid > 0 ? [pid] : [];
  });
}

describe('An interrupted run', () => {
  afterEach(removeAll);

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    it(`${signal} to the program’s process group ends every process of the job, and exits with ${code}`, async () => {
      const project = await make({ config: endless });
      const running = startCli(['done', '--json'], { cwd: project.root, detached: true });
      await until('the job runs', () => pidsOf(project).length === 2);
      const pids = pidsOf(project);
      assert.ok(pids.every(runs));
      process.kill(-running.pid, signal);
      const result = await running.ended;
      assert.equal(result.code, code);
      assert.deepEqual(pids.filter(runs), []);
      const envelope = envelopeSchema('done', verbs.done.data).parse(JSON.parse(result.stdout));
      assert.equal(envelope.error, 'cancelled');
      assert.equal(envelope.steps?.[0]?.outcome, 'cancelled');
    });
  }

  it('a start takes back what it made', async () => {
    const setup = '[worktree.setup]\nsteps = ["touch ../../app/../reached; sleep 1000"]\n';
    const project = await make({ config: `[jobs]\nlint = "true"\n${setup}` });
    const running = startCli(['start', 'x'], { cwd: project.root, detached: true });
    await until('the setup runs', () => existsSync(join(project.home, 'reached')));
    process.kill(-running.pid, 'SIGINT');
    const { code, stdout, stderr } = await running.ended;
    assert.equal(code, 130);
    assert.match(stdout, /^✖ start was cancelled\n/);
    assert.match(stderr, /^Cancelling\./m);
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 1);
    assert.equal(await git(project.root, 'branch', '--list', 'agent/*'), '');
  });

  it('a second Ctrl-C leaves at once, and the next call finishes the landing that was cut off', async () => {
    const project = await make();
    const { envelope } = await json<StartData>(['start'], { cwd: project.root });
    const { path } = envelope.data;
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
    assert.equal((await cli(['done'], { cwd: path })).code, 0);
    // Held between the moved trunk and the removal of the worktree, where nothing is cancelled any more.
    const env = { DISCERN_FAULT_POINT: 'accept.followed=600000' };
    const running = startCli(['accept'], { cwd: path, env });
    await until('the trunk has moved', () => running.stderr().includes(`main is at ${commit.slice(0, 10)}`));
    running.child.kill('SIGINT');
    await until('it takes notice', () => running.stderr().includes('Cancelling'));
    assert.equal(running.child.exitCode, null);
    let left = false;
    void running.ended.then(() => {
      left = true;
    });
    await until('it has left', async () => {
      running.child.kill('SIGINT');
      await sleep(50);
      return left;
    });
    const { code, stdout } = await running.ended;
    assert.equal(code, 130);
    assert.equal(stdout, '');
    const status = await cli(['status'], { cwd: project.root });
    assert.match(status.stdout, /interrupted landing/);
    assert.equal(existsSync(path), false);
  });
});

describe('A reader that leaves early', () => {
  afterEach(removeAll);

  it('is no failure, and nothing is said of it', async () => {
    const project = await make();
    const running = startCli(['status'], { cwd: project.root });
    running.child.stdout.destroy();
    const { code, stderr } = await running.ended;
    assert.equal(code, 0);
    assert.equal(stderr, '');
  });

  it('of the progress leaves the result as it is', async () => {
    const project = await make();
    const running = startCli(['done'], { cwd: project.root });
    running.child.stderr.destroy();
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    assert.match(stdout, /2 jobs passed/);
  });
});
