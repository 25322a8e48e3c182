import { dirname } from 'node:path';
import type { ClientKind } from '../call/context.ts';
import { shellWord } from '../words/shell-word.ts';

/**
 * How a caller whose directory is gone goes on in `home`, in its own words. Of what a person has to type an agent can only
 * tell the person.
 */
export function leavingAdvice(client: ClientKind, home: string): string {
  switch (client) {
    case 'claude':
      return `If your session stood there: call ExitWorktree with action "keep", or cd ${home} in every shell command; a shell whose directory is gone falls back to the home directory.`;
    case 'copilot':
      return `If your session stood there: cd ${home} in every shell command, and ask the person to type /cwd ${home}.`;
    case 'codex':
      return `If you worked there: run every command with workdir ${home} from now on.`;
    case 'vscode':
    case 'cursor':
      return `If a terminal stood there: cd ${home} in it, and use absolute paths below ${home}.`;
    case 'gemini':
      return `If you worked there: cd ${home} in every shell command from now on.`;
    case 'opencode':
      return `If you worked there: use absolute paths below ${home}, and workdir ${home} in shell commands.`;
    case 'terminal':
      return `If your shell stands there: cd ${shellWord(home)}`;
    case 'remote':
      return `Pass path "${home}" from now on.`;
    case 'unknown':
      return 'If you are in it, move to `root` or restart there.';
  }
}

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
      return `Work there from now on: cd ${path} in every shell command (a person can use /worktree or /cwd to move the session, you cannot). ${edit}; this server already acts there.`;
    case 'claude':
      return `Move your own session too: call EnterWorktree with path ${path} (or cd there in every shell command). ${edit}; this server already acts there.`;
    case 'codex':
      return `Your session stays where it was launched: run every command with workdir ${path}. ${edit}; this server already acts there. If your sandbox may not write there: ask the person to put writable_roots = [${JSON.stringify(dirname(path))}] under [sandbox_workspace_write] in Codex’s config.toml ("discern doctor" names a folder inside the repository instead). If "git commit" ends with a read-only file system: commit with discern_commit.`;
    case 'opencode':
      return `Work there from now on, with workdir ${path} in shell commands. ${edit}; this server already acts there. If your client asks for external_directory or rejects it: ask the person to run "discern setup opencode"; discern_commit commits without a shell.`;
    case 'cursor':
      return `Your session stays where it was launched: use absolute paths, and "cd ${path}" in every terminal command. ${edit}; this server already acts there.`;
    case 'gemini':
      return `Your session stays where it was launched: add the directory with /directory add ${path}, and cd there in every shell command. ${edit}; this server already acts there.`;
    case 'terminal':
      return `Go there: cd ${shellWord(path)}`;
    case 'remote':
      return `This server holds no root: pass path "${path}" with every call about this work. ${edit}, on the server’s machine.`;
    case 'unknown':
      return `Move your working directory to ${path}; edit only there.`;
  }
}
