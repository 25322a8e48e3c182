import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import { oneLine } from '../../contract/visible.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { type NamedWorktree, whereNamed, worktreeNamed } from '../fleet/named-worktree.ts';
import {
  type ForgeRepository,
  forgeRepository,
  fullTicket,
  isSameTicket,
  meantOf,
  type Reference,
  requireReference,
  resolveReference,
} from '../fleet/ticket-ref.ts';
import { listRemotes } from '../git/remotes.ts';
import { changeNotes, type Notes, shortTicket, shownTicket, type TicketRecord } from '../worktree/notes.ts';

/** More tickets than this a piece of work does not have. */
const MOST_TICKETS = 20;

/**
 * Attaches an issue or pull request to a worktree, or detaches it; asks no forge whether there is one. Refuses `invalid_argument` for
 * what is no reference, for one of another forge than the remotes', and for detaching what is not attached; and `ambiguous`, listing what
 * it could be. Doing it again changes nothing.
 */
export async function ticket(root: string, args: Args<'ticket'>, ctx: Context): Promise<Result<'ticket'>> {
  const reference = requireReference(args.ref);
  const named = await worktreeNamed(root, args.worktree, ctx);
  const attach = args.action === 'attach';
  const meant = attach ? await toAttach(named, reference, args.ref, ctx) : undefined;
  let ticket: TicketRecord | undefined = meant;
  const notes = await changeNotes(named, ctx, (before: Notes) => {
    const { tickets = [], ...rest } = before;
    ticket = meant ?? toDetach(named, reference, args.ref, tickets);
    const one = ticket;
    const others = tickets.filter((other) => !isSameTicket(one, other));
    if (attach && others.length >= MOST_TICKETS) {
      throw new Refusal('invalid_argument', `It has ${others.length} tickets already: detach some first.`);
    }
    const already = tickets.find((other) => isSameTicket(one, other));
    const now = attach ? (already && !one.url ? tickets : [...others, one]) : others;
    return { ...rest, ...(now.length > 0 && { tickets: now }) };
  });
  return {
    ok: true,
    data: {
      ...whereNamed(named),
      ...(ticket && { ticket: shownTicket(ticket) }),
      tickets: (notes.tickets ?? []).map(shownTicket),
    },
    message: `${ticket ? shortTicket(ticket) : 'It'} is ${attach ? 'attached' : 'detached'}. Attached now: ${(notes.tickets ?? []).map(shortTicket).join(', ') || 'none'}.`,
  };
}

async function toAttach(
  named: NamedWorktree,
  reference: Reference,
  ref: string,
  ctx: Context,
): Promise<TicketRecord> {
  const urls = await listRemotes(named.top, ctx.signal);
  const remotes = urls.map(forgeRepository).filter((one): one is ForgeRepository => one !== undefined);
  const resolved = resolveReference(reference, remotes);
  if ('why' in resolved) {
    throw new Refusal('invalid_argument', `"${oneLine(ref)}" cannot be attached: ${resolved.why}.`);
  }
  const [only, other] = resolved.could;
  if (only === undefined || other !== undefined) throw ambiguous(named, ref, resolved.could);
  return only;
}

function toDetach(
  named: NamedWorktree,
  reference: Reference,
  ref: string,
  attached: readonly TicketRecord[],
): TicketRecord {
  const meant = meantOf(reference, attached);
  const [only, other] = meant;
  if (other !== undefined) throw ambiguous(named, ref, meant);
  if (only !== undefined) return only;
  const there = attached.map(shortTicket).join(', ') || 'none';
  throw new Refusal('invalid_argument', `"${oneLine(ref)}" is not attached to it. Attached: ${there}.`);
}

function ambiguous(named: NamedWorktree, ref: string, could: readonly TicketRecord[]): Refusal {
  const hosts = new Set(could.map(({ host }) => host));
  const listed = could.map(hosts.size > 1 ? fullTicket : shortTicket);
  const how = hosts.size > 1 ? 'give its URL' : 'write the one you mean in full';
  return new Refusal('ambiguous', `"${oneLine(ref)}" may be ${listed.join(' or ')}: ${how}.`, {
    data: { ...whereNamed(named), could_be: listed },
  });
}
