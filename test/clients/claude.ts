import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Driver, program } from './driver.ts';

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
  async once({ home, model, prompt, server: [command, ...args], resume }) {
    const config = join(home, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: { discern: { command, args } } }));
    const tools = ['mcp__discern', 'Bash', 'Edit', 'Write', 'EnterWorktree', 'ExitWorktree'];
    return {
      file: program('claude'),
      args: [
        ...['-p', prompt, '--output-format', 'stream-json', '--verbose'],
        ...['--mcp-config', config, '--strict-mcp-config', '--allowedTools', tools.join(',')],
        ...(resume ? ['--continue'] : []),
      ],
      env: {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: 'none',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
      },
    };
  },
};
