import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Driver, type Launch, program } from './driver.ts';

/** Claude Code. Its shell keeps its directory between commands; it moves by EnterWorktree and ExitWorktree. */
export const claude: Driver = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  wire: 'messages',
  ours: (verb, input = {}) => ({ tool: `mcp__discern__discern_${verb}`, input }),
  shell: (command, workdir) => ({
    tool: 'Bash',
    input: {
      command: workdir === undefined ? command : `cd '${workdir}' && ${command}`,
      description: 'Work',
    },
  }),
  async once(launch) {
    const { prompt, resume } = launch;
    const { args, env } = await settings(launch);
    const asked = ['-p', prompt, '--output-format', 'stream-json', '--verbose'];
    return {
      file: program('claude'),
      args: [...asked, ...args, ...(resume ? ['--continue'] : [])],
      env,
    };
  },
  async interactive(launch) {
    const { args, env } = await settings(launch);
    const { home, cwd, prompt, resume } = launch;
    // What a person has answered once: the looks, the key, the folder.
    const state = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [env.ANTHROPIC_API_KEY], rejected: [] },
      projects: { [cwd]: { hasTrustDialogAccepted: true } },
    };
    await writeFile(join(home, '.claude.json'), JSON.stringify(state));
    return { file: program('claude'), args: [...(resume ? ['--continue'] : []), prompt, ...args], env };
  },
};

const tools = [
  'mcp__discern',
  'mcp__plugin_discern_discern',
  'Bash',
  'Edit',
  'Write',
  'EnterWorktree',
  'ExitWorktree',
];

/** The options and the environment every session of Claude Code has here. */
async function settings({ home, model, server: [command, ...args] }: Launch) {
  const config = join(home, 'mcp.json');
  await writeFile(config, JSON.stringify({ mcpServers: { discern: { command, args } } }));
  const named = command === undefined ? [] : ['--mcp-config', config, '--strict-mcp-config'];
  return {
    args: [...named, '--allowedTools', tools.join(',')],
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
    },
  };
}
