import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runs, until } from '../support/processes.ts';
import { git, type Project } from '../support/project.ts';
import { serverFile } from '../support/server.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { Driver } from './driver.ts';
import { gemini } from './gemini.ts';
import type { Heard, Turn } from './model.ts';
import { opencode } from './opencode.ts';
import { processesOf } from './processes-of.ts';
import { at, commit, inWorktree, proven, stage, worktreeIn } from './stage.ts';

const { make, home: newHome, begin, open, clear } = stage();

/** Clients whose own means belong to a person, or leave no word: these have the server make a checkout. */
const started = new Set([copilot, opencode, gemini]);

/** Goes to a linked checkout by this client's own means, where it has some. */
const goTo = (driver: Driver, path: string): Turn => {
  if (driver === claude) return { tool: 'EnterWorktree', input: { path } };
  if (driver === codex) return codex.shell('git status --short', path);
  return driver.ours('start', { name: 'moved' });
};

/** Runs a command where {@link goTo} went. */
const there =
  (driver: Driver, path: string, command: string): Turn =>
  (heard) => {
    const at = started.has(driver) ? worktreeIn(heard) : path;
    // Gemini CLI's shell takes no directory outside of its workspace.
    return driver === gemini ? gemini.shell(`cd '${at}' && ${command}`) : driver.shell(command, at);
  };

/** The root of an answer, from whichever part its client shows. */
const rootOf = (answer: string) => /"root":"([^"]+)"|root: (\/[^\s\\]+)/.exec(answer)?.slice(1).find(Boolean);

async function linked(project: Project, name: string): Promise<string> {
  const path = join(project.home, 'app.worktrees', name);
  await git(project.root, 'worktree', 'add', '--quiet', '-b', name, path);
  return path;
}

/** A project whose gate waits for ever while `hold` exists, and then has written its process's number down. */
async function holding() {
  const project = await make();
  const hold = join(project.home, 'hold');
  const started = join(project.home, 'started');
  const job = `if test -e '${hold}'; then echo $$ > '${started}.new'; mv '${started}.new' '${started}'; exec sleep 600; fi`;
  await project.commit({ 'discern.toml': `[jobs]\ntest = ${JSON.stringify(job)}\n` });
  await writeFile(hold, '');
  return {
    project,
    /** Resolves with the job's process once it runs. */
    async job(): Promise<number> {
      await until('the gate runs', () => existsSync(started));
      return Number(readFileSync(started, 'utf8'));
    },
    letGo: () => rm(hold),
  };
}

/** Our server and the client that started it, among the processes of a home. */
function serverOf(home: string) {
  const all = processesOf(home);
  const server = all.find(({ command }) => command.includes(serverFile));
  const client = all.find(({ pid }) => pid === server?.parent);
  assert.ok(server && client, JSON.stringify(all));
  return { server, client };
}

/** A client in a terminal asks for its turn before its servers are there; Claude Code has a tool to wait for them. */
const whenConnected = (driver: Driver): Turn[] =>
  driver === claude ? [{ tool: 'WaitForMcpServers', input: {} }] : [];

/** Does its model read the text, and the structure, of an answer that is an error? (docs/clients.md) */
const readsOnRefusal = new Map([
  [claude, [true, false]],
  [codex, [false, true]],
  [copilot, [true, true]],
  [opencode, [true, false]],
  [gemini, [true, true]],
]);

