import type { Ticket } from '../../contract/verbs-worktree.ts';
import { Refusal } from '../call/refusal.ts';
import { shortTicket, type TicketRecord } from '../worktree/notes.ts';

/** A repository on a forge, as a remote names it. */
export interface ForgeRepository {
  host: string;
  /** `owner/repo`; of a forge with groups more parts. */
  repo: string;
}

/** What a person wrote, before it is compared with any remote. */
export type Reference =
  | { kind: 'number'; number: number }
  | { kind: 'named'; repo: string; number: number }
  | { kind: 'url'; host: string; repo: string; number: number; url: string };

/** Characters of the longest reference that is looked into. */
const LONGEST = 500;

const NUMBER = /^[1-9]\d{0,9}$/;
const part = '[A-Za-z0-9_][A-Za-z0-9_.-]*';
const namedForm = new RegExp(`^(${part}(?:/${part})+)[#!](\\d+)$`);

/** Between a repository and a number, what forges put there: GitHub, Gitea and Forgejo, GitLab, Bitbucket. */
const urlForm =
  /^\/(.+?)\/(?:-\/)?(?:issues|pull|pulls|merge_requests|work_items|pull-requests)\/(\d+)(?:[/?#].*)?$/;

/**
 * A reference to an issue or pull request, by its form alone: a URL, `#42`, `42` or `owner/repo#42`; GitLab's `!42` too. `undefined` for
 * everything else.
 */
export function parseReference(text: string): Reference | undefined {
  const ref = text.trim();
  if (/^https?:\/\//i.test(ref)) return ofUrl(ref);
  const [, digits] = /^[#!]?(\d+)$/.exec(ref) ?? [];
  if (digits !== undefined)
    return NUMBER.test(digits) ? { kind: 'number', number: Number(digits) } : undefined;
  const [, repo, number] = namedForm.exec(ref) ?? [];
  if (repo === undefined || !NUMBER.test(number ?? '')) return undefined;
  return { kind: 'named', repo, number: Number(number) };
}

function ofUrl(ref: string): Reference | undefined {
  if (!URL.canParse(ref)) return undefined;
  const { host, pathname, protocol } = new URL(ref);
  const [, repo, number] = urlForm.exec(pathname) ?? [];
  if (repo === undefined || !NUMBER.test(number ?? '') || !isRepository(repo)) return undefined;
  const path = pathname.slice(0, pathname.indexOf(`/${number}`, repo.length) + `/${number}`.length);
  return { kind: 'url', host, repo, number: Number(number), url: `${protocol}//${host}${path}` };
}

const isRepository = (repo: string) => new RegExp(`^${part}(?:/${part})+$`).test(repo);

/**
 * The repository a remote's URL names, as git takes URLs (git-clone(1), "GIT URLS"): with a scheme, or `host:path` as scp has it.
 * `undefined` for a path on this machine.
 */
export function forgeRepository(url: string): ForgeRepository | undefined {
  const scheme = /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?\/+(.+)$/i.exec(
    url,
  );
  const scp = scheme ? undefined : /^(?:[^@/:]+@)?([^:/]{2,}):(?!\/\/)\/*(.+)$/.exec(url);
  const [host, port, path] = scheme ? [scheme[1], scheme[2], scheme[3]] : [scp?.[1], undefined, scp?.[2]];
  if (host === undefined || path === undefined) return undefined;
  const repo = path.replace(/\/+$/, '').replace(/\.git$/, '');
  if (!isRepository(repo)) return undefined;
  // A port of ssh is not the one its pages are on.
  const shown = port !== undefined && /^http/i.test(url) ? `${host}:${port}` : host;
  return { host: shown.toLowerCase(), repo };
}

/** Two names of one repository: forges take them in any case. */
export const isSameRepository = (one: ForgeRepository, other: ForgeRepository): boolean =>
  one.host.toLowerCase() === other.host.toLowerCase() && one.repo.toLowerCase() === other.repo.toLowerCase();

const distinct = (all: readonly ForgeRepository[]): ForgeRepository[] =>
  all.filter((one, index) => all.findIndex((other) => isSameRepository(one, other)) === index);

/** What a reference may mean in a repository with these remotes: one ticket, several, or none, and then why. */
export function resolveReference(
  reference: Reference,
  remotes: readonly ForgeRepository[],
): { could: TicketRecord[] } | { why: string } {
  const known = distinct(remotes);
  const { number } = reference;
  if (reference.kind === 'url') {
    const { host, repo, url } = reference;
    if (known.length > 0 && !known.some((one) => one.host === host.toLowerCase())) {
      return { why: `${host} is the forge of no remote here (${listed(known)})` };
    }
    return { could: [{ host: host.toLowerCase(), repo, number, url }] };
  }
  if (known.length === 0) return { why: 'no remote here is on a forge, so only a URL says which is meant' };
  if (reference.kind === 'number') return { could: known.map((one) => ({ ...one, number })) };
  const exact = known.filter((one) => one.repo.toLowerCase() === reference.repo.toLowerCase());
  if (exact.length > 0) return { could: exact.map((one) => ({ ...one, number })) };
  const hosts = [...new Set(known.map(({ host }) => host))];
  return { could: hosts.map((host) => ({ host, repo: reference.repo, number })) };
}

const listed = (all: readonly ForgeRepository[]) => all.map(({ host, repo }) => `${host}/${repo}`).join(', ');

/** Which of the tickets that are attached a reference means. */
export const meantOf = (reference: Reference, attached: readonly TicketRecord[]): TicketRecord[] =>
  attached.filter((one) => {
    if (one.number !== reference.number) return false;
    if (reference.kind === 'number') return true;
    const { repo } = reference;
    return reference.kind === 'url'
      ? isSameRepository(one, reference)
      : one.repo.toLowerCase() === repo.toLowerCase();
  });

/** Which tickets as answers have them a reference means. Refuses what is none. */
export function matchesTicket(ref: string): (ticket: Ticket) => boolean {
  const reference = requireReference(ref);
  return (ticket) => meantOf(reference, [recordOf(ticket)]).length > 0;
}

/** A reference as it was written. Refuses `invalid_argument` for what is none. */
export function requireReference(ref: string): Reference {
  const reference = ref.length > LONGEST ? undefined : parseReference(ref);
  if (reference !== undefined) return reference;
  throw new Refusal(
    'invalid_argument',
    `"${ref.slice(0, 100)}" names no issue or pull request: give its URL, #42, 42 or owner/repo#42.`,
  );
}

function recordOf({ ref, host }: Ticket): TicketRecord {
  const at = ref.lastIndexOf('#');
  return { host, repo: ref.slice(0, at), number: Number(ref.slice(at + 1)) };
}

export const isSameTicket = (one: TicketRecord, other: TicketRecord): boolean =>
  one.number === other.number && isSameRepository(one, other);

/** A ticket with its forge, by which two of the same name are told apart. */
export const fullTicket = (ticket: TicketRecord): string => `${ticket.host}/${shortTicket(ticket)}`;
