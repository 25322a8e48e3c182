import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { Envelope } from '../../../src/contract/envelope.ts';
import type { WindowModel, WindowView } from '../../../src/extension/model.ts';
import { rootNodes } from '../../../src/extension/views/root-tree.ts';
import { statusColour } from '../../../src/extension/views/status-bar.ts';
import type { WindowServer } from '../../../src/extension/window-server.ts';

const exec = promisify(execFile);

/** What the extension gives to whoever asks its exports. */
export interface Exports {
  model: WindowModel;
  server: WindowServer;
}

export async function extension(): Promise<Exports> {
  const found = vscode.extensions.getExtension<Exports>('discern-vscode.discern-vscode');
  if (!found) throw new Error('The extension is not installed in this VS Code.');
  return found.activate();
}

/** Waits until a view of the window satisfies `condition`; says what it was instead when it does not come to that. */
export async function view(
  condition: (view: WindowView) => boolean,
  what: string,
  patience = 30_000,
): Promise<WindowView> {
  const { model } = await extension();
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const subscription = model.onDidChange((now) => {
      if (condition(now)) done(() => resolve(now));
    });
    const done = (settle: () => void) => {
      clearTimeout(timer);
      subscription.dispose();
      settle();
    };
    timer = setTimeout(
      () =>
        done(() =>
          reject(
            new Error(
              `It never came to this: ${what}. Now: ${JSON.stringify(model.view, null, 1).slice(0, 3000)}`,
            ),
          ),
        ),
      patience,
    );
    if (condition(model.view)) done(() => resolve(model.view));
  });
}

/** How a divergence is shown: the Root tree's first line, what it does, its colour, and the status bar's. */
export function shown(now: WindowView): Record<'label' | 'remedy' | 'colour' | 'bar', string | undefined> {
  const node = rootNodes(now).find(({ id }) => id === 'divergence');
  return {
    label: node?.label,
    remedy: node?.command?.command,
    colour: node?.icon?.color?.id,
    bar: statusColour(now)?.id,
  };
}

export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await exec('git', args, { cwd });
  return stdout.trim();
}

export async function commitFile(checkout: string, name: string, content: string): Promise<string> {
  await writeFile(join(checkout, name), content);
  await git(checkout, 'add', '--all');
  await git(checkout, 'commit', '--quiet', '-m', `change ${name}`);
  return git(checkout, 'rev-parse', 'HEAD');
}

/** Starts the server VS Code knows by our definition, through VS Code's own MCP client, and returns how it names tools. */
export async function startAgentServer(): Promise<string> {
  for (let attempt = 0; attempt < 30; attempt++) {
    await vscode.commands.executeCommand(
      'workbench.mcp.startServer',
      'discern-vscode.discern-vscode/Discern',
      {
        waitForLiveTools: true,
        autoTrustChanges: true,
      },
    );
    const tool = vscode.lm.tools.find((one) => one.name.endsWith('discern_status'));
    if (tool) return tool.name.slice(0, -'discern_status'.length);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`VS Code lists no tool of ours: ${vscode.lm.tools.map((tool) => tool.name).join(', ')}`);
}

/**
 * Calls a tool as an agent would, through VS Code's MCP client. VS Code hands a model the structured answer, so this resolves
 * with the envelope.
 */
export async function asAgent(
  prefix: string,
  verb: string,
  input: Record<string, unknown> = {},
): Promise<Envelope<Record<string, string>>> {
  const result = await vscode.lm.invokeTool(`${prefix}discern_${verb}`, {
    input,
    toolInvocationToken: undefined,
  });
  const text = result.content
    .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
    .join('');
  const from = text.indexOf('{');
  if (from === -1) throw new Error(`${verb} answered no envelope: ${text}`);
  return JSON.parse(text.slice(from));
}

/** {@link asAgent} for `start`: the path of the new worktree. */
export async function startedBy(prefix: string, name: string): Promise<string> {
  const { ok, data, message } = await asAgent(prefix, 'start', { name });
  if (!ok || data?.path === undefined) throw new Error(`start: ${message}`);
  return data.path;
}

/** Calls a verb as the person, over the extension's own connection. */
export async function asPerson(
  verb: Parameters<Awaited<ReturnType<WindowServer['client']>>['call']>[0],
  args = {},
): Promise<Envelope> {
  const { server } = await extension();
  return (await server.client()).call(verb, args);
}

/** Waits until `read` gives something. */
export async function until<T>(read: () => T | undefined, patience = 30_000): Promise<T> {
  for (let waited = 0; ; waited += 100) {
    const value = read();
    if (value !== undefined) return value;
    if (waited > patience) throw new Error(`It never came: ${read}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