describe('A session of a real client', () => {
  afterEach(clear);

  for (const driver of [claude, codex, copilot, opencode, gemini]) {
    it(`${driver.name}: beside another in one repository, each has its own root`, async () => {
      const project = await make();
      const home = await newHome();
      const [one, two] = [await linked(project, 'one'), await linked(project, 'two')];
      const cwd = project.root;
      let beside: () => void = () => undefined;
      const other = new Promise<void>((resolve) => {
        beside = resolve;
      });
      const afterOther = (turn: Turn) => async (heard: Heard) => {
        await other;
        return typeof turn === 'function' ? turn(heard) : turn;
      };
      const first = await begin(
        driver,
        [
          goTo(driver, one),
          there(driver, one, commit('src/b.txt', 'BROKEN')),
          afterOther(driver.ours('done')),
          driver.ours('status'),
        ],
        { home, cwd },
      );
      await until('the first session has moved', () => first.model.played() >= 2);
      const goSecond = started.has(driver) ? driver.ours('start', { name: 'second' }) : goTo(driver, two);
      const second = await begin(
        driver,
        [
          goSecond,
          there(driver, two, commit('src/c.txt', 'fine')),
          driver.ours('done'),
          () => {
            beside();
            return driver.ours('status');
          },
        ],
        { home, cwd },
      );
      const [red, green] = [await first.end(), await second.end()];
      const roots = [red, green].map((shown) => rootOf(at(shown, 2)));
      assert.match(at(red, 2), /gate_failed/, red.join('\n---\n'));
      assert.match(at(green, 2), proven, green.join('\n---\n'));
      const wanted = started.has(driver)
        ? [worktreeIn({ results: red }), worktreeIn({ results: green })]
        : [one, two];
      assert.deepEqual(roots, wanted);
      assert.notEqual(roots[0], roots[1]);
      // And it stays so, whichever worked last.
      assert.equal(rootOf(at(red, 3)), wanted[0], at(red, 3));
    });

    it(`${driver.name}: killed while the gate runs, it leaves no process, and the next session works`, async () => {
      const { project, job, letGo } = await holding();
      const home = await newHome();
      const scene = { home, cwd: project.root };
      const killed = await begin(driver, [driver.ours('done')], scene);
      const gate = await job();
      const { server, client } = serverOf(home);
      assert.ok(runs(gate));
      process.kill(client.pid, 'SIGKILL');
      await until('the server ends', () => !runs(server.pid));
      await until('the job of the gate ends', () => !runs(gate));
      await killed.run.ended;
      await until('nothing of it runs', () => processesOf(home).length === 0);
      await letGo();
      const next = await begin(driver, [driver.ours('status'), driver.ours('done'), { say: 'Done.' }], scene);
      const shown = await next.end();
      assert.ok(!proven.test(at(shown, 0)), at(shown, 0));
      assert.match(at(shown, 1), proven, at(shown, 1));
    });

    it(`${driver.name}: its model reads a refusal's slug and a finding's file and line`, async () => {
      const project = await make();
      const finding = 'src/a.txt:7:3: error: a is wrong';
      await project.commit({ 'discern.toml': `[jobs]\nlint = "echo '${finding}'; exit 1"\n` });
      const script = [
        driver.ours('update'),
        driver.ours('done'),
        driver.ours('done', { unknown_word: 1 }),
        { say: 'Done.' },
      ];
      const { end } = await begin(driver, script, { home: await newHome(), cwd: project.root });
      const [update = '', done = '', unknown = ''] = await end();
      assert.match(update, /not_in_worktree/);
      assert.match(update, /call start first/, 'what to do next');
      assert.match(done, /gate_failed/);
      // Text where it reads text, structure where it reads that, and both where it reads both.
      const [text, structure] = [
        /src\/a\.txt:7:3: error: a is wrong\n/,
        /"file":"src\/a\.txt","line":7,"column":3/,
      ];
      // Gemini CLI puts an error into JSON once more.
      const plain = done.replace(/\\+"/g, '"').replace(/\\+n/g, '\n');
      const reads = [text, structure].map((form) => form.test(plain));
      assert.deepEqual(reads, readsOnRefusal.get(driver), done);
      // It also looks at arguments itself, before they are sent.
      if (driver === gemini) return assert.match(unknown, /must NOT have additional properties/);
      assert.match(unknown, /unknown_argument/);
      assert.match(unknown, /"?unknown_word/);
    });
  }

  for (const driver of [claude, codex, copilot, opencode]) {
    it(`${driver.name}: interrupted during done, the gate ends without a proof, and the session goes on`, async () => {
      const { project, job, letGo } = await holding();
      const home = await newHome();
      const script = [
        ...whenConnected(driver),
        driver.ours('done'),
        driver.ours('status'),
        driver.ours('done'),
        { say: 'All is well.' },
      ];
      const { model, terminal } = await open(driver, script, { home, cwd: project.root });
      const gate = await job();
      const { server, client } = serverOf(home);
      await terminal.press(driver === copilot ? 'C-c' : 'Escape');
      // opencode asks for it twice.
      if (driver === opencode) await terminal.press('Escape');
      await until('the job of the gate ends', () => !runs(gate));
      assert.ok(runs(client.pid) && runs(server.pid), 'only the call was given up');
      await letGo();
      await terminal.type('Go on.');
      await terminal.shows(/All is well\./);
      const [status, done] = [at(model.results(), -2), at(model.results(), -1)];
      assert.match(status, /"proof":\{"state":"none"|^proof: none/m, status);
      assert.match(done, proven, done);
      assert.equal(serverOf(home).server.pid, server.pid);
    });
  }

  for (const driver of [claude, codex, copilot, opencode, gemini]) {
    it(`${driver.name}: resumed where it was launched, its green about that names the worktree it worked in`, async () => {
      const project = await make();
      const scene = { home: await newHome(), cwd: project.root };
      const script: Turn[] = [
        driver.ours('start', { name: 'work' }),
        inWorktree(driver, commit('src/b.txt', 'BROKEN')),
        { say: 'Later.' },
      ];
      const before = await (await begin(driver, script, scene)).end();
      const worktree = worktreeIn({ results: before });
      const again = await begin(driver, [driver.ours('done'), { say: 'Done.' }], { ...scene, resume: true });
      const shown = await again.end();
      // Gemini CLI tells its model some of what was before twice.
      assert.ok(shown.length >= 3, 'it is the same conversation');
      const done = at(shown, -1);
      assert.equal(rootOf(done), project.root, done);
      assert.match(done, /This is about \S+\/app, which is clean .* so it contains no work/);
      assert.ok(done.indexOf(worktree) < done.indexOf('passed'), done);
    });
  }

  it('Claude Code: resumed, it is followed to the worktree it stood in', async () => {
    const project = await make();
    const own = await linked(project, 'own');
    const scene = { home: await newHome(), cwd: project.root };
    const before = await open(
      claude,
      [
        ...whenConnected(claude),
        goTo(claude, own),
        there(claude, own, commit('src/b.txt', 'BROKEN')),
        { say: 'Later.' },
      ],
      scene,
    );
    await before.terminal.shows(/Later\./);
    await before.terminal.close();
    await until('it has ended', () => processesOf(scene.home).length === 0);
    const after = await open(claude, [...whenConnected(claude), claude.ours('done'), { say: 'It is red.' }], {
      ...scene,
      resume: true,
    });
    await after.terminal.shows(/It is red\./);
    const shown = after.model.results();
    assert.ok(shown.length > 3, 'it is the same conversation');
    assert.match(at(shown, -1), /gate_failed\. You are in .*own .*followed you there/);
  });

  it('Codex: resumed, it is followed to where its last command ran', async () => {
    const project = await make();
    const own = await linked(project, 'own');
    const scene = { home: await newHome(), cwd: project.root };
    const script = [goTo(codex, own), there(codex, own, commit('src/b.txt', 'BROKEN')), { say: 'Later.' }];
    await (await begin(codex, script, scene)).end();
    const again = { ...scene, resume: true };
    const after = await begin(codex, [codex.ours('done'), { say: 'It is red.' }], again);
    const shown = await after.end();
    assert.equal(shown.length, 3, 'it is the same conversation');
    assert.match(at(shown, -1), /"error":"gate_failed"/, at(shown, -1));
    assert.ok(at(shown, -1).includes(`"root":"${own}"`), at(shown, -1));
  });

  it('Codex: sent into a worktree by its own option, it is gated there from the first call on', async () => {
    const project = await make();
    const own = await linked(project, 'own');
    await project.commit({ 'src/b.txt': 'BROKEN\n' }, own);
    const scene = { home: await newHome(), cwd: project.root, into: own };
    const { end } = await begin(codex, [codex.ours('done'), { say: 'It is red.' }], scene);
    const [done = ''] = await end();
    assert.match(done, /"error":"gate_failed"/, done);
    assert.ok(done.includes(`"root":"${own}"`), done);
  });

  it('Copilot CLI: /worktree and /cwd move the gate along, and so does resuming the session', async () => {
    const project = await make();
    const own = await linked(project, 'own');
    await project.commit({ 'src/c.txt': 'BROKEN\n' }, own);
    const scene = { home: await newHome(), cwd: project.root };
    const script = [
      copilot.ours('status'),
      { say: 'Ready.' },
      copilot.shell(commit('src/b.txt', 'BROKEN')),
      copilot.ours('done'),
      { say: 'Red there.' },
      copilot.ours('done'),
      { say: 'Red here too.' },
    ];
    const { model, terminal } = await open(copilot, script, scene);
    await terminal.shows(/Ready\./);
    await terminal.type('/worktree feature');
    await terminal.shows(/Created worktree/);
    await terminal.type('Go on.');
    await terminal.shows(/Red there\./);
    const feature = join(project.home, 'app.worktrees', 'feature');
    assert.match(at(model.results(), -1), /done: gate_failed\./);
    assert.ok(at(model.results(), -1).includes(`"root":"${feature}"`), at(model.results(), -1));
    await terminal.type(`/cwd ${own}`);
    await terminal.shows(/Changed working directory/);
    await terminal.type('And now.');
    await terminal.shows(/Red here too\./);
    assert.match(at(model.results(), -1), /done: gate_failed\./);
    assert.ok(at(model.results(), -1).includes(`"root":"${own}"`), at(model.results(), -1));
    await terminal.close();
    await until('it has ended', () => processesOf(scene.home).length === 0);
    const again = { ...scene, resume: true };
    const { end } = await begin(copilot, [copilot.ours('done'), { say: 'Red.' }], again);
    const resumed = at(await end(), -1);
    assert.match(resumed, /done: gate_failed\. You are in .*followed you there/);
    assert.ok(resumed.includes(`"root":"${own}"`), resumed);
  });
});
