/** The agent clients that can be started in a terminal. */
export const launchable = ['claude', 'codex', 'copilot', 'gemini', 'opencode'] as const;
export type Launchable = (typeof launchable)[number];
