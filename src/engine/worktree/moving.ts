import type { ClientKind } from '../context.ts';
import { shellWord } from '../shell-word.ts';

/**
 * How the caller moves its own working context to a new worktree, in its own words. We cannot do it for it, and cannot
 * see whether it did; so every start says it.
 */
export function movingAdvice(client: ClientKind, path: string): string {
  const edit = `Edit only files under ${path}`;
  switch (client) {
    case 'vscode':
      return `Move your own work too: ${edit}, with absolute paths, and run terminal commands with "cd ${path}" first. This server already acts there.`;
    case 'copilot':
      return `Move your own session too: use /worktree or /cwd to switch to ${path}. ${edit}; this server already acts there.`;
    case 'claude':
      return `Move your own session too: call EnterWorktree with path ${path} (or cd there in every shell command). ${edit}; this server already acts there.`;
    case 'codex':
      return `Your session stays where it was launched: run every command with workdir ${path}. ${edit}; this server already acts there.`;
    case 'cursor':
      return `Your session stays where it was launched: use absolute paths, and "cd ${path}" in every terminal command. ${edit}; this server already acts there.`;
    case 'gemini':
      return `Your session stays where it was launched: add the directory with /directory add ${path}, and cd there in every shell command. ${edit}; this server already acts there.`;
    case 'terminal':
      return `Go there: cd ${shellWord(path)}`;
    case 'remote':
      return `This server holds no root: pass path "${path}" with every call about this work. ${edit}, on the server’s machine.`;
    case 'unknown':
      return `You must move your own working directory to ${path} too: cd there and edit only files under it. This server already acts there.`;
  }
}
