import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import { deliver } from '../agents/deliver.ts';
import { sessionIn } from '../agents/session-in.ts';
import { terminalOf, whileAlone } from '../agents/terminal.ts';
import { attachCommand } from '../agents/tmux.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { whereNamed, worktreeNamed } from '../fleet/named-worktree.ts';
import { factsOf } from '../sessions/list.ts';

/** The most characters of a message. */
const LONGEST = 32 * 1024;

/**
 * Types a text to the agent that was launched in a worktree, and succeeds once the session's own record has it. Refuses
 * `unavailable` where there is no terminal of ours or it takes no text, `busy` while the agent's turn is not over or a person scrolls
 * there, `timed_out` when the text was typed and the record does not have it, and `invalid_argument` for control characters.
 */
export async function message(root: string, args: Args<'message'>, ctx: Context): Promise<Result<'message'>> {
  const text = checked(args.text);
  const worktree = await worktreeNamed(root, args.worktree, ctx);
  return whileAlone(worktree, `messaging the agent in ${worktree.top}`, ctx, async () => {
    const found = worktree.linked ? await terminalOf(worktree, ctx.signal) : undefined;
    if (found === undefined) {
      throw new Refusal(
        'unavailable',
        `No agent was launched in ${worktree.top}, so there is no terminal to type in: use launch, or write to the agent where it runs.`,
      );
    }
    const { terminal, pane } = found;
    const attach = attachCommand(terminal.name);
    if (pane === undefined || pane.dead) {
      throw new Refusal(
        'unavailable',
        `The terminal of ${terminal.client} in ${worktree.top} has ended: use launch with "resume" to go on, then call again.`,
      );
    }
    const session = await sessionIn(worktree, terminal, process.env);
    const facts = await factsOf(session, process.env);
    const between = facts?.state === 'idle' || facts?.needs_attention === 'asks a question';
    if (!between) {
      throw new Refusal(
        'busy',
        `${terminal.client} is ${facts?.needs_attention === 'asks for permission' ? 'waiting for a permission' : 'in the middle of a turn, as far as its record tells'}, where a text could be taken for an answer: wait, or look there (${attach}).`,
      );
    }
    if (pane.inMode) {
      throw new Refusal(
        'busy',
        `Somebody is scrolling in the terminal (${attach}): leave that mode there, then call again.`,
      );
    }
    await deliver(pane, session, text, ctx);
    return {
      ok: true,
      data: { ...whereNamed(worktree), client: terminal.client, session: session.id, delivered: true },
      message: `Delivered to ${terminal.client} in ${worktree.top}.`,
    };
  });
}

function checked(given: string): string {
  const text = given.replace(/\r\n?/g, '\n').trim();
  if (text === '')
    throw new Refusal('invalid_argument', 'The text is empty: say what the agent is to be told.');
  if (text.length > LONGEST) {
    throw new Refusal(
      'invalid_argument',
      `The text has ${text.length} characters, more than the ${LONGEST} there may be: write it into a file of the worktree, and name that.`,
    );
  }
  // The end of a paste is such a character too, and what followed it would be keys.
  if (/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(text)) {
    throw new Refusal('invalid_argument', 'The text has control characters: leave them out.');
  }
  return text;
}
