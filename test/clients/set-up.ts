import assert from 'node:assert/strict';
import { join } from 'node:path';
import { cli } from '../support/cli.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import type { Driver, Launch } from './driver.ts';

/** Claude Code where it takes the server from our plugin, and names its tools after that. */
export const claudePlugged: Driver = {
  ...claude,
  ours: (verb, input = {}) => ({ tool: `mcp__plugin_discern_discern__discern_${verb}`, input }),
};

type Way = 'once' | 'interactive';

/** A client whose settings have our server by `discern setup` alone. `options` may change its command line. */
export function setUp(
  driver: Driver,
  client: string,
  options: (args: string[], launch: Launch) => string[] = (args) => args,
): Driver {
  const by = (way: Way) => async (launch: Launch) => {
    const command =
      (await driver[way]?.({ ...launch, server: [] })) ?? assert.fail(`${driver.name} is not driven so`);
    const env = { HOME: launch.home, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', COPILOT_HOME: '' };
    const { code, stderr } = await cli(['setup', client], { cwd: launch.cwd, env });
    assert.equal(code, 0, stderr);
    const state = { DISCERN_STATE_DIR: join(launch.home, 'state') };
    return { ...command, args: options(command.args, launch), env: { ...command.env, ...state } };
  };
  return { ...driver, once: by('once'), ...(driver.interactive && { interactive: by('interactive') }) };
}

/** Somebody has to have looked at a hook before Codex runs it; here the tests have. */
export const codexSetUp = setUp(codex, 'codex', ([exec = '', ...rest]) => [
  exec,
  '--dangerously-bypass-hook-trust',
  ...rest,
]);
