import { skill } from './skill.ts';

/** How the plugin starts our programs: absolute paths, or the client's own variable for where the plugin lies. */
export interface Programs {
  node: string;
  server: string;
  hook: string;
}

/** Events of Claude Code that our hook answers or tells the server of, each with the tools it is about. */
const events: readonly { event: string; matcher?: string }[] = [
  { event: 'PreToolUse', matcher: 'mcp__.*discern.*|Edit|Write|MultiEdit|NotebookEdit' },
  { event: 'PostToolUse', matcher: 'EnterWorktree|ExitWorktree' },
  { event: 'SessionStart' },
  { event: 'SessionEnd' },
  { event: 'Stop' },
];

/** The files of the Claude Code plugin, by name: manifest, hooks, MCP server and skill. */
export function pluginFiles({ node, server, hook }: Programs, version: string): Record<string, string> {
  const hooks = Object.fromEntries(
    events.map(({ event, matcher }) => {
      const command = `${shellWord(node)} ${shellWord(hook)} claude ${event}`;
      const seconds = event === 'Stop' ? 30 : 5;
      const entry = { hooks: [{ type: 'command', command, timeout: seconds }] };
      return [event, [matcher === undefined ? entry : { matcher, ...entry }]];
    }),
  );
  const manifest = {
    name: 'discern',
    version,
    description:
      'Git worktrees that stay honest: start, gate and land, always about the tree the agent stands in.',
    author: { name: 'Discern for VS Code' },
  };
  const text = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    '.claude-plugin/plugin.json': text(manifest),
    'hooks/hooks.json': text({ hooks }),
    '.mcp.json': text({ mcpServers: { discern: { command: node, args: [server] } } }),
    'skills/discern/SKILL.md': skill,
  };
}

/** Within double quotes, which a POSIX shell and Windows' take alike, and in which the client's own variable still is one. */
function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (process.platform === 'win32') return `"${word}"`;
  return `"${word.replace(/["\\`]|\$(?!\{CLAUDE_PLUGIN_ROOT\})/g, '\\$&')}"`;
}
