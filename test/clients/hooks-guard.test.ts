import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from '../support/cli.ts';
import { git, projects } from '../support/project.ts';
import { serverFile } from '../support/server.ts';
import { copilot } from './copilot.ts';
import { type Driver, sessions } from './driver.ts';
import { gemini } from './gemini.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { opencode } from './opencode.ts';
import { codexSetUp, setUp } from './set-up.ts';
import type { Answer } from './wires.ts';

const { make, removeAll } = projects();
const { home: newHome, start, endAll } = sessions();

/** A client with hooks of ours, and a tool of it that writes one file. */
interface Hooked {
  driver: Driver;
  /** The words of `discern setup`. */
  client: string;
  write(file: string): Answer | undefined;
  /** The file the hooks stand in. */
  file: string;
}

const clients: Hooked[] = [
  {
    driver: codexSetUp,
    client: 'codex',
    write: () => undefined,
    file: '.codex/hooks.json',
  },
  {
    driver: setUp(copilot, 'copilot'),
    client: 'copilot',
    write: (path) => ({ tool: 'create', input: { path, file_text: 'x\n' } }),
    file: '.copilot/hooks/discern.json',
  },
  {
    // By itself Gemini CLI writes nowhere outside of the directory it was launched in.
    driver: setUp(gemini, 'gemini', (args, { cwd }) => [
      ...args,
      '--include-directories',
      join(cwd, '..', 'app'),
    ]),
    client: 'gemini',
    write: (file_path) => ({ tool: 'write_file', input: { file_path, content: 'x\n' } }),
    file: '.gemini/settings.json',
  },
  {
    driver: setUp(opencode, 'opencode'),
    client: 'opencode',
    write: (filePath) => ({ tool: 'write', input: { filePath, content: 'x\n' } }),
    file: '.config/opencode/plugins/discern.js',
  },
];

describe('Hooks that “discern setup” gives to', () => {
  let model: ScriptedModel | undefined;
  afterEach(async () => {
    await endAll();
    await model?.close();
    await removeAll();
  });

  for (const { driver, client, write, file } of clients) {
    it(`${driver.name} tell where the session stands, and keep it from the main checkout’s files`, async () => {
      const project = await make();
      const linked = join(project.home, 'linked');
      await git(project.root, 'worktree', 'add', '--quiet', '-b', 'one', linked);
      const home = await newHome();
      const astray = join(project.root, 'src', 'astray.txt');
      const calls = [
        driver.shell(`cat ${project.root}/src/a.txt && git -C ${project.root} log --oneline`),
        driver.shell(`cd ${project.root} && echo x > src/astray.txt`),
        driver.shell('echo mine > src/mine.txt && cat src/mine.txt'),
        ...[write(astray), write(join(linked, 'src', 'tool.txt'))].filter((one) => one !== undefined),
      ];
      model = await scriptedModel(driver.wire, calls);
      const run = await start(driver, {
        home,
        cwd: linked,
        model: model.url,
        prompt: 'Work.',
        server: [process.execPath, serverFile],
      });
      await run.ended;
      const [read = '', denied = '', mine = '', toolDenied, toolWrote] = model.results();
      assert.match(read, /a commit/, run.said());
      const why = /This session is in the worktree .*the main checkout of the same repository/;
      assert.match(denied, why, run.said());
      assert.match(mine, /mine/);
      assert.ok(!existsSync(astray));
      if (write(astray)) {
        assert.match(toolDenied ?? '', why);
        assert.ok(existsSync(join(linked, 'src', 'tool.txt')), toolWrote);
      }
      const asked = JSON.stringify(model.requests.map(({ body }) => body));
      assert.match(asked, /discern: this session is in the linked worktree/);
      assert.ok(!existsSync(join(home, 'state', 'hook.log')), 'nothing went wrong');
      assert.match(readFileSync(join(home, file), 'utf8'), /hook\.js/);
      const env = { HOME: home, CODEX_HOME: '', COPILOT_HOME: '' };
      assert.equal((await cli(['setup', client, '--remove'], { cwd: home, env })).code, 0);
      if (client === 'copilot' || client === 'opencode') assert.ok(!existsSync(join(home, file)));
      else assert.doesNotMatch(readFileSync(join(home, file), 'utf8'), /hook\.js/);
    }).timeout(120_000);
  }

  it('opencode: done follows the directory of the session’s last command', async () => {
    const project = await make();
    const linked = join(project.home, 'linked');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'one', linked);
    const calls = [
      opencode.ours('status'),
      opencode.shell('echo red > src/red.txt && git add -A && git commit -qm red', linked),
      opencode.ours('done'),
    ];
    model = await scriptedModel(opencode.wire, calls);
    const run = await start(setUp(opencode, 'opencode'), {
      home: await newHome(),
      cwd: project.root,
      model: model.url,
      prompt: 'Work.',
      server: [process.execPath, serverFile],
    });
    await run.ended;
    const [, , done = ''] = model.results();
    assert.match(
      done,
      /You are in .*linked \(a hook of discern\), so the held root followed you/,
      run.said(),
    );
  }).timeout(120_000);
});
