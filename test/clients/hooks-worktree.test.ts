import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from '../support/cli.ts';
import { git, type Project, projects } from '../support/project.ts';
import { claude } from './claude.ts';
import { type Driver, program, sessions } from './driver.ts';
import { type ScriptedModel, scriptedModel, type Turn } from './model.ts';

const { make, removeAll } = projects();
const { home: newHome, start, endAll } = sessions();

/** Claude Code as a person has it, with what `setup` put there. `options` are the person's own. */
const plain = (options: string[] = []): Driver => ({
  ...claude,
  async once(launch) {
    const { env } = await claude.once(launch);
    const tools = ['Bash', 'Write', 'Agent', 'EnterWorktree', 'ExitWorktree', 'mcp__plugin_discern_discern'];
    const args = ['-p', launch.prompt, ...options, '--output-format', 'stream-json', '--verbose'];
    return {
      file: program('claude'),
      args: [...args, '--allowedTools', tools.join(',')],
      env: { ...env, DISCERN_STATE_DIR: join(launch.home, 'state') },
    };
  },
});

/** A home as it is, or with what `discern setup claude` writes. */
async function homeWith(setup: boolean): Promise<string> {
  const home = await newHome();
  if (!setup) return home;
  const { code, stderr } = await cli(['setup', 'claude'], {
    cwd: home,
    env: { HOME: home, CLAUDE_CONFIG_DIR: '' },
  });
  assert.equal(code, 0, stderr);
  return home;
}

const enter = (name: string) => ({ tool: 'EnterWorktree', input: { name } });
const leave = { tool: 'ExitWorktree', input: { action: 'remove', discard_changes: true } };
const bash = (command: string) => claude.shell(command);

