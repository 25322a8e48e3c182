import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { askedIn } from '../sessions/asked.ts';
import type { Known } from '../sessions/list.ts';
import { type Pane, paste, pressEnter, textIn } from './tmux.ts';

/** How long a text may take to stand on the screen, and to be in the session's record; how often is looked. Milliseconds. */
const SHOWN_MS = 8_000;
const TAKEN_MS = 30_000;
const LOOK_MS = 150;

/** What a client shows in place of a longer paste. */
const placeholder = /\[pasted\s+(?:text|content)|\[copied text/gi;

/** Characters of a text by which it is known on a screen: less than any terminal's line. */
const SAMPLE = 24;

/** How often a text, or a client's sign for it, stands on a screen, however it is broken there. */
function shownIn(screen: string, text: string): number {
  const plain = (value: string) => value.replace(/[\s│┃|]+/g, '');
  const sample = plain(text).slice(0, SAMPLE);
  return plain(screen).split(sample).length - 1 + (screen.match(placeholder)?.length ?? 0);
}

const same = (a: string, b: string) => a.replace(/\s+/g, ' ').trim() === b.replace(/\s+/g, ' ').trim();

/**
 * Types a text into a client's terminal as a person would, and resolves once the session's own record has it. Enter is pressed only when
 * the text stands on the screen: a dialog that is open takes no text, and would take the key for an answer. Refuses
 * `unavailable` when nothing was sent, and `timed_out` when it was and the record does not tell of it.
 */
export async function deliver(pane: Pane, session: Known, text: string, ctx: Context): Promise<void> {
  const { signal } = ctx;
  const asked = async () => {
    const { queries } = await askedIn(session, signal);
    return queries.filter((query) => same(query.text, text)).length;
  };
  const before = { shown: shownIn(await textIn(pane, signal), text), asked: await asked() };
  await paste(pane, text, signal);
  if (!(await becomes(SHOWN_MS, async () => shownIn(await textIn(pane, signal), text) > before.shown))) {
    throw new Refusal(
      'unavailable',
      'The text did not appear in the terminal, where a dialog may be open, so it was not sent: look there, then call again.',
    );
  }
  await pressEnter(pane, signal);
  if (await becomes(TAKEN_MS, async () => (await asked()) > before.asked)) return;
  throw new Refusal(
    'timed_out',
    'The text was typed, but the session’s record does not have it: look at the terminal before sending it again.',
  );
}

/** Whether something comes true before the time is over. What began is seen to its end: no cancel leaves half of a text. */
async function becomes(time: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + time; ; await sleep(LOOK_MS)) {
    if (await holds()) return true;
    if (Date.now() >= end) return false;
  }
}
