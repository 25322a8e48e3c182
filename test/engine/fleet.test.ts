import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetWorktree } from '../../src/contract/verbs-fleet.ts';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';
import { connections } from '../support/server.ts';
import { snapshot } from '../support/snapshot.ts';

/** The repository these tests were built from; esbuild.mjs fills it in. */
declare const DISCERN_HOME: string;

const { make, removeAll } = projects();
const { open, closeAll } = connections();

/** A transcript of a real Claude Code, and its folder. */
const recorded = join(DISCERN_HOME, 'test/fixtures/sessions/.claude/projects/-home-person-app');
const recordedId = '9c466457-0cd1-4f6d-9471-8c55506cf0e4';

describe('The fleet', () => {
  const before = { ...process.env };
  let home: string;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern-home-')));
    Object.assign(process.env, { HOME: home, USERPROFILE: home, DISCERN_STATE_DIR: join(home, 'state') });
    for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME']) delete process.env[name];
  });
  afterEach(async () => {
    await closeAll();
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    await removeAll();
    await rm(home, { recursive: true, force: true });
  });

  const fleet = async (args = {}) => succeeded(await verb('fleet', '', args));
  const rows = async (args = {}) => (await fleet(args)).projects.flatMap(({ worktrees }) => worktrees);
  const rowOf = async (path: string) => {
    const found = (await rows()).find((one) => one.path === path);
    assert.ok(found, path);
    return found;
  };
  const why = async (path: string) => (await rowOf(path)).needs_attention ?? [];

  /** A session of Claude Code that stands in a directory, as it writes it; `program` is what its process says. */
  async function session(cwd: string, program: Record<string, unknown> | 'ended', id = recordedId) {
    const folder = join(home, '.claude/projects/-folder');
    await mkdir(folder, { recursive: true });
    const text = await readFile(join(recorded, `${recordedId}.jsonl`), 'utf8');
    const file = join(folder, `${id}.jsonl`);
    await writeFile(file, text.replaceAll('/home/person/app', cwd).replaceAll(recordedId, id));
    await mkdir(join(home, '.claude/sessions'), { recursive: true });
    if (program === 'ended') return file;
    const record = { pid: process.pid, sessionId: id, cwd, ...program };
    await writeFile(join(home, `.claude/sessions/${process.pid}.json`), JSON.stringify(record));
    return file;
  }
  const stat = async (project: Project) => succeeded(await verb('status', project.root));

  it('has every project that was met, marked where it is empty or has vanished', async () => {
    assert.deepEqual(await fleet(), { projects: [], worktrees: 0, attention: 0 });
    const [busy, empty, gone] = [
      await make({ name: 'busy' }),
      await make({ name: 'empty' }),
      await make({ name: 'gone' }),
    ];
    for (const project of [busy, empty, gone]) await stat(project);
    const { path } = await started(busy.root);
    await rm(gone.home, { recursive: true });
    const { projects: all, worktrees } = await fleet();
    assert.deepEqual(
      all.map((one) => [one.root, one.empty, one.vanished, one.worktrees.length]).sort(),
      [
        [busy.root, undefined, undefined, 2],
        [empty.root, true, undefined, 1],
        [gone.root, undefined, true, 0],
      ].sort(),
    );
    assert.equal(worktrees, 3);
    const listed = succeeded(await verb('projects', '')).projects;
    assert.deepEqual(
      listed.map((one) => [one.path, one.branch === null, one.empty, one.vanished, one.location]).sort(),
      [
        [busy.root, false, undefined, undefined, 'main'],
        [path, false, undefined, undefined, 'worktree'],
        [empty.root, false, true, undefined, 'main'],
        [gone.root, true, undefined, true, 'main'],
      ].sort(),
    );
  });

  it('shows a project whose config is broken with what is wrong, and the others', async () => {
    const [good, bad] = [await make({ name: 'good' }), await make({ name: 'bad' })];
    for (const project of [good, bad]) await stat(project);
    await writeFile(join(bad.root, 'discern.toml'), '[jobs\n');
    const { projects: all } = await fleet();
    assert.match(all.find(({ root }) => root === bad.root)?.problem ?? '', /discern\.toml:\d/);
    assert.equal(all.find(({ root }) => root === good.root)?.worktrees.length, 1);
    const answer = await verb('projects', '');
    assert.match(answer.hints?.join() ?? '', /bad: .*discern\.toml:\d/);
  });

  it('has of each worktree its distance, changes, proof, commits, title, phase, to-dos and tickets', async () => {
    const project = await make();
    const { id, path, branch } = await started(project.root, { name: 'Some Work!' });
    await project.commit({ 'src/b.txt': 'b\n' }, path, 'the first\n\nwith a body');
    await project.commit({ 'src/c.txt': 'c\n' }, path, 'the second');
    succeeded(await verb('done', path));
    const phase = succeeded(await verb('phase', '', { worktree: id, word: 'testing', note: 'half' }));
    await writeFile(phase.file.replace('discern-phase', 'discern-todo'), '- [x] a\n- [ ] b\n- [ ] c\n');
    succeeded(
      await verb('ticket', '', { action: 'attach', worktree: id, ref: 'https://f.example/a/b/pull/3' }),
    );
    const listed = succeeded(await verb('status', project.root)).worktrees.find((one) => one.path === path);
    assert.deepEqual([listed?.title, listed?.tickets], ['Some Work!', ['a/b#3']]);
    const row = await rowOf(path);
    assert.deepEqual(
      [row.id, row.branch, row.title, row.ahead, row.behind, row.proof, row.managed, row.location],
      [id, branch, 'Some Work!', 2, 0, 'valid', true, 'worktree'],
    );
    assert.deepEqual(row.commits?.map(({ subject }) => subject).sort(), ['the first', 'the second']);
    assert.deepEqual(row.changes, { staged: 0, unstaged: 0, untracked: 0 });
    assert.deepEqual([row.phase?.word, row.phase?.note, row.todos], ['testing', 'half', { done: 1, all: 3 }]);
    assert.deepEqual(
      row.tickets?.map(({ ref }) => ref),
      ['a/b#3'],
    );
    assert.deepEqual([row.last_run?.ok, row.last_run?.verb, row.needs_attention], [true, 'done', undefined]);
    succeeded(await verb('describe', '', { worktree: id, title: 'Renamed' }));
    await git(path, 'branch', '-m', 'by-hand');
    await project.write({ 'src/loose.txt': 'x\n', 'src/b.txt': 'changed\n' }, path);
    const now = await rowOf(path);
    assert.deepEqual([now.title, now.branch, now.id, now.proof], ['Renamed', 'by-hand', id, 'stale']);
    assert.deepEqual(now.changes, { staged: 0, unstaged: 1, untracked: 1 });
    assert.deepEqual(
      (await rows({ ticket: '#3' })).map((one) => one.path),
      [path],
    );
    assert.deepEqual(await rows({ ticket: 'other/b#3' }), []);
    refusedWith(await verb('fleet', '', { ticket: 'x' }), 'invalid_argument', /no issue or pull request/);
  });

  it('counts distances as git does, in histories with merges and without anything in common', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const { path: other } = await started(project.root);
    for (const n of [1, 2, 3]) {
      await project.commit({ [`src/w${n}.txt`]: 'x\n' }, path);
      await project.commit({ [`src/t${n}.txt`]: 'x\n' }, project.root);
      if (n === 2) await git(path, 'merge', '--quiet', '-m', 'a merge', 'main');
    }
    const alone = join(project.home, 'alone');
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', alone);
    await git(alone, 'checkout', '--quiet', '--orphan', 'alone');
    await git(alone, 'commit', '--quiet', '-m', 'alone');
    for (const at of [path, other, alone]) {
      const [behind, ahead] = (await git(at, 'rev-list', '--left-right', '--count', 'main...HEAD')).split(
        '\t',
      );
      const row = await rowOf(at);
      assert.deepEqual([row.ahead, row.behind], [Number(ahead), Number(behind)], at);
    }
  });

  it('shows a running gate to every caller with its progress, and after a restart what failed last', async () => {
    const project = await make({
      config:
        '[project]\nname = "x"\n[jobs]\nlint = "true"\ntest = "while ! test -e ../go; do sleep 0.05; done; exit 1"\n',
    });
    const { path } = await started(project.root);
    const server = await open({ args: ['--root', path], env: { DISCERN_STATE_DIR: join(home, 'state') } });
    const running = server.call('discern_done');
    await until('the first job has ended and the second runs', async () => {
      const now = (await rowOf(path)).gate;
      return now?.done === 1 && now.running.length > 0;
    });
    const { gate, needs_attention } = await rowOf(path);
    assert.deepEqual(
      [gate?.verb, gate?.jobs, gate?.running, needs_attention],
      ['done', 2, ['test'], undefined],
    );
    await writeFile(join(path, '../go'), '');
    assert.equal((await running).envelope.error, 'gate_failed');
    await closeAll();
    const row = await rowOf(path);
    assert.deepEqual([row.gate, row.last_run?.ok, row.last_run?.error], [undefined, false, 'gate_failed']);
    assert.deepEqual([row.last_run?.failed, row.needs_attention], [['test'], ['gate red']]);
  });

  it('says of a run whose process died that it was interrupted, and believes no record of a stranger’s', async () => {
    const project = await make({
      config: '[project]\nname = "x"\n[jobs]\ntest = "touch ../began; sleep 60"\n',
    });
    const { path } = await started(project.root);
    const server = await open({ args: ['--root', path], env: { DISCERN_STATE_DIR: join(home, 'state') } });
    const running = server.call('discern_test').catch(() => undefined);
    await until('the job runs', () => existsSync(join(path, '../began')));
    process.kill(server.pid, 'SIGKILL');
    await running;
    const row = await rowOf(path);
    assert.deepEqual(
      [row.gate, row.last_run?.error, row.needs_attention],
      [undefined, 'interrupted', undefined],
    );
    const record = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'discern-run.json');
    for (const planted of ['', '{', '[]', '{"version":2}', `{"version":1,"root":"${'x'.repeat(5_000)}"}`]) {
      await writeFile(record, planted);
      assert.equal((await rowOf(path)).last_run, undefined, planted.slice(0, 20));
    }
  });

  it('names who needs a person and why: sessions that ask, gates that are red, work left behind, a block', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await session(path, { status: 'waiting', waitingFor: 'permission prompt' });
    assert.deepEqual(await why(path), ['asks for permission']);
    const [row] = (await rowOf(path)).sessions;
    assert.deepEqual([row?.id, row?.client, row?.state], [recordedId, 'claude', 'waiting']);
    await session(path, { status: 'waiting', waitingFor: 'input needed' });
    assert.deepEqual(await why(path), ['asks a question']);
    await session(path, { status: 'busy' });
    assert.deepEqual(await why(path), []);
    assert.equal((await rowOf(path)).sessions[0]?.state, 'working');

    // Of work that somebody is at it is no matter yet that the trunk has moved.
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    await project.commit({ 'src/c.txt': 'c\n' }, project.root);
    assert.deepEqual(await why(path), []);
    await rm(join(home, '.claude/sessions'), { recursive: true });
    await mkdir(join(home, '.claude/sessions'));
    assert.deepEqual(await why(path), ['behind']);
    succeeded(await verb('update', path));
    assert.deepEqual(await why(path), []);

    await project.commit({ 'src/b.txt': 'BROKEN\n' }, path);
    refusedWith(await verb('done', path), 'gate_failed');
    assert.deepEqual(await why(path), ['gate red']);
    await project.commit({ 'src/b.txt': 'mended\n' }, path);
    succeeded(await verb('done', path));
    assert.deepEqual(await why(path), []);

    succeeded(await verb('phase', '', { worktree: path, word: 'testing', blocked: true }));
    assert.deepEqual(await why(path), ['blocked']);
    const { attention } = await fleet();
    assert.equal(attention, 1);
  });

  it('names a checkout where work goes astray, and a worktree that is gone with the session in it', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await session(project.root, { status: 'busy' });
    assert.deepEqual(await why(project.root), []);
    // What was changed before the worktree was made is somebody's own.
    await project.write({ 'src/a.txt': 'edited before\n' });
    await utimes(join(project.root, 'src/a.txt'), 1_000_000, 1_000_000);
    assert.deepEqual(await why(project.root), []);
    await project.write({ 'src/a.txt': 'edited since\n' });
    assert.deepEqual(await why(project.root), ['strand']);
    assert.equal((await rowOf(project.root)).sessions[0]?.needs_attention, 'strand');
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    assert.deepEqual(await why(project.root), []);

    await session(join(path, 'src'), { status: 'busy' });
    await rm(path, { recursive: true });
    const row = await rowOf(path);
    assert.deepEqual([row.missing, row.needs_attention], [true, ['root missing']]);
    assert.equal(row.sessions[0]?.needs_attention, 'root missing');
    await git(project.root, 'worktree', 'prune');
    assert.deepEqual(await why(project.root), ['root missing']);
  });

  it('believes no transcript about a place that is none, and shows what is in its words', async () => {
    const project = await make();
    const { path } = await started(project.root);
    for (const cwd of [`${project.root}-not`, '/', home, join(project.home, 'nowhere'), `${path}/../../..`]) {
      await session(cwd, { status: 'waiting', waitingFor: 'permission prompt' });
      for (const one of await rows()) assert.deepEqual(one.sessions, [], cwd);
    }
    // A copy of a worktree is not the worktree.
    const copy = join(project.home, 'copy');
    await cp(path, copy, { recursive: true });
    await session(copy, { status: 'busy' });
    for (const one of await rows()) assert.deepEqual(one.sessions, []);
    const file = await session(join(path, 'src'), { status: 'busy' });
    const title = {
      type: 'custom-title',
      sessionId: recordedId,
      customTitle: '\u001b[2J\u0007bell\nline\u202e',
    };
    await writeFile(file, `${await readFile(file, 'utf8')}${JSON.stringify(title)}\n`);
    const [shown] = (await rowOf(path)).sessions;
    assert.equal(shown?.title, '\\u{1b}[2J\\u{7}bell line\\u{202e}');
  });

  it('runs nothing of a repository’s and writes nothing into it', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await project.write({ 'src/a.txt': 'changed\n', '.gitattributes': '* filter=evil\n' }, path);
    const ran = join(project.home, 'ran');
    for (const key of ['filter.evil.clean', 'core.fsmonitor', 'filter.evil.process']) {
      await git(project.root, 'config', key, `touch ${ran}; cat`);
    }
    await fleet();
    const what = await snapshot(project.home);
    assert.ok((await rowOf(path)).changes);
    assert.deepEqual(await snapshot(project.home), what);
    assert.equal(existsSync(ran), false);
  });

  it('lets one look into a worktree: its job’s last lines and its session’s last words, in 4 KB', async () => {
    const project = await make({
      config: `[project]\nname = "x"\n[jobs]\ntest = '''seq 1 5000; printf "\\033[31mthe reason\\033[0m\\n"; exit 1'''\n`,
    });
    const { id, path } = await started(project.root);
    const peek = async () => {
      const answer = await verb('peek', '', { worktree: id });
      return { data: succeeded(answer), size: Buffer.byteLength(JSON.stringify(answer)) };
    };
    const empty = (await peek()).data;
    assert.deepEqual([empty.job, empty.session, empty.sessions], [undefined, undefined, 0]);
    await session(path, { status: 'busy' });
    refusedWith(await verb('test', path), 'gate_failed');
    for (const n of [1, 2, 3])
      await project.commit({ 'src/b.txt': `${n}\n` }, path, `${'ö'.repeat(300)} ${n}`);
    succeeded(await verb('describe', '', { worktree: id, title: 'ö'.repeat(120) }));
    const { data, size } = await peek();
    assert.ok(size <= 4_096, `${size}`);
    assert.match(data.job?.output ?? '', /\n5000\nthe reason$/);
    assert.equal((await readFile(data.job?.path ?? '', 'utf8')).startsWith('1\n2\n'), true);
    assert.deepEqual([data.session?.id, data.needs_attention], [recordedId, ['gate red']]);
    assert.match(data.session?.text ?? '', /\w/);
    const said = JSON.stringify(data.session);
    assert.ok(!said.includes('tool_use') && !said.includes('<'), said);
    const server = await open({ env: { DISCERN_STATE_DIR: join(home, 'state') } });
    const { text, envelope } = await server.call('discern_peek', { worktree: path });
    assert.ok(text.length <= 4_096 && text.includes('the reason'), text);
    assert.ok(Buffer.byteLength(JSON.stringify(envelope)) <= 4_096);

    // What a record in the worktree's git directory names is shown only where outputs of runs lie.
    const secret = join(project.home, 'secret.log');
    await writeFile(secret, 'a secret\n');
    const record = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'discern-run.json');
    const run = JSON.parse(await readFile(record, 'utf8'));
    await writeFile(record, JSON.stringify({ ...run, failed: [{ job: 'test', output: secret }] }));
    assert.equal((await peek()).data.job, undefined);
  });

  it('is cut for agents to what they can pay for, those that need a person first', async () => {
    const project = await make();
    const { path } = await started(project.root, { name: 'needs a person' });
    succeeded(await verb('phase', '', { worktree: path, word: 'blocked', note: 'needs a key' }));
    const server = await open({ env: { DISCERN_STATE_DIR: join(home, 'state') } });
    const { envelope, text } = await server.call('discern_fleet');
    const data = envelope.data as unknown as {
      projects: { worktrees: FleetWorktree[] }[];
      attention: number;
    };
    assert.deepEqual(data.projects[0]?.worktrees[0]?.needs_attention, ['blocked']);
    assert.equal(data.attention, 1);
    assert.match(text, new RegExp(`- blocked: ${path} \\(.*needs a person.*blocked: needs a key`));
  });
});
