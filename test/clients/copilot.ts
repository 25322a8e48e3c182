import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Driver, program } from './driver.ts';

/** Copilot CLI. A person moves it by /worktree and /cwd in an interactive session. */
export const copilot: Driver = {
  name: 'Copilot CLI',
  package: '@github/copilot',
  wire: 'messages',
  ours: (verb, input = {}) => ({ tool: `discern-discern_${verb}`, input }),
  shell: (command, workdir) => ({
    tool: 'bash',
    input: {
      command: workdir === undefined ? command : `cd '${workdir}' && ${command}`,
      description: 'Work',
    },
  }),
  async once({ home, model, prompt, server, resume }) {
    return {
      file: program('copilot'),
      args: [
        '-p',
        prompt,
        '--allow-all-tools',
        '--allow-all-paths',
        ...(await settings(home, server)),
        ...(resume ? ['--continue'] : []),
      ],
      env: provider(model),
    };
  },
  async interactive({ home, cwd, model, prompt, server, resume }) {
    // Asked on its screen it trusts a folder only until it moves.
    await mkdir(join(home, '.copilot'), { recursive: true });
    const config = { trusted_folders: [dirname(cwd)] };
    await writeFile(join(home, '.copilot', 'config.json'), JSON.stringify(config));
    return {
      file: program('copilot'),
      args: [
        ...['-i', prompt, '--allow-all-tools', '--allow-all-paths'],
        ...(await settings(home, server)),
        ...(resume ? ['--continue'] : []),
      ],
      env: provider(model),
    };
  },
};

/** The options every session of Copilot CLI has here. */
async function settings(home: string, [command, ...args]: string[]): Promise<string[]> {
  const config = join(home, 'mcp.json');
  const discern = { type: 'local', command, args, tools: ['*'] };
  await writeFile(config, JSON.stringify({ mcpServers: { discern } }));
  const named = command === undefined ? [] : ['--additional-mcp-config', `@${config}`];
  return [...named, '--disable-builtin-mcps', '--no-auto-update'];
}

const provider = (model: string) => ({
  COPILOT_OFFLINE: 'true',
  COPILOT_PROVIDER_BASE_URL: model,
  COPILOT_PROVIDER_TYPE: 'anthropic',
  COPILOT_PROVIDER_API_KEY: 'none',
  COPILOT_MODEL: 'scripted',
});
