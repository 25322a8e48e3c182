import type { ClientKind } from '../engine/index.ts';

/** What the known hosts call themselves in `clientInfo.name`. */
const known: [RegExp, ClientKind][] = [
  [/copilot/i, 'copilot'],
  [/visual studio code|vscode/i, 'vscode'],
  [/claude/i, 'claude'],
  [/codex/i, 'codex'],
  [/cursor/i, 'cursor'],
  [/gemini/i, 'gemini'],
];

/** Which host a client is, by its own name. */
export function clientKind(name: string | undefined): ClientKind {
  return known.find(([pattern]) => name !== undefined && pattern.test(name))?.[1] ?? 'unknown';
}
