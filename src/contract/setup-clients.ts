/** Clients that `discern setup` can write the server into. */
export const setupClients = [
  'claude',
  'codex',
  'copilot',
  'gemini',
  'cursor',
  'opencode',
  'vscode',
  'mcp-json',
  'zed',
] as const;
export type SetupClient = (typeof setupClients)[number];
