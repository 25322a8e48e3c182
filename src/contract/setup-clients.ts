/** Clients that `discern setup` can write the server into. */
export const setupClients = ['claude', 'codex', 'copilot', 'gemini', 'cursor', 'opencode', 'vscode'] as const;
export type SetupClient = (typeof setupClients)[number];
