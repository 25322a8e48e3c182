import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, type Driver, type Launch, program } from './driver.ts';

/** opencode. Its shell takes a directory for each command; the session itself does not move. */
export const opencode: Driver = {
  name: 'opencode',
  package: 'opencode-ai',
  wire: 'completions',
  ours: (verb, input = {}) => ({ tool: `discern_discern_${verb}`, input }),
  shell: (command, workdir) => ({
    tool: 'bash',
    input: { command, description: 'Work', ...(workdir !== undefined && { workdir }) },
  }),
  async once(launch) {
    const { prompt, resume } = launch;
    return command(launch, ['run', ...(resume ? ['--continue'] : []), prompt]);
  },
  async interactive(launch) {
    const { prompt, resume } = launch;
    return command(launch, [...(resume ? ['--continue'] : []), '--prompt', prompt]);
  },
};

async function command({ home, model, server }: Launch, args: string[]): Promise<Command> {
  const config = join(home, 'opencode.json');
  const settings = {
    model: 'loopback/scripted',
    small_model: 'loopback/scripted',
    autoupdate: false,
    share: 'disabled',
    permission: { edit: 'allow', bash: 'allow', external_directory: 'allow' },
    provider: {
      loopback: {
        npm: '@ai-sdk/openai-compatible',
        name: 'loopback',
        options: { baseURL: `${model}/v1`, apiKey: 'none' },
        models: { scripted: { name: 'scripted', tool_call: true } },
      },
    },
    ...(server.length > 0 && {
      mcp: { discern: { type: 'local', command: server, enabled: true, timeout: 60_000 } },
    }),
  };
  await writeFile(config, JSON.stringify(settings));
  return {
    file: program('opencode'),
    args,
    env: {
      OPENCODE_CONFIG: config,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
  };
}
