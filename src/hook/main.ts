import { messageOf } from '../contract/values.ts';
import { answerTo } from './answer.ts';
import { type HookEvent, readEvent } from './input.ts';
import { log } from './log.ts';

/**
 * `discern hook <client> <event>`: what a client's hooks start. The event comes as JSON on stdin, the answer goes to stdout. It
 * fails open: whatever is wrong here is a line in our log, and the client goes on as if there were no hook. Only where a hook of
 * ours stands in for the client, as when it makes a worktree, does a failure have to be one: the client would go on without.
 */
async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const [client = '', event = ''] = argv[0] === 'hook' ? argv.slice(1) : argv;
  const what = `${client} ${event}`;
  const standsIn = client === 'claude' && (event === 'WorktreeCreate' || event === 'WorktreeRemove');
  try {
    const read = await readEvent(process.stdin, client, event);
    if (standsIn) return await standIn(read);
    const said = await answerTo(process.env, read);
    if (said !== undefined) process.stdout.write(`${JSON.stringify(said)}\n`);
  } catch (error) {
    log(process.env, what, error);
    if (!standsIn) return;
    process.stderr.write(`discern: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

async function standIn(event: HookEvent): Promise<void> {
  const ending = new AbortController();
  // A client that waited too long ends us: what was made so far is taken back first.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
  const { createWorktree, removeWorktree } = await import('./worktree.ts');
  if (event.event === 'WorktreeRemove') await removeWorktree(event, ending.signal);
  else process.stdout.write(`${await createWorktree(event, ending.signal)}\n`);
}

// A client that reads nothing is no reason to fail either.
process.stdout.on('error', () => process.exit(0));
main().then(() => {
  // Whoever keeps our stdin open would keep us too.
  process.stdin.destroy();
}, console.error);
