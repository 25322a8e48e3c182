/**
 * What a joiner says first on a window's socket, as one line, before any MCP: where its client stands, which the window's server cannot
 * see for itself. Version 1; a server takes what it knows of it.
 */
export interface Joining {
  discern: 1;
  /** One connection of one client. */
  id: string;
  /** The directory the client started it in. */
  launch?: string;
  /** The process that started it. */
  parent: number;
  /** Variables by which a client's session is found, see {@link joiningNames}. */
  env: Record<string, string>;
}

/** How every such line begins; no MCP message does. */
export const joiningStart = '{"discern":';

/** Variables of the client's environment that say which session calls, and where its records lie. */
export const joiningNames = [
  ...['HOME', 'USERPROFILE', 'LOCALAPPDATA', 'XDG_STATE_HOME', 'DISCERN_STATE_DIR'],
  ...['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_PROJECT_DIR'],
  ...['COPILOT_HOME', 'COPILOT_AGENT_SESSION_ID', 'CODEX_HOME', 'OPENCODE_PID'],
] as const;
