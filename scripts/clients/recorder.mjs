// Stands between a client and a server over stdio and writes down what it sees, changing nothing: how it was launched, each
// line either way, and, at each tool call, which files below the client's home name the given directories.
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

/** Files below the home that name the directory, with their last line that does. */
function records() {
  const found = [];
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || statSync(file).size > 4e6) continue;
    const text = readFileSync(file, 'utf8');
    if (!text.includes(around)) continue;
    const lines = text.split('\n').filter((line) => line.includes(around));
    found.push({ file: relative(home, file), lines: text.includes('\0') ? ['(binary)'] : lines.slice(-3) });
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

function pass(from, to, direction) {
  createInterface({ input: from })
    .on('line', (line) => {
      const message = JSON.parse(line);
      note(direction, message);
      if (message.method === 'tools/call') note('records', records());
      to.write(`${line}\n`);
    })
    .on('close', () => to.end());
}
pass(process.stdin, server.stdin, 'from client');
pass(server.stdout, process.stdout, 'from server');
server.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => server.kill(signal));
