import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { env, serverFile, withRepository } from '../measure.mjs';

const CLIENTS = 200;
const SECONDS = 60;
/** What a client waits between two calls, in milliseconds. */
const PAUSE = 1_000;
const heapFile = fileURLToPath(new URL('../heap.cjs', import.meta.url));

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

/** What a server holds once its garbage is collected: nobody asks a process that is idle to collect it. */
async function held(server) {
  const told = once(server, 'message');
  server.send('collect');
  const [{ heapUsed, rss }] = await told;
  return { files: descriptors(server.pid), heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 };
}

/**
 * 200 clients for a minute on loopback, and then for another: no error, and the second minute leaves nothing that the first did not.
 * Linux only.
 */
export const load = {
  name: 'load of 200 HTTP clients, what is held after two minutes of it',
  against: 'itself after one',
  target: 1.05,
  unit: 'MB',
  run: () =>
    withRepository({ files: 20 }, async (root) => {
      const port = await freePort();
      const args = ['--expose-gc', '--require', heapFile, serverFile];
      const flags = ['--transport', 'http', '--port', String(port), '--root', root];
      const server = spawn(process.execPath, [...args, ...flags], {
        env: { ...env, DISCERN_MCP_TOKEN: TOKEN },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
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
        const before = await held(server);
        const minutes = [];
        for (let minute = 0; minute < 2; minute++) {
          const { times, errors } = await crowd(port, root, SECONDS);
          if (errors.length > 0) throw new Error(`${errors.length} of ${times.length} failed: ${errors[0]}`);
          minutes.push({ times, ...(await held(server)) });
        }
        const [one, two] = minutes;
        if (two.files > before.files)
          throw new Error(`${two.files} descriptors are open; ${before.files} were.`);
        const told = minutes.map(({ times }) => {
          const at = (part) => times[Math.floor((times.length - 1) * part)].toFixed(0);
          return `${times.length} calls, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
        });
        const all = [before, one, two];
        const note = `${told.join('; ')}; no error; descriptors ${all.map(({ files }) => files).join(' → ')}; resident ${all
          .map(({ rss }) => rss.toFixed(0))
          .join(' → ')} MB`;
        return { ours: two.heap, theirs: one.heap, note };
      } finally {
        server.kill();
        await ended;
      }
    }),
};
