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
      return decision;
    case 'gemini':
      return { decision: 'deny', reason };
    default:
      return undefined;
  }
}

/** The agent is told something. */
export function withContext(client: Client, event: string, additionalContext: string): Said {
  return client === 'copilot'
    ? { additionalContext }
    : { hookSpecificOutput: { hookEventName: event, additionalContext } };
}

/** The agent does not stop yet, for this reason. */
export const goOn = (client: Client, reason: string): Said => ({
  decision: client === 'gemini' ? 'deny' : 'block',
  reason,
});
