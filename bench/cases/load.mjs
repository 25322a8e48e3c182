import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { env, serverFile, withRepository } from '../measure.mjs';

const CLIENTS = 200;
const SECONDS = 60;
/** What a client waits between two calls, in milliseconds. */
const PAUSE = 1_000;
const TOKEN = 'only-for-this-measurement';

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** One tools/call; resolves with how long it took, in milliseconds. Rejects for whatever is no good answer. */
const ask = (agent, port, path) =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    };
    const sent = request(
      { host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          body += chunk;
        });
        answer.on('end', () => {
          if (answer.statusCode === 200 && body.includes('"ok":true')) resolve(performance.now() - begun);
          else reject(new Error(`${answer.statusCode}: ${body.slice(0, 200)}`));
        });
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    const params = { name: 'discern_status', arguments: { path } };
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  });

/** So many clients at once, each on a connection of its own, until the time is over. */
async function crowd(port, root, seconds) {
  const until = performance.now() + seconds * 1_000;
  const times = [];
  const errors = [];
  const client = async (_, index) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await sleep((index * PAUSE) / CLIENTS);
    do {
      await ask(agent, port, root).then(
        (time) => times.push(time),
        (error) => errors.push(error.message),
      );
      await sleep(PAUSE);
    } while (performance.now() < until);
    agent.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  // What is left after the connections are gone is what stays.
  await sleep(3_000);
  return { times: times.toSorted((a, b) => a - b), errors };
}

const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length;
const megabytes = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** 200 clients for a minute on loopback: no error, and the server is afterwards what it was when each had called once. Linux only. */
export const load = {
  name: 'load of 200 HTTP clients, memory afterwards',
  against: 'itself when each of them had called once',
  target: 1.5,
  unit: 'MB',
  run: () =>
    withRepository({ files: 20 }, async (root) => {
      const port = await freePort();
      const args = [serverFile, '--transport', 'http', '--port', String(port), '--root', root];
      const server = spawn(process.execPath, args, {
        env: { ...env, DISCERN_MCP_TOKEN: TOKEN },
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => server.on('exit', resolve));
      try {
        const first = new Agent();
        for (let tries = 0; ; tries++) {
          const up = await ask(first, port, root).then(
            () => true,
            (error) => {
              if (tries > 100) throw error;
              return false;
            },
          );
          if (up) break;
          await sleep(100);
        }
        await crowd(port, root, 0);
        const before = { files: descriptors(server.pid), memory: megabytes(server.pid) };
        const { times, errors } = await crowd(port, root, SECONDS);
        const after = { files: descriptors(server.pid), memory: megabytes(server.pid) };
        if (errors.length > 0) throw new Error(`${errors.length} of ${times.length} failed: ${errors[0]}`);
        if (after.files > before.files)
          throw new Error(`${after.files} descriptors are open; ${before.files} were.`);
        const at = (part) => times[Math.floor((times.length - 1) * part)].toFixed(0);
        const note = `${times.length} calls, no error, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; descriptors ${before.files} → ${after.files}`;
        return { ours: after.memory, theirs: before.memory, note };
      } finally {
        server.kill();
        await ended;
      }
    }),
};
