import type { Client } from './input.ts';

/** What a hook prints, if anything: no answer lets the client go on as it would. */
export type Said = Record<string, unknown> | undefined;

/** Clients whose form of an answer we know; the others are only guarded and told by other means. */
export const speaks: ReadonlySet<Client> = new Set<Client>([
  'claude',
  'codex',
  'vscode',
  'copilot',
  'gemini',
  'cursor',
  'opencode',
]);

/** The tool is not run, and the agent is told why. */
export function denied(client: Client, reason: string): Said {
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason };
  switch (client) {
    case 'claude':
    case 'codex':
    case 'vscode':
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
    case 'copilot':
    case 'opencode':
      return decision;
    case 'cursor':
      return { permission: 'deny', user_message: reason, agent_message: reason };
    case 'gemini':
      return { decision: 'deny', reason };
    default:
      return undefined;
  }
}

/** The agent is told something. */
export function withContext(client: Client, event: string, additionalContext: string): Said {
  switch (client) {
    case 'copilot':
    case 'opencode':
      return { additionalContext };
    case 'cursor':
      return { additional_context: additionalContext };
    default:
      return { hookSpecificOutput: { hookEventName: event, additionalContext } };
  }
}

/** The agent does not stop yet, for this reason. */
export const goOn = (client: Client, reason: string): Said =>
  client === 'cursor'
    ? { followup_message: reason }
    : { decision: client === 'gemini' ? 'deny' : 'block', reason };
