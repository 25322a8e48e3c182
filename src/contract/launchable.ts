/** The agent clients that can be started in a terminal. */
export const launchable = ['claude', 'codex', 'copilot', 'gemini', 'opencode'] as const;
export type Launchable = (typeof launchable)[number];

/** Those and the others that are looked for. */
export const knownAgents = [...launchable, 'cursor-agent'] as const;
export type KnownAgent = (typeof knownAgents)[number];
