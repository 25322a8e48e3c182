// What an agent host does with an entry of an `mcp.json`: starts its command in a directory, and calls tools over stdio.
import { spawn } from 'node:child_process';
import { identity } from '../sample.mjs';
import { until } from './window.mjs';

/** Starts a server by its entry, calls one of our tools, ends it, and resolves with the structured answer. */
export async function askAsAgentHost({ command, args, env }, cwd, verb, input = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...identity, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'an agent host', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: `discern_${verb}`, arguments: input } });
  try {
    const whole = () =>
      said
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    const answer = await until(`the server answers ${verb}`, () => whole().find(({ id }) => id === 2), {
      say: () => said,
    });
    return answer.result.structuredContent;
  } finally {
    child.stdin.end();
    await ended;
  }
}
