import type { HookPrograms } from './hooks.ts';

/** The first line of the file, by which it is known for ours. */
export const pluginMark = '// discern: made by "discern setup opencode", which also removes it.';

/**
 * The plugin of opencode, which has no hooks but its plugins' functions: they start our hook with the same events as the other
 * clients' hooks do. A function that throws denies the tool; whatever else goes wrong lets opencode go on. Sub-agents are sessions of
 * their own, so once two sessions of one process have called us nothing is told of either. A turn that ended by itself may be gone on with,
 * once; `opencode run` has ended by then.
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

export const Discern = async ({ client, directory }) => {
  const lastCommand = new Map();
  const subagents = new Set();
  const cutOff = new Set();
  const goesOn = new Set();
  const spokenTo = new Map();
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
  const turnEnded = async (id) => {
    const asked = goesOn.delete(id);
    // A turn that was cut off ends more than once.
    if (asked || cutOff.has(id) || subagents.has(id)) return;
    const before = spokenTo.get(id);
    const said = await ask('Stop', { cwd: lastCommand.get(id) ?? directory });
    // Its person may have gone on meanwhile.
    if (said?.decision !== 'block' || spokenTo.get(id) !== before) return;
    goesOn.add(id);
    const body = { ...before, parts: [{ type: 'text', text: said.reason }] };
    await client.session.promptAsync({ path: { id }, body });
  };
  return {
    event: async ({ event: { type, properties } }) => {
      const id = properties?.sessionID;
      if (type === 'session.created' && properties.info?.parentID) subagents.add(properties.info.id);
      if (type === 'session.error' && id) cutOff.add(id);
      if (type === 'session.idle' && id) await turnEnded(id).catch(() => undefined);
    },
    'chat.message': async ({ sessionID }, { message }) => {
      cutOff.delete(sessionID);
      spokenTo.set(sessionID, { agent: message.agent, model: message.model });
    },
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
