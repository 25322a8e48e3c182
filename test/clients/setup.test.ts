import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cli } from '../support/cli.ts';
import { git } from '../support/project.ts';
import { copilot } from './copilot.ts';
import { type Driver, program, surroundings } from './driver.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { claudePlugged, codexSetUp, setUp } from './set-up.ts';
import { at, commit, inWorktree, proven, stage } from './stage.ts';

const { make, home: newHome, begin, clear } = stage();
const exec = promisify(execFile);

const clients: { client: string; file: string; driver: Driver; listed: RegExp }[] = [
  {
    client: 'claude',
    file: 'claude',
    driver: setUp(claudePlugged, 'claude'),
    listed: /discern: .*Connected/,
  },
  { client: 'codex', file: 'codex', driver: codexSetUp, listed: /^discern .*server\.js.* enabled/m },
  { client: 'copilot', file: 'copilot', driver: setUp(copilot, 'copilot'), listed: /discern \(local\)/ },
  { client: 'gemini', file: 'gemini', driver: setUp(gemini, 'gemini'), listed: /discern: .*Connected/ },
  { client: 'opencode', file: 'opencode', driver: setUp(opencode, 'opencode'), listed: /discern.*connected/ },
];

describe('After “discern setup” a real client', () => {
  afterEach(clear);

  for (const { client, file, driver, listed } of clients) {
    it(`${driver.name}: lists the server by its own command, lands work with it, and lists none after --remove`, async () => {
      const project = await make();
      const home = await newHome();
      const { end } = await begin(
        driver,
        [
          driver.ours('start', { name: 'work' }),
          inWorktree(driver, commit('src/b.txt', 'BROKEN')),
          driver.ours('done'),
          inWorktree(driver, commit('src/b.txt', 'fine')),
          driver.ours('done'),
          driver.ours('accept'),
        ],
        { home, cwd: project.root },
      );
      const env = { ...surroundings(home), GEMINI_CLI_TRUST_WORKSPACE: 'true', PWD: project.root };
      const list = async () => {
        const { stdout, stderr } = await exec(program(file), ['mcp', 'list'], { cwd: project.root, env });
        return `${stdout}${stderr}`.replace(/\x1b\[[\d;]*m/g, '');
      };
      const shown = await end();
      assert.match(await list(), listed);
      assert.match(at(shown, 2), /gate_failed/, shown.join('\n---\n'));
      assert.match(at(shown, 4), proven, at(shown, 4));
      assert.equal(await git(project.root, 'show', 'main:src/b.txt'), 'fine', at(shown, 5));
      const own = { HOME: home, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', COPILOT_HOME: '' };
      const { code, stderr } = await cli(['setup', client, '--remove'], { cwd: project.root, env: own });
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(await list(), /\bdiscern\b.*(?:local|onnected|enabled)/);
    });
  }
});
