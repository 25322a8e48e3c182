import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOnPath } from '../../src/engine/process/program.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** Claude Code's record of a session, as far as it is looked at. */
const line = (session: string, cwd: string) =>
  `${JSON.stringify({ type: 'user', sessionId: session, cwd, message: { role: 'user', content: 'Hello.' } })}\n`;

// What needs a terminal is tried with the real clients, in test/clients/launch.test.ts.
describe('An agent in a worktree', () => {
  const before = { ...process.env };
  let home: string;
  let project: Project;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern-launch-')));
    const bin = join(home, 'bin');
    await mkdir(bin);
    await symlink(programOnPath('git', before.PATH, false) ?? '', join(bin, 'git'));
    await writeFile(join(bin, 'claude'), '#!/bin/sh\nexit 3\n');
    await chmod(join(bin, 'claude'), 0o755);
    Object.assign(process.env, { PATH: bin, HOME: home, DISCERN_STATE_DIR: join(home, 'state') });
    delete process.env.CLAUDE_CONFIG_DIR;
    project = await make();
  });
  afterEach(async () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    await removeAll();
    await rm(home, { recursive: true, force: true });
  });

  const sessions = async (...ids: string[]) => {
    const folder = join(home, '.claude', 'projects', 'app');
    await mkdir(folder, { recursive: true });
    for (const id of ids) await writeFile(join(folder, `${id}.jsonl`), line(id, project.root));
  };

  it('is previewed with the command and the variables it gets, and nothing is started or written', async () => {
    const { path, id } = await started(project.root, { name: 'work' });
    const what = await everything(project);
    const answer = await verb('launch', project.root, {
      client: 'claude',
      worktree: id,
      prompt: '--help me',
      model: 'opus;',
      dry_run: true,
    });
    const { argv = [], environment = {}, session = '' } = succeeded(answer);
    assert.deepEqual(argv, [
      join(home, 'bin', 'claude'),
      '--model=opus;',
      `--session-id=${session}`,
      '--',
      '--help me',
    ]);
    assert.equal(environment.DISCERN_ROOT, path);
    assert.ok(environment.DISCERN_PHASE_FILE);
    const both = await verb('launch', project.root, { client: 'claude', name: 'other', dry_run: true });
    assert.match(both.plan?.steps.map(({ action }) => action).join('\n') ?? '', /worktree[\s\S]*Run claude/i);
    assert.deepEqual(await everything(project), what);
  });

  it('is not launched without tmux, without the client, in the main checkout, or for a new worktree of no project', async () => {
    const { path } = await started(project.root);
    const what = await everything(project);
    const launch = (args: object, root = project.root) =>
      verb('launch', root, { client: 'claude', worktree: path, ...args } as never);
    assert.match(refusedWith(await launch({}), 'unavailable'), /tmux/);
    assert.match(
      refusedWith(await launch({ client: 'codex' }), 'unavailable'),
      /codex is not on PATH.*that is here \(claude\)/,
    );
    assert.match(refusedWith(await launch({ worktree: project.root }), 'not_in_worktree'), /main checkout/);
    assert.match(refusedWith(await launch({ worktree: undefined }, ''), 'path_required'), /project/);
    assert.match(refusedWith(await launch({ prompt: 'a\0b' }), 'invalid_argument'), /NUL/);
    assert.match(refusedWith(await launch({ prompt: 'x'.repeat(1_000_000) }), 'invalid_argument'), /1000000/);
    assert.match(refusedWith(await launch({ resume: '../../etc' }), 'invalid_argument'), /session id/);
    const { refs, worktrees } = await everything(project);
    assert.deepEqual({ refs, worktrees }, { refs: what.refs, worktrees: what.worktrees });
  });

  it('is not messaged where none was launched, or with what is no plain text', async () => {
    const { path } = await started(project.root);
    const message = (text: string, worktree = path) => verb('message', project.root, { worktree, text });
    assert.match(refusedWith(await message('Hello.'), 'unavailable'), /No agent was launched/);
    assert.match(refusedWith(await message('Hello.', project.root), 'unavailable'), /No agent was launched/);
    assert.match(refusedWith(await message('\u001b[201~rm -rf /\r'), 'invalid_argument'), /control/);
    assert.match(refusedWith(await message(' \n '), 'invalid_argument'), /empty/);
    assert.match(refusedWith(await message('x'.repeat(1_000_000)), 'invalid_argument'), /1000000/);
  });

  it('is found by the session a worktree is said to follow, until that is taken back', async () => {
    const { path } = await started(project.root);
    await sessions('aaaa-1', 'aaaa-2', 'b-3');
    const remap = (session: string) => verb('remap', project.root, { worktree: path, session });
    const one = succeeded(await remap('b'));
    assert.deepEqual([one.client, one.session], ['claude', 'b-3']);
    assert.match(refusedWith(await remap('aaaa'), 'invalid_argument'), /aaaa-1.*aaaa-2|aaaa-2.*aaaa-1/);
    assert.match(refusedWith(await remap('c'), 'invalid_argument'), /no session/);
    assert.match(refusedWith(await remap('../b-3'), 'invalid_argument'), /no.* session id/);
    assert.equal(succeeded(await remap('aaaa-2')).session, 'aaaa-2');
    assert.equal('session' in succeeded(await remap('')), false);
  });
});
