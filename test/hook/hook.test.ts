import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callersDir, told } from '../../src/engine/callers/told.ts';
import { cliFile } from '../support/cli.ts';
import { hookFile, runHook } from '../support/hook.ts';
import { git, makeProject, type Project } from '../support/project.ts';

describe('A hook', () => {
  let project: Project;
  let linked: string;
  let sibling: string;
  let state: string;
  let env: Record<string, string>;

  before(async () => {
    project = await makeProject();
    linked = join(project.home, 'linked');
    sibling = join(project.home, 'sibling');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'one', linked);
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'two', sibling);
  });
  after(() => project.remove());
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'discern hook '));
    env = { DISCERN_STATE_DIR: state };
  });
  afterEach(() => {
    chmodSync(state, 0o700);
    rmSync(state, { recursive: true });
  });

  const hook = (event: string, stdin: object | string | null, words = ['claude', event]) =>
    runHook({ env, words, stdin });
  const logged = () => {
    const file = join(state, 'hook.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const input = (cwd: string, rest: object = {}) => ({ session_id: 's', cwd, ...rest });
  const writing = (cwd: string, file: string, tool = 'Write') =>
    hook('PreToolUse', input(cwd, { tool_name: tool, tool_input: { file_path: file } }));
  const reasonOf = ({ said }: Awaited<ReturnType<typeof hook>>) => {
    assert.equal(said?.hookSpecificOutput?.permissionDecision, 'deny', JSON.stringify(said));
    return said.hookSpecificOutput.permissionDecisionReason ?? '';
  };

  describe('fails open', () => {
    const huge = `{"session_id":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    const bad: [string, string | null, RegExp][] = [
      ['garbage', '{"session_id": ', /JSON/],
      ['nothing', '', /JSON/],
      ['a list', '[1]', /holds no JSON object/],
      ['far too much', huge, /more than 1048576 bytes/],
      ['a stdin that never ends', null, /did not end in 2000 ms/],
    ];
    for (const [what, stdin, why] of bad) {
      it(`on ${what}, with a line in the log`, async () => {
        const { code, stdout, stderr } = await hook('PreToolUse', stdin);
        assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
        assert.match(logged(), why);
        assert.equal(logged().trim().split('\n').length, 1);
      });
    }

    it('on a client or an event nobody knows', async () => {
      for (const words of [[], ['claude'], ['../x', 'Stop'], ['claude', 'Stop\nit']]) {
        const { code, stdout } = await hook('', input(linked), words);
        assert.deepEqual({ code, stdout }, { code: 0, stdout: '' });
      }
      assert.equal(logged().trim().split('\n').length, 4);
      assert.match(logged(), /usage: discern hook <claude\|/);
    });

    it('where the state folder cannot be written, and still guards', async () => {
      if (process.getuid?.() === 0) {
        // Root may write anywhere: a file in place of the folder stops root too.
        env = { DISCERN_STATE_DIR: join(state, 'file') };
        writeFileSync(join(state, 'file'), '');
      } else chmodSync(state, 0o500);
      const answer = await writing(linked, join(project.root, 'src/a.txt'));
      assert.equal(answer.code, 0);
      assert.match(reasonOf(answer), /the main checkout/);
      assert.match(answer.stderr, /no log could be written/);
    });

    it('without a home, by the one the system knows', async () => {
      const answer = await runHook({
        env: { ...env, HOME: '' },
        words: ['claude', 'PreToolUse'],
        stdin: input(linked),
      });
      assert.deepEqual([answer.code, answer.stdout, answer.stderr], [0, '', '']);
      assert.equal((await told(env, 'claude', 's'))?.cwd, linked);
    });

    it('when settings of the project are wrong: it says so and guesses no policy', async () => {
      writeFileSync(join(linked, 'discern-vscode.toml'), '[callers]\nguard_writes = "no"\n');
      try {
        const { code, stdout } = await writing(linked, join(project.root, 'src/a.txt'));
        assert.deepEqual({ code, stdout }, { code: 0, stdout: '' });
        assert.match(logged(), /discern-vscode\.toml:2:/);
      } finally {
        rmSync(join(linked, 'discern-vscode.toml'));
      }
    });
  });

  describe('tells where a session stands', () => {
    it('by its own program and by the CLI, whatever the session is called', async () => {
      const session = '../../etc/passwd\n"\u2028';
      for (const [n, file] of [undefined, cliFile].entries()) {
        const words = [...(file ? ['hook'] : []), 'claude', 'PreToolUse'];
        const stdin = { session_id: session + n, cwd: linked, tool_name: 'mcp__discern__discern_done' };
        const answer = await runHook({ env, words, stdin, ...(file && { file }) });
        assert.deepEqual([answer.code, answer.stdout, answer.stderr], [0, '', '']);
        assert.equal((await told(env, 'claude', session + n))?.cwd, linked);
      }
      assert.deepEqual(readdirSync(state), ['callers']);
      assert.equal(readdirSync(callersDir(env) ?? '').length, 2);
    });

    it('and what the client declared holds against a shell’s directory until it is left, gone, or begun anew', async () => {
      const told_ = async () => {
        const found = await told(env, 'claude', 's');
        return found && { cwd: found.cwd, declared: found.declared };
      };
      const shell = () => hook('PreToolUse', input(sibling, { tool_name: 'mcp__discern__discern_done' }));
      const enter = (cwd: string) => hook('PostToolUse', input(cwd, { tool_name: 'EnterWorktree' }));
      await enter(linked);
      await shell();
      assert.deepEqual(await told_(), { cwd: linked, declared: true });
      await hook('PostToolUse', input(project.root, { tool_name: 'ExitWorktree' }));
      assert.deepEqual(await told_(), { cwd: project.root, declared: undefined });
      await enter(linked);
      await hook('SessionStart', input(project.root));
      assert.deepEqual(await told_(), { cwd: project.root, declared: undefined });
      const gone = join(project.home, 'gone');
      mkdirSync(gone);
      await enter(gone);
      rmSync(gone, { recursive: true });
      await shell();
      assert.deepEqual(await told_(), { cwd: sibling, declared: undefined });
      await hook('SessionEnd', input(sibling));
      assert.equal(await told_(), undefined);
    });

    it('but a sub-agent’s own tools say nothing of its session', async () => {
      await hook('PreToolUse', input(linked));
      await hook('PreToolUse', input(sibling, { agent_id: 'a', tool_name: 'Write' }));
      assert.equal((await told(env, 'claude', 's'))?.cwd, linked);
    });

    it('and says it at its start', async () => {
      const { said } = await hook('SessionStart', input(linked));
      const text = said?.hookSpecificOutput?.additionalContext ?? '';
      assert.ok(text.includes(`linked worktree ${linked}, on branch "one"`), text);
      const main = await hook('SessionStart', input(join(project.root, 'src')));
      assert.match(main.said?.hookSpecificOutput?.additionalContext ?? '', /main checkout .*discern_start/);
      assert.equal((await hook('SessionStart', input(project.home))).stdout, '');
    });
  });

  describe('guards writes', () => {
    it('from a worktree into the main checkout and into a sibling, a file that is new too', async () => {
      const main = reasonOf(await writing(linked, join(project.root, 'src/new dir/b.txt')));
      assert.ok(main.includes(`${project.root}, the main checkout`), main);
      assert.ok(main.includes(join(linked, 'src/new dir/b.txt')), main);
      const other = reasonOf(await writing(join(linked, 'src'), '../../sibling/src/a.txt', 'Edit'));
      assert.ok(other.includes(`${sibling}, another worktree`), other);
      const book = await hook(
        'PreToolUse',
        input(linked, { tool_name: 'NotebookEdit', tool_input: { notebook_path: join(sibling, 'x.ipynb') } }),
      );
      assert.ok(reasonOf(book).includes(join(linked, 'x.ipynb')));
    });

    it('by where the client declared its session to be, whatever its shell’s directory', async () => {
      await hook('PostToolUse', input(linked, { tool_name: 'EnterWorktree' }));
      assert.match(reasonOf(await writing(project.root, join(project.root, 'src/a.txt'))), /main checkout/);
    });

    it('in the words of Cursor, by the folder it has open, and of opencode, by where the command ran', async () => {
      const file = join(project.root, 'src/a.txt');
      const why = /This session is in the worktree .*linked, .*the main checkout/;
      const ask = async (words: string[], stdin: object) => {
        const { code, stdout } = await runHook({ env, words, stdin, raw: true });
        assert.equal(code, 0);
        return stdout === '' ? undefined : JSON.parse(stdout);
      };
      const cursor = (event: string, rest: object, folders = [linked]) =>
        ask(['cursor', event], { conversation_id: 'c', workspace_roots: folders, ...rest });
      const shell = {
        tool_name: 'Shell',
        tool_input: { command: 'rm src/a.txt', working_directory: project.root },
      };
      const written = { tool_name: 'Write', tool_input: { file_path: file }, cwd: project.root };
      for (const one of [shell, written, { tool_name: 'StrReplace', tool_input: { path: file } }]) {
        const said = await cursor('preToolUse', one);
        assert.deepEqual(
          [said.permission, why.test(said.agent_message)],
          ['deny', true],
          JSON.stringify(one),
        );
      }
      assert.equal(await cursor('preToolUse', written, [linked, project.root]), undefined);
      assert.equal(
        await cursor('preToolUse', { ...written, cwd: linked }, []).then((one) => one.permission),
        'deny',
      );
      assert.match((await cursor('sessionStart', {})).additional_context, /in the linked worktree/);
      assert.equal(await cursor('stop', { status: 'completed', loop_count: 0 }), undefined);
      const opencode = (tool: string, args: object, cwd = linked) =>
        ask(['opencode', 'PreToolUse'], { cwd, tool_name: tool, tool_input: args });
      assert.match((await opencode('write', { filePath: file })).permissionDecisionReason, why);
      assert.match((await opencode('edit', { filePath: file })).permissionDecisionReason, why);
      const patchText = `*** Begin Patch\n*** Update File: ${file}\n*** End Patch`;
      assert.match((await opencode('apply_patch', { patchText })).permissionDecisionReason, why);
      assert.equal(await opencode('bash', { command: 'rm src/a.txt' }), undefined);
      assert.match(
        (await ask(['opencode', 'SessionStart'], { cwd: linked })).additionalContext,
        /linked worktree/,
      );
      assert.ok(!existsSync(join(state, 'callers')), 'neither names a session');
      assert.equal(logged(), '');
    });

    it('in the words of Copilot CLI', async () => {
      const { said } = await hook(
        'preToolUse',
        {
          sessionId: 's',
          cwd: linked,
          toolName: 'Write',
          toolArgs: JSON.stringify({ file_path: join(sibling, 'x') }),
        },
        ['copilot', 'preToolUse'],
      );
      assert.equal(said?.permissionDecision, 'deny');
    });

    it('only where it is certain', async () => {
      const plain = await makeProject({ config: null });
      const nested = join(linked, 'vendor');
      try {
        const bare = join(plain.home, 'wt');
        await git(plain.root, 'worktree', 'add', '--quiet', '-b', 'x', bare);
        symlinkSync(join(project.root, 'src'), join(linked, 'link'));
        symlinkSync(join(project.root, 'nowhere'), join(project.root, 'broken'));
        mkdirSync(nested);
        await git(nested, 'init', '--quiet');
        const passes: [string, string, string][] = [
          ['its own file', linked, join(linked, 'src/a.txt')],
          ['a file outside of any checkout', linked, join(project.home, 'notes.txt')],
          ['from the main checkout into a worktree', project.root, join(linked, 'src/a.txt')],
          ['another repository', linked, join(plain.root, 'src/a.txt')],
          ['a repository within', linked, join(nested, 'a.txt')],
          ['a repository without discern', bare, join(plain.root, 'src/a.txt')],
          ['through a link of its own', linked, join(linked, 'link/a.txt')],
          ['a broken link', linked, join(project.root, 'broken')],
          ['git’s own directory', linked, join(project.root, '.git/info/exclude')],
          ['from outside', project.home, join(project.root, 'src/a.txt')],
          ['from a directory that is gone', join(project.home, 'gone'), join(project.root, 'src/a.txt')],
        ];
        for (const [what, cwd, file] of passes) {
          assert.equal((await writing(cwd, file)).stdout, '', what);
        }
        assert.equal((await writing(linked, join(project.root, 'src/a.txt'), 'Read')).stdout, '');
        assert.equal((await writing(linked, join(project.root, 'src/a.txt'), 'constructor')).stdout, '');
        assert.equal(logged(), '');
      } finally {
        for (const name of [join(linked, 'link'), join(project.root, 'broken')])
          rmSync(name, { force: true });
        rmSync(nested, { recursive: true, force: true });
        await plain.remove();
      }
    });

    it('also a shell command that plainly changes another checkout, never one that reads there', async () => {
      const command = (text: string, cwd = linked) =>
        hook('PreToolUse', input(cwd, { tool_name: 'Bash', tool_input: { command: text } }));
      for (const [text, what] of [
        [
          `cd ${project.root} && echo x > src/b.txt`,
          `${project.root}/src/b.txt in ${project.root}, the main`,
        ],
        ['git -C ../sibling commit -am x', `change ${sibling}, another worktree`],
        [`rm -rf ${sibling}`, `change ${sibling}, another worktree`],
        ["sed -i s/a/b/ '../app/src/a.txt'", '/app/src/a.txt in '],
      ] as const) {
        const reason = reasonOf(await command(text));
        assert.ok(reason.includes(what), reason);
      }
      for (const text of [
        `cd ${project.root} && git log && cat src/a.txt`,
        'cd ../app/nowhere; rm a',
        'echo x > src/b.txt',
        'git commit -am x',
        `git -C ${project.root} worktree list`,
        `for f in ${project.root}/*; do rm $f; done`,
      ]) {
        assert.equal((await command(text)).stdout, '', text);
      }
      assert.equal(
        (await command(`rm ${linked}/src/a.txt`, project.root)).stdout,
        '',
        'from the main checkout',
      );
      writeFileSync(join(linked, 'discern-vscode.toml'), '[callers]\nguard_writes = false\n');
      try {
        assert.equal((await command(`rm ${project.root}/src/a.txt`)).stdout, '');
      } finally {
        rmSync(join(linked, 'discern-vscode.toml'));
      }
      assert.equal(logged(), '');
    });

    it('by settings that are read without the engine, which takes longer to load than a hook may take', async () => {
      const alone = join(state, 'hook.js');
      copyFileSync(hookFile, alone);
      const ask = () =>
        runHook({
          env,
          file: alone,
          words: ['claude', 'PreToolUse'],
          stdin: input(linked, {
            tool_name: 'Write',
            tool_input: { file_path: join(project.root, 'src/a.txt') },
          }),
        });
      const settings = '\uFEFF[callers]\nfollow = "tell"\nguard_writes = true\n[worktree]\nkeep = 3\n';
      try {
        writeFileSync(join(linked, 'discern-vscode.toml'), settings);
        assert.match(reasonOf(await ask()), /the main checkout/);
        writeFileSync(join(linked, 'discern-vscode.toml'), settings.replace('true', 'false'));
        assert.equal((await ask()).stdout, '');
        assert.equal(logged(), '');
        for (const wrong of [
          '[caller]\n',
          'guard_writes = true\n',
          '[callers]\nx = 1\n',
          '[worktree]\nkeep = -1\n',
          '[callers',
        ]) {
          writeFileSync(join(linked, 'discern-vscode.toml'), wrong);
          assert.equal((await ask()).stdout, '');
        }
        // Each of them was the engine's to judge, which is not there.
        assert.equal(logged().match(/engine\.js/g)?.length, 5, logged());
      } finally {
        rmSync(join(linked, 'discern-vscode.toml'));
      }
    });

    it('not where the project’s settings say so', async () => {
      writeFileSync(join(linked, 'discern-vscode.toml'), '[callers]\nguard_writes = false\n');
      try {
        assert.equal((await writing(linked, join(project.root, 'src/a.txt'))).stdout, '');
        assert.equal(logged(), '');
      } finally {
        rmSync(join(linked, 'discern-vscode.toml'));
      }
    });
  });

  it('asks once for a proof, where the settings want it', async () => {
    const settings = { 'discern-vscode.toml': '[callers]\nask_for_proof = true\n' };
    const own = await makeProject({ files: settings });
    try {
      const wt = join(own.home, 'wt');
      await git(own.root, 'worktree', 'add', '--quiet', '-b', 'x', wt);
      const stop = (cwd: string, rest = {}) => hook('Stop', input(cwd, rest));
      assert.equal((await stop(wt)).stdout, '', 'nothing is committed');
      await own.commit({ 'src/b.txt': 'b\n' }, wt);
      const { said } = await stop(wt);
      assert.equal(said?.decision, 'block');
      assert.match(said.reason ?? '', /^1 commit in .* Call discern_done there/);
      assert.equal((await stop(wt, { stop_hook_active: true })).stdout, '', 'it was asked already');
      assert.equal((await stop(own.root)).stdout, '', 'the main checkout');
      assert.equal(logged(), '');
    } finally {
      await own.remove();
    }
  });
});
