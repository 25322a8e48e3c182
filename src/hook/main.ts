import { answerTo } from './answer.ts';
import { readEvent } from './input.ts';
import { log } from './log.ts';

/**
 * `discern hook <client> <event>`: what a client's hooks start. The event comes as JSON on stdin, the answer goes to stdout. It
 * fails open: whatever is wrong here is a line in our log, and the client goes on as if there were no hook.
 */
async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const [client = '', event = ''] = argv[0] === 'hook' ? argv.slice(1) : argv;
  try {
    const said = await answerTo(process.env, await readEvent(process.stdin, client, event));
    if (said !== undefined) process.stdout.write(`${JSON.stringify(said)}\n`);
  } catch (error) {
    log(process.env, `${client} ${event}`, error);
  }
}

// A client that reads nothing is no reason to fail either.
process.stdout.on('error', () => process.exit(0));
main().then(() => {
  // Whoever keeps our stdin open would keep us too.
  process.stdin.destroy();
}, console.error);
