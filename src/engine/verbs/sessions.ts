import { isAbsolute } from 'node:path';
import type { Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { Args } from '../../contract/verbs.ts';
import type { SessionRow } from '../../contract/verbs-fleet.ts';
import { manyLines } from '../../contract/visible.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { checkoutOf } from '../callers/checkout-of.ts';
import { askedIn } from '../sessions/asked.ts';
import { factsOf, knownSessions, rowOf } from '../sessions/list.ts';
import { placesFor, sessionNamed } from '../sessions/named.ts';

const USUAL = 50;

/**
 * Lists the sessions of this user's agent clients, the last active first, also in repositories without discern. Reads the ends of
 * each record only. Refuses `repo` that is no directory of a repository.
 */
export async function sessions(
  _root: string,
  args: Args<'sessions'>,
  ctx: Context,
): Promise<Result<'sessions'>> {
  const { limit = USUAL } = args;
  const repository = args.repo === undefined ? undefined : await repositoryAt(args.repo, ctx);
  const { env } = process;
  const { known, unread } = await knownSessions(env);
  const heard = placesFor(ctx, repository);
  const rows: SessionRow[] = [];
  const lost = new Map<string, string[]>();
  let total = 0;
  for (const one of known) {
    // Without a place to ask for, all there are count, and those beyond the limit need not be read.
    if (rows.length >= limit && heard === undefined) {
      total++;
      continue;
    }
    if (ctx.signal.aborted) throw new Refusal('cancelled', 'The call was cancelled; nothing was changed.');
    const facts = await factsOf(one, env);
    if (facts === undefined) {
      lost.set(one.adapter.client, [...(lost.get(one.adapter.client) ?? []), one.file]);
      continue;
    }
    if (facts.part || (heard && !(await heard(facts.cwd)))) continue;
    total++;
    if (rows.length < limit) rows.push(rowOf(one, facts));
  }
  const said = ctx.serves
    ? []
    : [
        ...unread,
        ...[...lost].map(([client, files]) => ({
          client,
          why: `${count(files.length, 'record')} with nothing in it that is known, such as ${files[0]}.`,
        })),
      ];
  const waiting = rows.filter((row) => row.needs_attention !== undefined).length;
  return {
    ok: true,
    data: { sessions: rows, total, ...(said.length > 0 && { unread: said }) },
    message: `${count(total, 'session')}${total > rows.length ? `, of which the last ${rows.length} are listed` : ''}; ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for a person.`,
  };
}

/** The repository a directory lies in, by its common git directory. */
async function repositoryAt(repo: string, ctx: Context): Promise<string> {
  if (!isAbsolute(repo)) {
    throw new Refusal(
      'invalid_argument',
      `repo must be an absolute path, and "${repo.slice(0, 200)}" is none.`,
    );
  }
  const place = await checkoutOf(repo);
  const allowed = place !== undefined && (ctx.serves === undefined || (await ctx.serves(repo)));
  if (!allowed) {
    throw new Refusal(
      'not_a_git_repository',
      `${repo} is not a directory of a git repository whose sessions can be listed here: name one that is, or leave repo out.`,
    );
  }
  return place.commonDir;
}

/**
 * What the person asked in one session, oldest first and uncut; nothing else of its transcript. Refuses what is no id, an id that
 * is not known, and the beginning of several.
 */
export async function recollect(
  _root: string,
  args: Args<'recollect'>,
  ctx: Context,
): Promise<Result<'recollect'>> {
  const { env } = process;
  const one = await sessionNamed(args.session, env, ctx);
  const facts = await factsOf(one, env);
  const { queries, skipped } = await askedIn(one, ctx.signal);
  const shown = args.last === undefined ? queries : queries.slice(-args.last);
  const cut = shown.length < queries.length ? ` Of ${queries.length} the last are shown.` : '';
  return {
    ok: true,
    data: {
      id: one.id,
      client: one.adapter.client,
      ...(facts?.cwd !== undefined && { cwd: facts.cwd }),
      queries: shown.map(({ at, text }) => ({ ...(at !== undefined && { at }), text: manyLines(text) })),
      total: queries.length,
    },
    message: `The person asked ${count(shown.length, 'time')}.${cut}`,
    ...(skipped > 0 && {
      hints: [
        `${count(skipped, 'line')} of the record too long to be looked into: what stands there is not shown.`,
      ],
    }),
  };
}
