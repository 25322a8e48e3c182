import assert from 'node:assert/strict';
import { join } from 'node:path';
import { git, type Project } from '../support/project.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { Driver } from './driver.ts';
import { gemini } from './gemini.ts';
import type { Heard, Turn } from './model.ts';
import { opencode } from './opencode.ts';
import { at, commit, inWorktree, proven, type Scene, stage, worktreeIn } from './stage.ts';

const { make, home, begin, clear } = stage();

/** Runs a client once in the project's main checkout with a model that plays the script; resolves with what it was shown. */
async function play(driver: Driver, project: Project, script: Turn[], rest: Partial<Scene> = {}) {
  const { end } = await begin(driver, script, { home: await home(), cwd: project.root, ...rest });
  return end();
}

describe('A real client', () => {
  afterEach(clear);

  for (const driver of [claude, codex, copilot, opencode, gemini]) {
    it(`${driver.name}: start, red, green, accept, with nothing to thread`, async () => {
      const project = await make();
      // Gemini's shell does not leave its workspace; its tools for files do not either.
      const shown = await play(driver, project, [
        driver.ours('status'),
        driver.ours('start', { name: 'work' }),
        inWorktree(driver, commit('src/b.txt', 'BROKEN')),
        driver.ours('done'),
        inWorktree(driver, commit('src/b.txt', 'fine')),
        driver.ours('done'),
        driver.ours('accept'),
        { say: 'done' },
      ]);
      assert.match(at(shown, 3), /gate_failed/, shown.join('\n---\n'));
      assert.match(at(shown, 3), /app\.worktrees/);
      assert.match(at(shown, 5), proven);
      assert.equal(await git(project.root, 'show', 'main:src/b.txt'), 'fine', at(shown, 6));
    });

    it(`${driver.name}: a broken commit in a worktree of its own making is never a green about main`, async () => {
      const project = await make();
      const own = join(project.home, 'own');
      const shown = await play(driver, project, [
        driver.ours('status'),
        driver.shell(
          `git worktree add -q -b own '${own}' && cd '${own}' && ${commit('src/b.txt', 'BROKEN')}`,
        ),
        driver.shell('git status --short', driver === codex || driver === opencode ? own : undefined),
        driver.ours('done'),
        { say: 'done' },
      ]);
      const answer = at(shown, -1);
      // By evidence the gate runs there and is red; without any, the green names the worktree that has the work.
      assert.ok(answer.includes(own), answer);
      if (driver === codex) assert.match(answer, /gate_failed/, 'its rollout tells');
      if (/gate_failed/.test(answer)) assert.match(answer, /followed you there/);
      else assert.match(answer, /contains no work/);
    });
  }

  it('Claude Code: after EnterWorktree the gate is of the worktree, and ExitWorktree leads back', async () => {
    const project = await make();
    const shown = await play(claude, project, [
      claude.ours('status'),
      { tool: 'EnterWorktree', input: { name: 'mine' } },
      claude.shell(commit('src/b.txt', 'BROKEN')),
      claude.ours('done'),
      claude.shell(commit('src/b.txt', 'fine')),
      claude.ours('done'),
      claude.ours('accept'),
      { tool: 'ExitWorktree', input: { action: 'keep' } },
      claude.ours('status'),
      { say: 'done' },
    ]);
    assert.match(at(shown, 3), /gate_failed/, shown.join('\n---\n'));
    assert.match(at(shown, 3), /\.claude\/worktrees\/mine/);
    assert.match(at(shown, 5), proven);
    assert.equal(await git(project.root, 'show', 'main:src/b.txt'), 'fine', at(shown, 6));
  });

  it('Codex in workspace-write: it cannot commit in the worktree, and discern_commit does', async () => {
    const project = await make({
      config: '[jobs]\nlint = "! grep -rn BROKEN src"\n[worktree]\nroot = ".worktrees"\n',
      files: { '.gitignore': '.worktrees/\n' },
    });
    // The server commits with the person's own identity, which a client's environment may not hand over.
    await git(project.root, 'config', 'user.name', 'A Developer');
    await git(project.root, 'config', 'user.email', 'dev@example.invalid');
    const inside = (heard: Heard) => {
      const found = /(\/[^\s"\\,]+\/app\/\.worktrees\/[\w-]+)/.exec(heard.results.join('\n'))?.[1];
      assert.ok(found, heard.results.join('\n'));
      return found;
    };
    const shown = await play(
      codex,
      project,
      [
        codex.ours('start', { name: 'work' }),
        (heard) => codex.shell(commit('src/b.txt', 'fine'), inside(heard)),
        codex.ours('commit', { message: 'By the server' }),
        codex.ours('done'),
        codex.ours('accept'),
        { say: 'done' },
      ],
      { sandbox: 'workspace-write' },
    );
    assert.match(at(shown, 1), /Read-only file system/, shown.join('\n---\n'));
    assert.match(at(shown, 2), /Committed/, shown.join('\n---\n'));
    assert.match(at(shown, 3), proven, shown.join('\n---\n'));
    // Landing is announced as destructive, so Codex leaves it to a person's approval.
    assert.match(at(shown, 4), /approval|Landed/, shown.join('\n---\n'));
  });

  it('Codex in workspace-write: what start and doctor tell it to allow lets it work in a worktree beside the repository', async () => {
    const project = await make();
    await git(project.root, 'config', 'user.name', 'A Developer');
    await git(project.root, 'config', 'user.email', 'dev@example.invalid');
    const closed = ['exclude_slash_tmp = true', 'exclude_tmpdir_env_var = true'];
    const scripted = () => [
      codex.ours('start', { name: 'work' }),
      (heard: Heard) => codex.shell('echo fine > src/b.txt', worktreeIn(heard)),
      codex.ours('commit', { message: 'By the server' }),
      { say: 'done' },
    ];
    const first = await play(codex, project, scripted(), {
      sandbox: 'workspace-write',
      toml: ['[sandbox_workspace_write]', ...closed],
    });
    assert.match(at(first, 1), /Read-only file system/, first.join('\n---\n'));
    assert.match(at(first, 2), /nothing to commit/, at(first, 2));
    const told = /writable_roots = \[\\*"([^"\\]+)\\*"\] under \[sandbox_workspace_write\]/.exec(
      at(first, 0),
    )?.[1];
    assert.ok(told, at(first, 0));
    const second = await play(codex, project, scripted(), {
      sandbox: 'workspace-write',
      toml: ['[sandbox_workspace_write]', `writable_roots = ["${told}"]`, ...closed],
    });
    assert.match(at(second, 2), /Committed/, second.join('\n---\n'));
  });
});
