import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { serveHere } from './find.ts';

/**
 * What VS Code starts as this window's MCP server: it joins its stdin and stdout to the window socket, behind which the one
 * server of the window answers. It holds nothing, so VS Code may stop and start it as it likes. An agent host starts it without an
 * address: then it finds the window by itself, and without one it is the server.
 */
const [, , address] = process.argv;

function leave(message: string): never {
  process.stderr.write(`discern: ${message}\n`);
  process.exit(1);
}

/** How long a server that is being restarted is waited for, in milliseconds. */
const WAIT_MS = 10_000;

const began = Date.now();

/** The window takes its socket's folder away when it closes; while the folder is there, the server will be too. */
const windowLives = (at: string) => process.platform === 'win32' || existsSync(dirname(at));

function join(at: string): void {
  const socket = connect(at);
  let joined = false;
  socket.on('connect', () => {
    joined = true;
    pass(socket);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (joined) leave(`the window's server went away (${error.message}).`);
    if (windowLives(at) && Date.now() - began < WAIT_MS) setTimeout(() => join(at), 100);
    else
      leave('the VS Code window this server belonged to is gone; reload the window to get its server back.');
  });
  socket.on('close', () => {
    if (joined) process.exit(0);
  });
}

function pass(socket: Socket): void {
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
}

process.stdout.on('error', () => process.exit(0));

if (address !== undefined && !address.startsWith('-')) join(address);
else {
  serveHere(process.argv.slice(2)).then((socket) => {
    if (socket === undefined) return;
    pass(socket);
    socket.on('error', (error) => leave(`the window's server went away (${error.message}).`));
    socket.on('close', () => process.exit(0));
  }, console.error);
}
