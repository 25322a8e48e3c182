import { randomBytes } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { isInside } from '../contract/inside.ts';
import { type Joining, joiningNames } from '../contract/joining.ts';
import { checkoutOf } from '../engine/callers/checkout-of.ts';
import { openWindows, type WindowRecord } from '../engine/user/windows.ts';

/** How long one window may take to accept, in milliseconds: it is this machine's own. */
const ACCEPT_MS = 2_000;

/**
 * Joins the window whose folders hold the directory we were launched in, or whose repository it is a checkout of, and resolves with
 * the connection. Where there is none this process becomes the server, with these arguments as its flags, and nothing is resolved with.
 */
export async function serveHere(flags: readonly string[]): Promise<Socket | undefined> {
  const launch = launchedIn(flags);
  const found = openWindows(process.env);
  for (const { strange } of found.filter((one) => 'strange' in one)) {
    say(
      `a window's server${strange ? ` (${strange})` : ''} is of another kind than this ${DISCERN_VERSION}; it is not joined.`,
    );
  }
  const windows = found.flatMap((one) => ('window' in one ? [one] : []));
  for (const { file, window } of launch === undefined ? [] : await fitting(windows, launch)) {
    const socket = await accepted(window.socket);
    if (socket === undefined) {
      // Nobody listens there any more: the process that has its number now is another one.
      rmSync(file, { force: true });
      continue;
    }
    if (window.server !== DISCERN_VERSION) {
      say(
        `this is discern ${DISCERN_VERSION}, and the window's server is ${window.server}: reload the window, or run "discern setup" again, to have one.`,
      );
    }
    socket.write(`${JSON.stringify(greeting(launch))}\n`);
    return socket;
  }
  process.argv = [process.argv[0] ?? '', process.argv[1] ?? '', ...flags];
  // @ts-expect-error: the built server beside this file.
  await import('./server.js');
  return undefined;
}

const say = (message: string) => process.stderr.write(`discern: ${message}\n`);

/** The directory we were launched in, or that `--root` names; nothing when that is gone. */
function launchedIn(flags: readonly string[]): string | undefined {
  const at = flags.findIndex((flag) => flag === '--root' || flag === '--project');
  const named = at === -1 ? undefined : flags[at + 1];
  try {
    return realpathSync.native(named ?? process.cwd());
  } catch {
    // Gone, or never there: the server says so better than we could.
    return undefined;
  }
}

interface Found {
  file: string;
  window: WindowRecord;
}

/** The windows for a directory, the best first: by the folder that lies nearest above it, then by its repository, then the newest. */
async function fitting(windows: readonly Found[], launch: string): Promise<Found[]> {
  const own = await checkoutOf(launch);
  const ranked: { found: Found; rank: number }[] = [];
  for (const found of windows) {
    let rank = 0;
    for (const folder of found.window.folders) {
      const real = realOf(folder);
      if (real === undefined) continue;
      if (isInside(launch, real)) rank = Math.max(rank, 1 + real.length);
      else if (rank === 0 && own && (await checkoutOf(real))?.commonDir === own.commonDir) rank = 1;
    }
    if (rank > 0) ranked.push({ found, rank });
  }
  return ranked.sort((a, b) => b.rank - a.rank).map(({ found }) => found);
}

function realOf(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    // A folder that is gone holds nothing.
    return undefined;
  }
}

function accepted(at: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(at);
    const end = (with_: Socket | undefined) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      if (with_ === undefined) socket.on('error', () => undefined).destroy();
      resolve(with_);
    };
    const timer = setTimeout(() => end(undefined), ACCEPT_MS);
    socket.once('connect', () => end(socket));
    socket.once('error', () => end(undefined));
  });
}

function greeting(launch: string | undefined): Joining {
  const env: Record<string, string> = {};
  for (const name of joiningNames) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return {
    discern: 1,
    id: randomBytes(8).toString('hex'),
    ...(launch !== undefined && { launch }),
    parent: process.ppid,
    env,
  };
}
