import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { loadSettings } from '../config/index.ts';
import { type Repository, rootIn, where } from './repository.ts';

/** What needs a person's word. */
export interface Matter {
  verb: 'accept' | 'drop';
  /** Everything that the word is about: with any of it changed, it must be given anew. */
  subject: readonly string[];
  question: string;
}

/**
 * Whether the owner wants a person asked (`[consent] mode`). The settings of the landing checkout count beside the worktree's own,
 * so that no branch takes the question away. Refuses `unavailable` at once where nobody can be asked.
 */
export async function asksPerson(repo: Repository, verb: Matter['verb'], ctx: Context): Promise<boolean> {
  if (ctx.consent === 'given') return false;
  const home = repo.landing ? rootIn(repo, repo.landing.path) : repo.root;
  const settings = await Promise.all([...new Set([repo.root, home])].map(loadSettings));
  if (!settings.some(({ consent }) => consent.mode === 'ask')) return false;
  if (ctx.consent?.canAsk) return true;
  const way =
    ctx.client === 'terminal'
      ? 'there is no terminal to ask on: a person who means it adds --yes'
      : `this client cannot ask: tell the person, who runs "discern ${verb}" in a terminal, where it asks, or uses Discern in VS Code`;
  throw new Refusal(
    'unavailable',
    `Nothing was changed. The owner wants a person asked before ${verb === 'drop' ? 'drop with force' : verb} ([consent] mode = "ask"), and ${way}.`,
    { data: where(repo) },
  );
}

/**
 * Goes on only with a person's word about this very matter. Refuses `cancelled` when they said no or closed the question,
 * `unavailable` when the client failed to ask, and `unavailable` with `ctx.consent.asks` set when they have yet to be asked.
 */
export function requireWord(repo: Repository, { verb, subject, question }: Matter, ctx: Context): void {
  const { consent } = ctx;
  if (consent === undefined || consent === 'given') return;
  const about = JSON.stringify([verb, ...subject]);
  const data = where(repo);
  if (consent.said?.subject !== about) {
    consent.asks = { subject: about, question };
    throw new Refusal('unavailable', `Nothing was changed: a person is asked first. ${question}`, { data });
  }
  if (consent.said.answer === 'accept') return;
  if (ctx.client === 'codex') {
    throw new Refusal(
      'cancelled',
      `Nothing was changed: nobody said yes to this ${verb}. Codex says no by itself where its approval_policy is "never"; a person can run "discern ${verb}" in a terminal. Ask them what they want before you call it again.`,
      { data },
    );
  }
  if (consent.said.answer === 'unasked') {
    throw new Refusal(
      'unavailable',
      `Nothing was changed: this client was to ask a person about this ${verb} and gave no answer that says yes or no. Tell the person: "discern ${verb}" in a terminal asks them, or call it again.`,
      { data },
    );
  }
  const how = consent.said.answer === 'decline' ? 'said no' : 'closed the question without an answer';
  throw new Refusal(
    'cancelled',
    `Nothing was changed: the person who was asked about this ${verb} ${how}. Ask them what they want before you call it again.`,
    { data },
  );
}
