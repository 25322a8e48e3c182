import { hooksFor } from './hooks.ts';
import { skill } from './skill.ts';

/** How the plugin starts our programs: absolute paths, or the client's own variable for where the plugin lies. */
export interface Programs {
  node: string;
  server: string;
  hook: string;
}

/** The files of the Claude Code plugin, by name: manifest, hooks, MCP server and skill. */
export function pluginFiles({ node, server, hook }: Programs, version: string): Record<string, string> {
  const hooks = Object.fromEntries(
    hooksFor('claude', { node, hook }, 'plugin').map(({ event, item }) => [event, [item]]),
  );
  const manifest = {
    name: 'discern',
    version,
    description:
      'Git worktrees that stay honest: start, gate and land, always about the tree the agent is in.',
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

/**
 * The same plugin as VS Code takes it: its hooks speak to VS Code, and its server joins the window whose folders hold the directory it
 * is started in, where there is one.
 */
export function vscodePluginFiles(
  programs: Programs,
  attach: string,
  version: string,
): Record<string, string> {
  const files = pluginFiles({ ...programs, server: attach }, version);
  const hooks = files['hooks/hooks.json'] ?? '';
  return { ...files, 'hooks/hooks.json': hooks.replace(/(hook\.js(?:\\")?) claude /g, '$1 vscode ') };
}
