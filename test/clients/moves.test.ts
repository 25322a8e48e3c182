import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/processes.ts';
import { git, type Project } from '../support/project.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { Driver } from './driver.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { claudePlugged, setUp } from './set-up.ts';
import { at, commit, stage } from './stage.ts';
import type { Answer } from './wires.ts';

const { make, home: newHome, begin, open, clear } = stage();

/** The same client with more options on its command line. */
const withOptions = (driver: Driver, ...options: string[]): Driver => ({
  ...driver,
  async once(launch) {
    const command = await driver.once(launch);
    return { ...command, args: [...command.args, ...options] };
  },
});

/** Gemini CLI takes its option only where its settings say so. */
const geminiInWorktree: Driver = {
  ...gemini,
  async once(launch) {
    const command = await gemini.once(launch);
    const file = join(launch.home, '.gemini', 'settings.json');
    const settings = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...settings, experimental: { worktrees: true } }));
    return { ...command, args: ['--worktree', 'mine', ...command.args] };
  },
};

/** The root of an answer, from whichever part its client shows. */
const rootOf = (answer: string) => /"root":"([^"]+)"|root: (\S+)/.exec(answer)?.slice(1).find(Boolean);

/** A linked checkout that somebody made, beside the project or within it. */
async function linked(project: Project, within = false): Promise<string> {
  const path = join(within ? project.root : project.home, 'app.worktrees/own');
  await git(project.root, 'worktree', 'add', '--quiet', '-b', 'own', path);
  return path;
}

/** The directory in the last line of the one transcript in a home that has one. */
function lastDirectory(home: string): string | undefined {
  const projects = join(home, '.claude/projects');
  const [file] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.jsonl'),
  );
  const lines = file === undefined ? [] : readFileSync(join(projects, file), 'utf8').split('\n');
  const directories = lines.flatMap((line) => /"cwd":("[^"]*")/.exec(line)?.[1] ?? []);
  return JSON.parse(directories.at(-1) ?? 'null') ?? undefined;
}

const broken = commit('src/b.txt', 'BROKEN');

