import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from '../support/cli.ts';
import { projects } from '../support/project.ts';
import { claude } from './claude.ts';
import { type Driver, program, sessions } from './driver.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';

const { make, removeAll } = projects();
const { home: newHome, start, endAll } = sessions();

/** Claude Code as `discern setup claude` leaves it: no server is named on its command line. */
const withPlugin: Driver = {
  ...claude,
  async once(launch) {
    const { env } = await claude.once(launch);
    const tools = ['Bash', 'Write', 'EnterWorktree', 'ExitWorktree', 'mcp__plugin_discern_discern'];
    const { prompt } = launch;
    return {
      file: program('claude'),
      args: ['-p', prompt, '--output-format', 'stream-json', '--verbose', '--allowedTools', tools.join(',')],
      env: { ...env, DISCERN_STATE_DIR: join(launch.home, 'state') },
    };
  },
};

describe('Claude Code with our plugin', () => {
  let model: ScriptedModel | undefined;
  afterEach(async () => {
    await endAll();
    await model?.close();
    await removeAll();
  });

  it('is told where it stands, denied a write into the main checkout, and followed by what the hook told', async () => {
    const project = await make();
    const home = await newHome();
    const env = { HOME: home, CLAUDE_CONFIG_DIR: '' };
    const { code, stderr } = await cli(['setup', 'claude'], { cwd: project.root, env });
    assert.equal(code, 0, stderr);
    const astray = join(project.root, 'src', 'astray.txt');
    const worktree = (results: string[]) => /(\S+\.worktrees\/mine-\w+)/.exec(results[0] ?? '')?.[1] ?? '';
    const ours = (verb: string) => ({ tool: `mcp__plugin_discern_discern__discern_${verb}`, input: {} });
    model = await scriptedModel(withPlugin.wire, [
      { tool: 'EnterWorktree', input: { name: 'mine' } },
      { tool: 'Write', input: { file_path: astray, content: 'x\n' } },
      ({ results }) => ({
        tool: 'Write',
        input: { file_path: join(worktree(results), 'src', 'b.txt'), content: 'x\n' },
      }),
      ours('status'),
    ]);
    const run = await start(withPlugin, {
      home,
      cwd: project.root,
      model: model.url,
      prompt: 'Do the work.',
      server: [],
    });
    await run.ended;
    const [, denied = '', written = '', status = ''] = model.results();
    assert.match(denied, /This session is in the worktree .*the main checkout/, run.said());
    assert.ok(!existsSync(astray));
    assert.ok(existsSync(join(worktree(model.results()), 'src', 'b.txt')), written);
    const { caller } = JSON.parse(status).data;
    assert.equal(caller?.evidence, 'a hook of discern', status);
    assert.equal(caller.cwd, worktree(model.results()));
    const first = JSON.stringify(model.requests.map(({ body }) => body));
    assert.match(first, /discern: this session is in the main checkout/);
    assert.ok(!existsSync(join(home, 'state', 'hook.log')));
    assert.deepEqual(readdirSync(join(home, 'state', 'callers')), [], 'a session that ended is forgotten');
  }).timeout(120_000);

  it('is asked once for a proof, where the project wants that', async () => {
    const project = await make({ files: { 'discern-vscode.toml': '[callers]\nask_for_proof = true\n' } });
    const home = await newHome();
    await cli(['setup', 'claude'], { cwd: project.root, env: { HOME: home, CLAUDE_CONFIG_DIR: '' } });
    model = await scriptedModel(withPlugin.wire, [
      { tool: 'EnterWorktree', input: { name: 'mine' } },
      claude.shell('git commit --allow-empty -qm work'),
      { say: 'All done.' },
    ]);
    const launch = { home, cwd: project.root, model: model.url, prompt: 'Do the work.', server: [] };
    const run = await start(withPlugin, launch);
    await run.ended;
    const asked = model.requests
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body?.includes('1 commit in ') && body.includes('Call discern_done there'));
    assert.equal(asked.length, 1, run.said());
  }).timeout(120_000);
});
