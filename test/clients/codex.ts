import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Driver, program } from './driver.ts';

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
  async once({ home, model, prompt, server: [command, ...args], resume, sandbox }) {
    const own = join(home, '.codex');
    await mkdir(own, { recursive: true });
    const text = [
      'model = "scripted"',
      'model_provider = "loopback"',
      'approval_policy = "never"',
      `sandbox_mode = "${sandbox ?? 'danger-full-access'}"`,
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.loopback]',
      'name = "loopback"',
      `base_url = "${model}/v1"`,
      'wire_api = "responses"',
      'env_key = "LOOPBACK_KEY"',
      '[mcp_servers.discern]',
      `command = ${JSON.stringify(command)}`,
      `args = ${JSON.stringify(args)}`,
    ];
    await writeFile(join(own, 'config.toml'), `${text.join('\n')}\n`);
    return {
      file: program('codex'),
      args: ['exec', ...(resume ? ['resume', '--last'] : []), '--json', prompt],
      env: { CODEX_HOME: own, LOOPBACK_KEY: 'none' },
    };
  },
};
