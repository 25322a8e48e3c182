import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { until } from '../support/processes.ts';
import { git } from '../support/project.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { Driver } from './driver.ts';
import type { Turn } from './model.ts';
import { at, commit, type Scene, stage, worktreeIn } from './stage.ts';
import type { Terminal } from './terminal.ts';

const { make, home: newHome, open, begin, clear } = stage();

const asking = { 'discern-vscode.toml': '[consent]\nmode = "ask"\n' };

/** Where the work is done, and then landed by its path, as often as a person is asked. */
const landing = (driver: Driver, times: number): Turn[] => [
  // A client in a terminal asks for its turn before its servers are there; Claude Code has a tool to wait for them.
  ...(driver === claude ? [{ tool: 'WaitForMcpServers', input: {} }] : []),
  driver.ours('start', { name: 'work' }),
  (heard) => driver.shell(commit('src/b.txt', 'fine'), worktreeIn(heard)),
  ...Array<Turn>(times).fill((heard) => driver.ours('accept', { path: worktreeIn(heard) })),
  { say: 'That was it.' },
];

const question = /Land \S+app\.worktrees\/work-\w+ on main\? It is at [0-9a-f]{10}\./;

const landed = /Landed on main|"trunk_landed":true/;

/** How a person answers each client's dialog. */
const asked: {
  driver: Driver;
  rest?: Partial<Scene>;
  no(t: Terminal): Promise<void>;
  yes(t: Terminal): Promise<void>;
}[] = [
  {
    driver: claude,
    async no(terminal) {
      await terminal.press('Right');
      await terminal.press('Enter');
    },
    yes: (terminal) => terminal.press('Enter'),
  },
  { driver: copilot, no: (terminal) => terminal.press('C-d'), yes: (terminal) => terminal.press('Enter') },
];

describe('A real client, where the owner wants a person asked before work lands,', () => {
  afterEach(clear);

  for (const { driver, no, yes } of asked) {
    it(`${driver.name}: puts the question to its person; no lands nothing, and yes lands`, async () => {
      const project = await make({ files: asking });
      const main = () => git(project.root, 'rev-parse', 'main');
      const before = await main();
      const { model, terminal } = await open(driver, landing(driver, 2), {
        home: await newHome(),
        cwd: project.root,
      });
      await terminal.shows(question);
      assert.equal(await main(), before, 'nothing moves while a person thinks');
      const results = model.results().length;
      await no(terminal);
      // The second question may come before anybody saw the first one go.
      await until('the model hears of the answer', () => model.results().length > results);
      await terminal.shows(question);
      assert.match(at(model.results(), results), /Nothing was changed: the person who was asked .* said no/);
      assert.equal(await main(), before);
      await yes(terminal);
      await terminal.shows(/That was it\./);
      assert.match(at(model.results(), -1), landed);
      assert.equal(await git(project.root, 'show', 'main:src/b.txt'), 'fine');
    });

    it(`${driver.name}: puts the question before work is dropped by force; no drops nothing, and yes keeps it under a recovery ref`, async () => {
      const project = await make({ files: asking });
      const drop: Turn = (heard) =>
        driver.ours('drop', {
          path: project.root,
          worktree: worktreeIn(heard),
          delete_branch: true,
          force: true,
        });
      const before = landing(driver, 0).slice(0, -1);
      const { model, terminal } = await open(driver, [...before, drop, drop, { say: 'That was it.' }], {
        home: await newHome(),
        cwd: project.root,
      });
      const question = /Drop \S+app\.worktrees\/work-\w+ by force/;
      await terminal.shows(question);
      const worktree = worktreeIn({ results: model.results() });
      const commit = await git(worktree, 'rev-parse', 'HEAD');
      const results = model.results().length;
      await no(terminal);
      await until('the model hears of the answer', () => model.results().length > results);
      await terminal.shows(question);
      assert.match(at(model.results(), results), /Nothing was changed: the person who was asked .* said no/);
      assert.equal(await git(worktree, 'rev-parse', 'HEAD'), commit);
      await yes(terminal);
      await terminal.shows(/That was it\./);
      assert.ok(!existsSync(worktree), at(model.results(), -1));
      const kept = await git(
        project.root,
        'for-each-ref',
        '--format=%(objectname)',
        'refs/discern/recovered',
      );
      assert.equal(await git(project.root, 'merge-base', kept, commit), commit);
    });
  }

  it('Codex: asks its person, where its own settings ask', async () => {
    const project = await make({ files: asking });
    const before = await git(project.root, 'rev-parse', 'main');
    const { model, terminal } = await open(codex, landing(codex, 2), {
      home: await newHome(),
      cwd: project.root,
      approval: 'on-request',
    });
    const allow = async () => {
      await terminal.shows(/Allow the discern MCP server to run tool "discern_accept"\?/);
      // A dialog that has just come may pass a key over.
      let looks = 0;
      await until('Codex shows our question after its own', async () => {
        const screen = await terminal.screen();
        if (question.test(screen)) return true;
        if (looks++ % 100 === 0 && /Allow the discern/.test(screen)) await terminal.press('Enter');
        return false;
      });
    };
    await allow();
    const results = model.results().length;
    await terminal.press('Down');
    await terminal.press('Enter');
    await allow();
    assert.match(at(model.results(), results), /nobody said yes to this accept/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
    await terminal.press('Enter');
    await terminal.shows(/That was it\./);
    assert.match(at(model.results(), -1), landed);
    assert.equal(await git(project.root, 'show', 'main:src/b.txt'), 'fine');
  });

  it('Codex: lands nothing where its own settings ask nobody, and says that nobody said yes', async () => {
    const project = await make({ files: asking });
    const before = await git(project.root, 'rev-parse', 'main');
    const { end } = await begin(codex, landing(codex, 1), { home: await newHome(), cwd: project.root });
    assert.match(at(await end(), -1), /"error":"cancelled".*nobody said yes to this accept/);
    assert.equal(await git(project.root, 'rev-parse', 'main'), before);
  });
});
