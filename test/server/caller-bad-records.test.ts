import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cp,
  mkdir,
  open as openFile,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { callersDir, tell } from '../../src/engine/callers/told.ts';
import { sessionsIn } from '../support/callers.ts';
import { runHook } from '../support/hook.ts';
import { git, type Project, projects } from '../support/project.ts';
import { type Connection, connections, type ToolAnswer } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

const first = ({ text }: ToolAnswer) => text.split('\n')[0] ?? '';

/** A checkout made by the client's own means. */
async function ownWorktree(project: Project, name = 'mine'): Promise<string> {
  const path = join(project.home, `app.worktrees/${name}`);
  await git(project.root, 'worktree', 'add', '--quiet', '-b', name, path);
  await project.commit({ 'src/b.txt': 'fine\n' }, path);
  return path;
}

/** The call was about the held root, said nothing of another place, and moved nothing. */
async function unmoved(server: Connection, root: string, options = {}) {
  const test = await server.call('discern_test', {}, options);
  assert.equal(test.envelope.ok, true, test.text);
  assert.equal(test.envelope.data.root, root, test.text);
  assert.equal(((await server.resource('discern://root')) as { moved_by?: string }).moved_by, undefined);
  return test;
}

describe('A record of a client’s session', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('that names a copy of a worktree, which git takes for the worktree itself, moves nothing', async () => {
    const project = await make();
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    const own = await ownWorktree(project);
    const copy = join(project.home, 'copy');
    await cp(own, copy, { recursive: true });
    await claude.process(copy);
    const test = await unmoved(server, project.root);
    assert.equal((test.envelope.data.caller as { state: string }).state, 'foreign', test.text);
    // Moved by hand it is the one checkout there is, and git is to be told: a green about the trunk would be the false one.
    await rm(copy, { recursive: true });
    await rename(own, copy);
    const moved = await server.call('discern_test');
    assert.equal(moved.envelope.error, 'not_a_git_repository', moved.text);
    assert.match(moved.text, /git worktree repair/);
  });

  it('that names a directory where a worktree was, and the trunk’s checkout holds now, moves nothing', async () => {
    const project = await make();
    const { claude } = sessionsIn(project.home);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    const own = join(project.root, '.claude/worktrees/mine');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'mine', own);
    await claude.process(own);
    const looked = await server.call('discern_status');
    assert.equal((looked.envelope.data.caller as { state: string }).state, 'work', looked.text);
    await git(project.root, 'worktree', 'remove', own);
    await mkdir(own, { recursive: true });
    const test = await unmoved(server, project.root);
    assert.equal(test.envelope.data.caller, undefined, test.text);
  });

  it('is one session’s: where two processes have one id, neither’s shell speaks for the other', async () => {
    const project = await make();
    const { claude, session } = sessionsIn(project.home);
    const env = { ...claude.env(project.root), DISCERN_STATE_DIR: join(project.home, 'state') };
    const server = await open({ name: 'claude-code', env, cwd: project.root });
    const own = await ownWorktree(project);
    await claude.process(project.root);
    await claude.transcript([{ type: 'assistant', cwd: own, sessionId: session }]);
    await tell(env, { client: 'claude', session, cwd: own, event: 'PreToolUse' });
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    try {
      const record = { pid: other.pid, sessionId: session, cwd: own };
      await writeFile(join(project.home, '.claude/sessions', `${other.pid}.json`), JSON.stringify(record));
      const test = await unmoved(server, project.root);
      assert.ok(!first(test).includes('You stand'), first(test));
    } finally {
      other.stdin?.end();
      await once(other, 'exit');
    }
    // A process that is gone, and left its record behind, is no second one.
    const alone = await server.call('discern_test');
    assert.equal(alone.envelope.data.root, own, alone.text);
  });

  it('is one story: two rollouts, or two transcripts, of one id are none', async () => {
    const project = await make();
    const { claude, codex, session } = sessionsIn(project.home);
    const own = await ownWorktree(project);
    const turn = (cwd: string) => [{ type: 'turn_context', payload: { cwd } }];
    await codex.rollout(turn(own));
    const day = join(project.home, '.codex/sessions/2026/12/02');
    await cp(
      join(day, `rollout-2026-12-02T10-00-00-${session}.jsonl`),
      join(day, `rollout-2026-12-02T11-00-00-${session}.jsonl`),
    );
    const server = await open({ name: 'codex-mcp-client', env: codex.env, cwd: project.root });
    await unmoved(server, project.root, { meta: codex.meta });
    await claude.transcript([{ cwd: own, sessionId: session }]);
    await claude.transcript([{ cwd: own, sessionId: session }], { folder: '-elsewhere' });
    const other = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    await unmoved(other, project.root);
  });

  it('is looked for by no id that leads out of its folder', async () => {
    const project = await make();
    const own = await ownWorktree(project);
    const line = JSON.stringify({ cwd: own, payload: { cwd: own }, type: 'turn_context' });
    const planted: [string, string][] = [
      ['.claude/evil.jsonl', `${line}\n`],
      ['.claude/projects/-app/none', ''],
      ['.copilot/evil/workspace.yaml', `cwd: ${own}\n`],
    ];
    for (const [file, text] of planted) {
      await mkdir(dirname(join(project.home, file)), { recursive: true });
      await writeFile(join(project.home, file), text);
    }
    const env = {
      HOME: project.home,
      CLAUDE_CODE_SESSION_ID: '../../evil',
      COPILOT_AGENT_SESSION_ID: '../evil',
    };
    for (const name of ['claude-code', 'copilot-cli'])
      await unmoved(await open({ name, env, cwd: project.root }), project.root);
    const ids = ['../evil', 'a/../../evil', '/etc', '.', '..', '\0', 'x'.repeat(5000), '', 7, null];
    const server = await open({ name: 'codex-mcp-client', env, cwd: project.root });
    for (const id of ids)
      await unmoved(server, project.root, { meta: { 'x-codex-turn-metadata': { session_id: id } } });
  });

  it('is the same behind a symlinked home, where the launch directory has two names', async () => {
    const project = await make();
    const link = `${project.home}-link`;
    await symlink(project.home, link);
    try {
      const { claude, copilot, codex, session } = sessionsIn(link);
      const launched = join(link, 'app');
      assert.equal(join(project.home, 'app'), project.root);
      const own = await ownWorktree(project);
      const worktree = own.replace(project.home, link);
      // Each says by the link that its session stands where it was launched; only its shell, or last command, went on.
      await claude.process(launched);
      await claude.transcript([{ type: 'assistant', cwd: worktree, sessionId: session }]);
      await codex.rollout([
        { type: 'turn_context', payload: { cwd: launched } },
        {
          type: 'event_msg',
          payload: { type: 'item_completed', item: { type: 'CommandExecution', cwd: `file://${worktree}` } },
        },
      ]);
      const { CLAUDE_PROJECT_DIR: _, ...env } = claude.env('');
      const one = await open({ name: 'claude-code', env, cwd: project.root });
      const followed = await one.call('discern_test');
      assert.equal(followed.envelope.data.root, own, followed.text);
      const two = await open({ name: 'codex-mcp-client', env: codex.env, cwd: project.root });
      const by = await two.call('discern_test', {}, { meta: codex.meta });
      assert.equal(by.envelope.data.root, own, by.text);
      await copilot.state(`cwd: ${worktree}\n`);
      const three = await open({ name: 'copilot-cli', env: copilot.env, cwd: project.root });
      assert.equal((await three.call('discern_test')).envelope.data.root, own);
    } finally {
      await rm(link);
    }
  });

  it('may be huge: of a transcript of 500 MB the end is read, and one that ends in no whole line says nothing', async () => {
    const project = await make();
    const { claude, copilot, codex, session } = sessionsIn(project.home);
    const own = await ownWorktree(project);
    const MB = 1024 * 1024;
    /** Makes a file large without filling a disk: a hole, then what stands in its place so far. */
    const enlarge = async (file: string, tail: string) => {
      const handle = await openFile(join(project.home, file), 'w');
      await handle.write(`\n${tail}`, 500 * MB);
      await handle.close();
    };
    await claude.transcript([]);
    const transcript = `.claude/projects/-somewhere-app/${session}.jsonl`;
    const line = JSON.stringify({ type: 'assistant', cwd: own, sessionId: session });
    await enlarge(transcript, `${line}\n{"type":"assist`);
    const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
    const test = await server.call('discern_test');
    assert.equal(test.envelope.data.root, own, test.text);

    await enlarge(transcript, `{"cwd":${JSON.stringify(own)},"text":"${'x'.repeat(MB)}"}\n`);
    await unmoved(
      await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root }),
      project.root,
    );
    await copilot.state('');
    await enlarge(`.copilot/session-state/${session}/workspace.yaml`, `cwd: ${own}\n`);
    await unmoved(await open({ name: 'copilot-cli', env: copilot.env, cwd: project.root }), project.root);
    await codex.rollout([]);
    await enlarge(
      `.codex/sessions/2026/12/02/rollout-2026-12-02T10-00-00-${session}.jsonl`,
      `{"type":"turn_context","payload":{"cwd":${JSON.stringify(own)},"x":"${'x'.repeat(MB)}"}}\n`,
    );
    await unmoved(await open({ name: 'codex-mcp-client', env: codex.env, cwd: project.root }), project.root, {
      meta: codex.meta,
    });
  });

  it('by a hook of another version counts as far as it can be read, and that is said once', async () => {
    const project = await make();
    const own = await ownWorktree(project);
    const { claude, session } = sessionsIn(project.home);
    const env = { ...claude.env(project.root), DISCERN_STATE_DIR: join(project.home, 'state') };
    const hooked = async (rest: object) => {
      await tell(env, { client: 'claude', session, cwd: own, event: 'PreToolUse' });
      const dir = callersDir(env) ?? assert.fail('no folder');
      const file = join(dir, (await readdir(dir))[0] ?? '');
      await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...rest }));
      return open({ name: 'claude-code', env, cwd: project.root });
    };
    const word = /The hook that tells where this session stands is of/;
    // An older one said no version; a newer one says more than we know.
    for (const [rest, whose] of [
      [{}, 'of another discern'],
      [{ by: '99.0.0', more: { new: true } }, 'of discern 99.0.0'],
      [{ by: 'x y\n' }, 'of another discern'],
    ] as const) {
      const server = await hooked(rest);
      const test = await server.call('discern_test');
      assert.equal(test.envelope.data.root, own, test.text);
      assert.ok(first(test).includes(whose), first(test));
      assert.doesNotMatch((await server.call('discern_test')).text, word, 'it is said once');
    }
    const newer = await hooked({ version: 2, by: '99.0.0' });
    const unread = await unmoved(newer, project.root);
    assert.match(first(unread), /of discern 99\.0\.0.*cannot be read and counts for nothing/);

    await runHook({ env, words: ['claude', 'PreToolUse'], stdin: { session_id: session, cwd: own } });
    const ours = await open({ name: 'claude-code', env, cwd: project.root });
    const followed = await ours.call('discern_test');
    assert.equal(followed.envelope.data.root, own, followed.text);
    assert.doesNotMatch(followed.text, word);
  });
});
