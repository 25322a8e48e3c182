import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Driver, type Launch, program } from './driver.ts';

/** Codex. Each command may have a directory of its own; the session itself does not move. */
export const codex: Driver = {
  name: 'Codex',
  package: '@openai/codex',
  wire: 'responses',
  ours: (verb, input = {}) => ({ tool: `discern_${verb}`, namespace: 'mcp__discern', input }),
  shell: (command, workdir) => ({
    tool: 'exec_command',
    input: { cmd: command, ...(workdir !== undefined && { workdir }) },
  }),
  async once(launch) {
    const { prompt, resume, into } = launch;
    const options = ['--json', ...(into === undefined ? [] : ['--cd', into])];
    return {
      file: program('codex'),
      args: ['exec', ...(resume ? ['resume', '--last'] : []), ...options, prompt],
      env: await settings(launch),
    };
  },
  async interactive(launch) {
    const { prompt, resume } = launch;
    return {
      file: program('codex'),
      args: [...(resume ? ['resume', '--last'] : []), '--no-alt-screen', prompt],
      env: await settings(launch),
    };
  },
};

/** Writes config.toml; resolves with the environment that goes with it. */
async function settings({
  home,
  cwd,
  model,
  server: [command, ...args],
  sandbox,
  approval,
  toml = [],
}: Launch): Promise<Record<string, string>> {
  const own = join(home, '.codex');
  await mkdir(own, { recursive: true });
  const text = [
    'model = "scripted"',
    'model_provider = "loopback"',
    `approval_policy = "${approval ?? 'never'}"`,
    `sandbox_mode = "${sandbox ?? 'danger-full-access'}"`,
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    '[model_providers.loopback]',
    'name = "loopback"',
    `base_url = "${model}/v1"`,
    'wire_api = "responses"',
    'env_key = "LOOPBACK_KEY"',
    ...(command === undefined
      ? []
      : ['[mcp_servers.discern]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]),
    `[projects.${JSON.stringify(cwd)}]`,
    'trust_level = "trusted"',
    ...toml,
  ];
  await writeFile(join(own, 'config.toml'), `${text.join('\n')}\n`);
  return { CODEX_HOME: own, LOOPBACK_KEY: 'none' };
}
