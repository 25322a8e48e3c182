import type { ClientKind } from '../engine/index.ts';

/**
 * What the known hosts call themselves in `clientInfo.name`. The first that fits counts: Cursor is `cursor-vscode`, and
 * `claude-ai` is the desktop application, which has no worktrees to enter.
 */
const known: [RegExp, ClientKind][] = [
  [/cursor/i, 'cursor'],
  [/copilot/i, 'copilot'],
  [/claude(?!-ai)/i, 'claude'],
  [/codex/i, 'codex'],
  [/gemini/i, 'gemini'],
  [/opencode/i, 'opencode'],
  [/visual[ -]studio[ -]code|vscode/i, 'vscode'],
];

/** Which host a client is, by its own name. */
export function clientKind(name: string | undefined): ClientKind {
  return known.find(([pattern]) => name !== undefined && pattern.test(name))?.[1] ?? 'unknown';
}
