import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { launchable } from '../../contract/launchable.ts';
import { oneLine } from '../../contract/visible.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { stateDir } from '../files/files.ts';
import type { NamedWorktree } from '../fleet/named-worktree.ts';
import { acquireLock, holding } from '../state/lock.ts';
import { type Kind, readRecordFile, writeRecordFile } from '../state/record.ts';
import { closePane, closeWhenDone, openPane, type Pane, paneMarked, textIn } from './tmux.ts';

/** The terminal a worktree's agent was launched in. It lies in the worktree's own git directory, with which it goes. */
const TerminalRecord = z.object({
  version: z.literal(1),
  /** The name git's directory of the worktree has, so that a copy in another one is told from it. */
  admin: z.string(),
  client: z.enum(launchable),
  /** The session, where its id was known before it began. */
  session: z.string().exactOptional(),
  name: z.string().regex(/^[\w-]{1,128}$/),
  mark: z.string().regex(/^[0-9a-f]{16}$/),
  /** When it was launched. Milliseconds since 1970. */
  launched: z.number(),
});
export type Terminal = Omit<z.infer<typeof TerminalRecord>, 'version' | 'admin'>;

const kind: Kind<z.infer<typeof TerminalRecord>> = { name: 'terminal', schema: TerminalRecord };

const recordPath = ({ gitDir }: NamedWorktree): string => join(gitDir, 'discern-terminal.json');

/** One launch or message of a worktree at a time, across processes. */
export async function whileAlone<Value>(
  { commonDir, gitDir }: NamedWorktree,
  purpose: string,
  ctx: Context,
  act: () => Promise<Value>,
): Promise<Value> {
  const lock = await acquireLock(join(stateDir(commonDir), 'locks', `terminal-${basename(gitDir)}.lock`), {
    purpose,
    signal: ctx.signal,
    onWait: (message) => ctx.emit({ type: 'waiting', message }),
  });
  return holding(lock, act);
}

/** The terminal that was launched in a worktree, and whether it is there; `undefined` when there never was one. */
export async function terminalOf(
  worktree: NamedWorktree,
  signal: AbortSignal,
): Promise<{ terminal: Terminal; pane: Pane | undefined } | undefined> {
  const found = await readRecordFile(worktree.commonDir, recordPath(worktree), kind);
  if (found === undefined) return undefined;
  if ('distrust' in found) {
    throw new Refusal(
      'untrusted',
      `${recordPath(worktree)} ${found.distrust}: look at it, move it away, then call again.`,
    );
  }
  const { version: _version, admin, ...terminal } = found.value;
  if (admin !== basename(worktree.gitDir)) return undefined;
  return { terminal, pane: await paneMarked(terminal.mark, signal) };
}

/** How long a client is watched for an end at its very beginning, and how often. Milliseconds. */
const WATCHED_MS = 2_500;
const LOOK_MS = 100;

/** What a client leaves on its screen, of which the last lines are told. */
const MOST_SAID = 600;

/**
 * Opens a terminal in a worktree with a client in it. It is written down before it begins, so that no death of ours leaves one that
 * nobody knows. Refuses `unavailable` when the client ends at once, with what it said.
 */
export async function openTerminal(
  worktree: NamedWorktree,
  launch: Pick<Terminal, 'client' | 'session'> & { argv: readonly string[]; env: NodeJS.ProcessEnv },
  signal: AbortSignal,
): Promise<Terminal> {
  const { argv, env, ...who } = launch;
  const mark = randomBytes(8).toString('hex');
  const name = `${(worktree.id ?? 'worktree').replace(/[^\w-]/g, '-').slice(0, 60)}-${mark.slice(0, 4)}`;
  const terminal: Terminal = { ...who, name, mark, launched: Date.now() };
  const record = { version: 1 as const, admin: basename(worktree.gitDir), ...terminal };
  await writeRecordFile(worktree.commonDir, recordPath(worktree), kind, record);
  await openPane({ name, mark, cwd: worktree.root, env, argv }, signal);
  for (let waited = 0; waited < WATCHED_MS; waited += LOOK_MS) {
    const pane = await paneMarked(mark, signal);
    if (pane === undefined || pane.dead) throw await endedAtOnce(who.client, pane, signal);
    await sleep(LOOK_MS);
  }
  const pane = await paneMarked(mark, signal);
  if (pane) await closeWhenDone(pane, signal);
  return terminal;
}

async function endedAtOnce(client: string, pane: Pane | undefined, signal: AbortSignal): Promise<Refusal> {
  const screen = pane ? await textIn(pane, signal) : '';
  if (pane) await closePane(pane, signal);
  const said = oneLine(
    screen
      .replace(/^Pane is dead.*$/m, '')
      .replace(/\s+/g, ' ')
      .trim(),
  ).slice(-MOST_SAID);
  return new Refusal(
    'unavailable',
    `${client} ended at once${said ? `, saying: ${said}` : ' and said nothing'}. Try it in a terminal of your own, then call again.`,
  );
}
