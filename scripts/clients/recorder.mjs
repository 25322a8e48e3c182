// Stands between a client and a server over stdio and writes down what it sees: how it was launched, each line either way, and,
// at each tool call, which files below the client's home name a directory below the given one, and the client's roots where it
// declares them. It changes nothing of what either says.
// node recorder.mjs LOG HOME DIR -- COMMAND [ARGUMENT…]
import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';

const split = process.argv.indexOf('--');
const [log, home, around] = process.argv.slice(2, split);
const [command, ...rest] = process.argv.slice(split + 1);

const note = (what, seen) => appendFileSync(log, `${JSON.stringify({ what, seen })}\n`);

/** The command line of a process, where the system tells it. */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return undefined;
  }
}

const literally = around.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A key of JSON or YAML, and a directory that is all of its value. */
const named = new RegExp(`"?([A-Za-z_]+)"?\\s*:\\s*"?(?:file://)?${literally}[^"\\s,}]*`, 'g');

/** What a file holds; nothing when it is large, or has gone meanwhile: clients make and remove files all the time. */
function textOf(file) {
  try {
    return statSync(file).size > 4e6 ? undefined : readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Files below the home that name such a directory, and by which keys. */
function records() {
  const found = [];
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const text = file === log || !entry.isFile() ? undefined : textOf(file);
    if (!text?.includes(around)) continue;
    const keys = [...new Set([...text.matchAll(named)].map(([, key]) => key))].sort();
    found.push({ file: relative(home, file), binary: text.includes('\0'), keys });
  }
  return found;
}

note('launch', {
  cwd: process.cwd(),
  arguments: process.argv.slice(2),
  pid: process.pid,
  parent: { pid: process.ppid, command: commandLine(process.ppid) },
  environment: process.env,
});

const server = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });

/** Asks the client for its roots, as a server may; the answer is the recorder's, not the server's. */
let declaresRoots = false;
let asked = 0;
function askRoots() {
  if (!declaresRoots) return;
  const request = { jsonrpc: '2.0', id: `recorder-${++asked}`, method: 'roots/list' };
  process.stdout.write(`${JSON.stringify(request)}\n`);
}

const lines = (input) => createInterface({ input });

lines(process.stdin)
  .on('line', (line) => {
    const message = JSON.parse(line);
    if (
      typeof message.id === 'string' &&
      message.id.startsWith('recorder-') &&
      message.method === undefined
    ) {
      note('roots', message.result ?? message.error);
      return;
    }
    note('from client', message);
    declaresRoots ||= message.params?.capabilities?.roots !== undefined;
    if (message.method === 'tools/call') {
      note('records', records());
      askRoots();
    }
    server.stdin.write(`${line}\n`);
  })
  .on('close', () => server.stdin.end());
lines(server.stdout)
  .on('line', (line) => {
    note('from server', JSON.parse(line));
    process.stdout.write(`${line}\n`);
  })
  .on('close', () => process.stdout.end());
server.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => server.kill(signal));
