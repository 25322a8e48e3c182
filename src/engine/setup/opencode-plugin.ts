import type { HookPrograms } from './hooks.ts';

/** The first line of the file, by which it is known for ours. */
export const pluginMark = '// discern: made by "discern setup opencode", which also removes it.';

/**
 * The plugin of opencode, which has no hooks but its plugins' functions: they start our hook with the same events as the other
 * clients' hooks do. A function that throws denies the tool; whatever else goes wrong lets opencode go on. Sub-agents are sessions of
 * their own, so once two sessions of one process have called us nothing is told of either.
 */
export function opencodePlugin({ node, hook }: HookPrograms): string {
  return `${pluginMark}
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

const node = ${JSON.stringify(node)};
const hook = ${JSON.stringify(hook)};
const watched = /^(?:bash|edit|write|apply_patch)$|discern/;

/** What our hook answers to an event; nothing where it cannot be asked. */
const ask = (event, given) =>
  new Promise((answer) => {
    let said = '';
    const child = spawn(node, [hook, 'opencode', event], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 5000 });
    child.on('error', () => answer(undefined));
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    child.on('close', () => {
      try {
        answer(JSON.parse(said));
      } catch {
        answer(undefined);
      }
    });
    child.stdin.end(JSON.stringify(given));
  });

export const Discern = async ({ directory }) => {
  const lastCommand = new Map();
  const callers = new Set();
  const greetings = new Map();
  const real = (path) => {
    try {
      return realpathSync(path);
    } catch {
      return path;
    }
  };
  const process_id = process.env.OPENCODE_PID ?? String(process.pid);
  const session_id = process_id + ' ' + real(directory);
  return {
    'tool.execute.before': async ({ tool, sessionID }, { args }) => {
      if (!watched.test(tool)) return;
      const ours = /discern/.test(tool);
      if (ours) callers.add(sessionID);
      if (tool === 'bash') lastCommand.set(sessionID, resolve(directory, args?.workdir || '.'));
      const cwd = lastCommand.get(sessionID);
      if (ours && (cwd === undefined || callers.size > 1)) {
        await ask('SessionEnd', { session_id });
        return;
      }
      const said = await ask('PreToolUse', {
        ...(ours && { session_id }),
        cwd: cwd ?? directory,
        tool_name: tool,
        tool_input: args,
      });
      if (said?.permissionDecision === 'deny') throw new Error(said.permissionDecisionReason);
    },
    'experimental.chat.system.transform': async ({ sessionID }, { system }) => {
      if (sessionID === undefined) return;
      if (!greetings.has(sessionID)) greetings.set(sessionID, ask('SessionStart', { cwd: directory }));
      const said = await greetings.get(sessionID);
      if (said?.additionalContext) system.push(said.additionalContext);
    },
  };
};
`;
}