describe('The gate of a real client goes along', () => {
  afterEach(clear);

  const launches: [what: string, driver: Driver][] = [
    ['Claude Code with --worktree', withOptions(claude, '--worktree', 'mine')],
    ['Copilot CLI with --worktree', withOptions(copilot, '--worktree', 'mine')],
    ['Copilot CLI with -C', withOptions(copilot, '-C', '../app.worktrees/own')],
    ['Codex with --worktree', withOptions(codex, '--worktree')],
    ['Gemini CLI with --worktree', geminiInWorktree],
    ['opencode with --dir', withOptions(opencode, '--dir', '../app.worktrees/own')],
  ];
  for (const [what, driver] of launches) {
    it(`${what}: it is of the checkout that option leads to, from the first call on`, async () => {
      const project = await make();
      await linked(project);
      const script = [driver.ours('status'), driver.shell(broken), driver.shell('pwd'), driver.ours('done')];
      const { end } = await begin(driver, script, { home: await newHome(), cwd: project.root });
      const shown = await end();
      const top = /\/\S+\/(?:mine|own|app)$/m.exec(at(shown, 2))?.[0];
      assert.ok(top !== undefined && top !== project.root, at(shown, 2));
      assert.equal(rootOf(at(shown, 0)), top, at(shown, 0));
      assert.match(at(shown, 3), /gate_failed/, at(shown, 3));
      assert.equal(rootOf(at(shown, 3)), top, at(shown, 3));
    });
  }

  const directories: [what: string, within: boolean, options: string[]][] = [
    ['within its own', true, []],
    ['that --add-dir names', false, ['--add-dir', '../app.worktrees/own']],
  ];
  for (const [what, within, options] of directories) {
    it(`Claude Code: with its shell, which stays in a directory ${what}, and is told of its way back`, async () => {
      const project = await make();
      const own = await linked(project, within);
      const driver = withOptions(claude, ...options);
      const home = await newHome();
      /** A model takes longer than the transcript does; a scripted one waits until its last line is of a directory. */
      const inTranscript = (directory: string, turn: Answer) => async () => {
        await until(`the transcript is in ${directory}`, () => lastDirectory(home) === directory);
        return turn;
      };
      const script = [
        driver.ours('status'),
        driver.shell(`cd '${own}'`),
        driver.shell(broken),
        inTranscript(own, driver.ours('done')),
        driver.shell(`cd '${project.root}'`),
        inTranscript(project.root, driver.ours('test')),
      ];
      const { end } = await begin(driver, script, { home, cwd: project.root });
      const shown = await end();
      assert.equal(rootOf(at(shown, 0)), project.root);
      assert.match(at(shown, 3), /gate_failed\. You are in .*transcript.*followed you there/);
      assert.equal(rootOf(at(shown, 3)), own);
      assert.equal(rootOf(at(shown, 5)), own, at(shown, 5));
      assert.match(at(shown, 5), /You are in .*app .*the trunk’s checkout/);
    });
  }

  it('Claude Code: to what EnterWorktree enters, and stays there with a word when ExitWorktree leaves it', async () => {
    const project = await make();
    const own = await linked(project);
    const script = [
      { tool: 'EnterWorktree', input: { path: own } },
      claude.shell(broken),
      claude.ours('done'),
      { tool: 'ExitWorktree', input: { action: 'keep' } },
      claude.ours('done'),
      claude.ours('done', { path: project.root }),
    ];
    const { end } = await begin(claude, script, { home: await newHome(), cwd: project.root });
    const shown = await end();
    assert.match(at(shown, 2), /gate_failed\. You are in .*followed you there/);
    assert.match(at(shown, 4), /gate_failed\. You are in .*app .*the trunk’s checkout/, at(shown, 4));
    assert.equal(rootOf(at(shown, 4)), own);
    assert.equal(rootOf(at(shown, 5)), project.root);
  });

  const subagents: [how: string, driver: Driver, answer: RegExp][] = [
    // It stands where its session does not, and nothing that reaches a server says so.
    [
      'names its worktree first',
      claude,
      /This is about \S+\/app, which .* there is work in \S+\/\.claude\/worktrees\/agent-\w+/,
    ],
    [
      'follows it, by our hook,',
      setUp(claudePlugged, 'claude'),
      /gate_failed\. You are in \S+app\.worktrees\/agent-\S+ \(a hook of discern\), so the held root followed you/,
    ],
  ];
  for (const [how, driver, answer] of subagents) {
    it(`Claude Code: a green that a sub-agent in a worktree of its own asks for ${how}`, async () => {
      const project = await make();
      const agent = {
        description: 'Work apart',
        prompt: 'Work.',
        subagent_type: 'general-purpose',
        isolation: 'worktree',
      };
      const script = [
        { tool: 'Agent', input: agent },
        driver.shell(broken),
        driver.ours('done'),
        { say: 'Mine is done.' },
      ];
      const { model, run } = await begin(driver, script, { home: await newHome(), cwd: project.root });
      await run.ended;
      const said = model.requests
        .map(({ body }) => JSON.stringify(body))
        .find((body) => /BROKEN/.test(body ?? '') && answer.test(body ?? ''));
      assert.ok(said, JSON.stringify(model.requests.at(-1)?.body)?.slice(-3000));
    });
  }

  for (const command of ['/move feature', '/new worktree', '/fork worktree', '/new']) {
    it(`Copilot CLI: by ${command}`, async () => {
      const project = await make();
      const own = await linked(project);
      const { model, terminal } = await open(
        copilot,
        [
          copilot.ours('status'),
          { say: 'Ready.' },
          copilot.shell(broken),
          copilot.shell('pwd'),
          copilot.ours('done'),
          { say: 'Red there.' },
        ],
        { home: await newHome(), cwd: project.root },
      );
      await terminal.shows(/Ready\./);
      if (command.startsWith('/move')) await project.write({ 'src/a.txt': 'goes along\n' });
      await terminal.type(command);
      if (command === '/new') {
        // A new conversation is another session of the same process.
        await terminal.shows(/Started a new session/);
        await terminal.type(`/cwd ${own}`);
        await terminal.shows(/Changed working directory/);
      } else await terminal.shows(/Moved session|Created worktree/);
      await terminal.type('Go on.');
      await terminal.shows(/Red there\./);
      const results = model.results();
      const top = /^\/\S+\/app\.worktrees\/\S+$/m.exec(at(results, -2))?.[0];
      assert.ok(top, at(results, -2));
      assert.match(at(results, -1), /done: gate_failed\./);
      assert.equal(rootOf(at(results, -1)), top, at(results, -1));
      assert.equal(await git(project.root, 'status', '--porcelain', '--', 'src'), '');
    });
  }
});