describe('The worktrees that Claude Code asks our hooks for', () => {
  let model: ScriptedModel | undefined;
  afterEach(async () => {
    await endAll();
    await model?.close();
    await removeAll();
  });

  async function run(home: string, cwd: string, turns: Turn[], options?: string[]) {
    const driver = plain(options);
    await model?.close();
    model = await scriptedModel(driver.wire, turns);
    const started = await start(driver, { home, cwd, model: model.url, prompt: 'Do it.', server: [] });
    const code = await started.ended;
    const asked = JSON.stringify(model.requests.map(({ body }) => body));
    return { code, results: model.results(), said: started.said(), asked };
  }

  const linkedOf = async (project: Project) =>
    (await git(project.root, 'worktree', 'list', '--porcelain'))
      .split('\n')
      .flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []))
      .slice(1);

  it('are made by start in a project, come back to by name, and removed by drop only where nothing is lost', async () => {
    const config =
      '[project]\nname = "x"\n[worktree]\nport = true\n[worktree.setup]\nsteps = ["echo made > made.txt"]\n';
    const project = await make({ config, files: { '.gitignore': 'made.txt\n' } });
    const home = await homeWith(true);
    const first = await run(home, project.root, [enter('my-work'), bash('pwd; cat made.txt')]);
    const [entered = '', seen = ''] = first.results;
    assert.match(entered, /app\.worktrees\/my-work-[0-9a-f]{6}/, first.said);
    assert.match(seen, /\nmade/, seen);
    const [made = ''] = await linkedOf(project);
    assert.match(await git(made, 'branch', '--show-current'), /^agent\/my-work-/);

    const again = await run(home, project.root, [enter('my-work'), bash('touch kept.txt'), leave]);
    assert.ok(again.results[0]?.includes(made), again.results[0]);
    assert.match(again.results[2] ?? '', /could not remove it — kept at/);
    assert.match(again.asked, /discern: Dropping .* would lose uncommitted changes \(kept\.txt\)/);
    assert.ok(existsSync(join(made, 'kept.txt')));

    await git(made, 'clean', '-fq');
    const last = await run(home, project.root, [enter('my-work'), leave]);
    assert.match(last.results[1] ?? '', /Exited and removed worktree/);
    assert.ok(!existsSync(made));
    assert.equal(await git(project.root, 'branch', '--list', 'agent/*'), '');
  }).timeout(120_000);

  it('are made by “claude --worktree” too, and a setup that fails is told and leaves nothing', async () => {
    const project = await make();
    const home = await homeWith(true);
    const { results, said } = await run(home, project.root, [bash('pwd')], ['--worktree', 'mine']);
    assert.match(results[0] ?? '', /app\.worktrees\/mine-[0-9a-f]{6}$/, said);

    const config = '[project]\nname = "x"\n[worktree.setup]\nsteps = ["echo no such thing >&2; exit 3"]\n';
    const bad = await make({ config });
    const failed = await run(home, bad.root, [enter('mine'), bash('pwd')]);
    assert.match(failed.results[0] ?? '', /WorktreeCreate hook failed.* was removed[\s\S]*no such thing/);
    assert.equal(failed.results[1], bad.root);
    assert.deepEqual(await linkedOf(bad), []);
    const launched = await run(home, bad.root, [bash('pwd')], ['--worktree', 'mine']);
    assert.equal(launched.code, 1, launched.said);
    assert.match(launched.said, /Error creating worktree: .*was removed/);
    assert.deepEqual(launched.results, []);
  }).timeout(120_000);

  it('are outside of a project what Claude Code makes by itself', async () => {
    const seen: string[] = [];
    for (const setup of [false, true]) {
      const files = {
        '.gitignore': '.env\nnode_modules/\n.claude/\n',
        '.worktreeinclude': '# mine\n.env\n*.local\n',
        'sub/b.txt': 'b\n',
      };
      const project = await make({ config: null, files });
      const settings = { worktree: { symlinkDirectories: ['node_modules', '../astray', 'nothing'] } };
      await project.write({
        '.env': 'A=1\n',
        'sub/.env': 'B=1\n',
        'x.local': 'not ignored\n',
        'node_modules/x/.env': 'C\n',
        '.claude/settings.local.json': JSON.stringify(settings),
      });
      await git(project.root, 'config', 'core.hooksPath', '.hooks');
      await git(project.root, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
      await git(project.root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
      await project.commit({ 'ahead.txt': 'not on the remote\n' });
      const look = [
        'pwd; git status --short --branch --ignored; git log --format=%s; find . -path ./.git -prune -o -print | sort',
        'git config core.hooksPath; readlink node_modules; cat .env sub/.env; cat $(git rev-parse --git-dir)/CLAUDE_BASE',
      ];
      const { results, said } = await run(await homeWith(setup), project.root, [
        enter('a/b'),
        bash(look.join('; ')),
        leave,
      ]);
      assert.match(results[0] ?? '', /\.claude\/worktrees\/a\+b/, said);
      assert.match(results[2] ?? '', /Exited and removed worktree/);
      assert.deepEqual(await linkedOf(project), []);
      assert.equal(await git(project.root, 'branch', '--list', 'worktree-*'), '');
      seen.push((results[1] ?? '').replaceAll(project.home, 'HOME'));
    }
    assert.match(seen[0] ?? '', /worktree-a\+b/);
    assert.equal(seen[1], seen[0]);
  }).timeout(120_000);

  it('are kept outside of a project, where something would be lost', async () => {
    const project = await make({ config: null });
    const home = await homeWith(true);
    const work = 'echo x > new.txt && git add . && git commit -qm work';
    const { results, asked, said } = await run(home, project.root, [enter('mine'), bash(work), leave]);
    assert.match(results[2] ?? '', /could not remove it — kept at/, said);
    assert.match(asked, /discern: .* has commits that no other branch has/);
    const [made = ''] = await linkedOf(project);
    assert.ok(existsSync(join(made, 'new.txt')));
  }).timeout(120_000);

  it('are made for sub-agents, which work there', async () => {
    const project = await make();
    const home = await homeWith(true);
    const agent = {
      description: 'Work apart',
      prompt: 'Work.',
      subagent_type: 'general-purpose',
      isolation: 'worktree',
    };
    const { said } = await run(home, project.root, [
      { tool: 'Agent', input: agent },
      bash('pwd; echo x > sub.txt'),
    ]);
    const [made = ''] = await linkedOf(project);
    assert.match(made, /app\.worktrees\/agent-/, said);
    assert.ok(existsSync(join(made, 'sub.txt')), said);
  }).timeout(120_000);
});
