import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

/** The variable that says of a terminal which worktree its agent was launched in; VS Code keeps it while a window reloads. */
const MARK = 'DISCERN_AGENT_IN';

/** How long a client gets to take a pasted text before the Enter. Milliseconds. */
const PASTE_MS = 300;

/** Opens a terminal in a worktree with an agent's client in it, and goes there. */
export function openAgentTerminal(
  root: string,
  name: string,
  [program, ...args]: readonly string[],
  environment: Record<string, string>,
): vscode.Terminal {
  if (program === undefined) throw new Error('There is no command to run.');
  const terminal = vscode.window.createTerminal({
    name,
    cwd: vscode.Uri.file(root),
    shellPath: program,
    shellArgs: args,
    env: { ...environment, [MARK]: root },
    iconPath: new vscode.ThemeIcon('hubot'),
  });
  terminal.show();
  return terminal;
}

/** The terminal of this window an agent was launched in, the newest, while that runs. */
export function agentTerminal(root: string): vscode.Terminal | undefined {
  return vscode.window.terminals.findLast(({ creationOptions, exitStatus }) => {
    const env = 'env' in creationOptions ? creationOptions.env : undefined;
    return exitStatus === undefined && env?.[MARK] === root;
  });
}

/** A text as a terminal takes it in one piece: nothing in it ends the paste, or is a key of its own. */
export const pasted = (text: string): string =>
  `\u001b[200~${text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')}\u001b[201~`;

/** Types a text into a terminal as one paste, then presses Enter. */
export async function typeInto(terminal: vscode.Terminal, text: string): Promise<void> {
  terminal.sendText(pasted(text), false);
  await sleep(PASTE_MS);
  terminal.sendText('\r', false);
  terminal.show(true);
}
