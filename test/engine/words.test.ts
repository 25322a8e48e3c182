import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HelpData } from '../../src/contract/data.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { cli, json } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';
import { connections } from '../support/server.ts';

declare const DISCERN_HOME: string;

const { make, removeAll } = projects();
const { open, closeAll } = connections();

/** A page of ours as one line of words, so that a sentence is found wherever its lines break. */
const page = async (name: string) => (await readFile(join(DISCERN_HOME, name), 'utf8')).replace(/\s+/g, ' ');

describe('What the README says of re-aiming', () => {
  afterEach(removeAll);

  const reaim =
    '`start` moves the held root to the worktree it made; `accept` moves it to the trunk’s checkout where it removed the worktree the held root lay in';
  it(`${reaim}.`, async () => {
    for (const name of ['README.md', 'docs/help/roots.md']) {
      assert.ok((await page(name)).replaceAll("'", '’').includes(reaim), name);
    }
    const project = await make();
    const connection = await open({ args: ['--root', project.root] });
    const held = async () =>
      ((await connection.call('discern_status')).envelope.data.held as { root: string }).root;
    const first = (await connection.call('discern_start', { name: 'one' })).envelope.data.path as string;
    assert.equal(await held(), first);
    const again = { name: 'two', path: project.root };
    const second = (await connection.call('discern_start', again)).envelope.data.path as string;
    assert.equal(await held(), second);
    await project.commit({ 'src/b.txt': 'b\n' }, first);
    assert.equal((await connection.call('discern_accept', { path: first })).envelope.ok, true);
    assert.equal(await held(), second, 'another worktree landed');
    const hand = join(project.home, 'by-hand');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'by-hand', hand);
    await project.commit({ 'src/c.txt': 'c\n' }, hand);
    assert.equal((await connection.call('discern_accept', { path: hand })).envelope.ok, true);
    assert.equal(await held(), second, 'one that stays landed');
    await git(second, 'merge', '--quiet', '--ff-only', 'main');
    await project.commit({ 'src/d.txt': 'd\n' }, second);
    assert.equal((await connection.call('discern_accept')).envelope.ok, true);
    assert.equal(await held(), project.root);
    await closeAll();
  });
});

describe('What discern says', () => {
  afterEach(removeAll);

  it('on [worktree].export_port: where no env file is there nothing is written, and start says so', async () => {
    const setup = '[worktree.setup]\nsteps = ["cp env.example .env"]\n';
    const toml = '[project]\nname = "x"\n[worktree]\nexport_port = true\n';
    const bare = await make({ config: toml });
    const answer = await verb('start', bare.root);
    const { path } = succeeded(answer);
    assert.equal(existsSync(join(path, '.env')), false);
    const told = (answer.hints ?? []).filter((hint) => hint.includes('[worktree].export_port'));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /none of \.env, \.env\.local is in .*DISCERN_WORKTREE_PORT/);

    const made = await make({
      config: toml + setup,
      files: { 'env.example': 'A=1\n', '.gitignore': '.env\n' },
    });
    const second = await verb('start', made.root);
    const { path: other, port } = succeeded(second);
    assert.match(
      await readFile(join(other, '.env'), 'utf8'),
      new RegExp(`^DISCERN_WORKTREE_PORT=${port}$`, 'm'),
    );
    assert.ok(!second.hints?.some((hint) => hint.includes('[worktree].export_port')));
    assert.match(
      await page('docs/help/config.md'),
      /Write each worktree’s own id and port into its env file, where one of `env_files` is there/,
    );
  });

  it('of a branch that was renamed, accept says how to go on, and doing that lands it', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    await git(path, 'branch', '--move', 'feature/better');
    const before = await everything(project);
    const answer = await verb('accept', path);
    refusedWith(answer, 'dirty_worktree', /feature\/better/);
    assert.deepEqual(await everything(project), before);
    const [, command = ''] = /run "git (.+?)"/.exec(answer.message ?? '') ?? [];
    assert.equal(command, `branch -m feature/better ${branch}`);
    await git(path, ...command.split(' '));
    succeeded(await verb('accept', path));

    const second = await started(project.root);
    await project.commit({ 'src/c.txt': 'c\n' }, second.path);
    await git(second.path, 'switch', '--quiet', '--detach');
    await git(second.path, 'branch', '--quiet', '-D', second.branch ?? '?');
    const detached = await verb('accept', second.path);
    refusedWith(detached, 'dirty_worktree', /detached HEAD/);
    assert.match(detached.message ?? '', new RegExp(`run "git switch -c ${second.branch}"`));
    await git(second.path, 'switch', '--quiet', '-c', second.branch ?? '?');
    succeeded(await verb('accept', second.path));
  });

  it('of a verb under its tool’s name, help explains it', async () => {
    const asked = async (topic: string) => {
      const { envelope } = await json<HelpData>(['help', topic], { cwd: '/' });
      assert.equal(envelope.ok, true, topic);
      return envelope.data;
    };
    for (const topic of ['discern_start', 'Discern_Start', '`discern_start`', 'discern start', ' start. ']) {
      assert.deepEqual(await asked(topic), await asked('start'), topic);
    }
    assert.equal((await asked('discern_projects')).topic, 'remote');
    const { code, stdout } = await cli(['help', 'discern_start'], { cwd: '/' });
    assert.equal(code, 0);
    assert.match(stdout, /^start\n/);
    const { envelope } = await json(['help', 'discern_'], { cwd: '/' });
    assert.equal(envelope.error, 'invalid_argument');
  });

  it('without git: unavailable, with what to install', async () => {
    const project = await make();
    const empty = join(project.home, 'empty');
    await writeFile(empty, '');
    const before = await everything(project);
    for (const args of [['status'], ['done'], ['start', 'x']]) {
      const { envelope, result } = await json(args as ['status'], {
        cwd: project.root,
        env: { PATH: empty },
      });
      assert.equal(envelope.error, 'unavailable', envelope.message);
      assert.match(
        envelope.message ?? '',
        /^git could not be started: install git 2\.38 or later and put it on PATH/,
      );
      assert.equal(result.code, 1);
    }
    await git(project.root, 'status');
    const after = await everything(project);
    assert.deepEqual(after, before);
  });

  it('of the output of runs, how long it stays', async () => {
    const kept = 'the output of the last 40 runs and of those younger than an hour';
    for (const name of ['docs/architecture.md', 'docs/help/troubleshooting.md']) {
      const text = (await page(name)).replace(
        'output of runs, the last 40 and those',
        'the output of the last 40 runs and of those',
      );
      assert.ok(text.includes(kept), name);
    }
  });
});
