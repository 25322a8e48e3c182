import { basename } from 'node:path';
import { cksum } from '../files/cksum.ts';
import { type Repository, rootIn } from '../repository/repository.ts';
import { plainName } from '../words/plain-name.ts';
import { homeCheckout } from './place.ts';

/** What a worktree's names and port are made from. */
export interface Identity {
  id: string;
  /** The project's part of every name. */
  slug: string;
  port: number;
}

/** The project's short name: `[project].slug`, else its name, else what its directory in the home checkout is called. */
export function projectSlug(repo: Repository): string {
  const { slug, name } = repo.config.config.project;
  const directory = basename(rootIn(repo, homeCheckout(repo)));
  return [slug, name, directory].map(plainName).find((one) => one !== '') ?? 'project';
}

/** The base name of what belongs to a worktree: `<slug>-<id>`. */
export const worktreeHandle = ({ slug, id }: Pick<Identity, 'slug' | 'id'>): string =>
  plainName(`${slug}-${id}`);

/** The name of one resource of a worktree: `<slug>-<id>-<name>`. */
export const resourceHandle = ({ slug, id }: Pick<Identity, 'slug' | 'id'>, name: string): string =>
  plainName(`${slug}-${id}-${name}`);

/** The variable a resource's handle is in: `DISCERN_RESOURCE_<NAME>`. */
export const resourceVariable = (name: string): string =>
  `DISCERN_RESOURCE_${plainName(name).replaceAll('-', '_').toUpperCase()}`;

/** A DNS label has at most this many characters (RFC 1035 §2.3.4). */
const LABEL = 63;

/** A host name for the worktree: one DNS label, an id that is too long cut and marked with its checksum. */
function site({ slug, id }: Identity): string {
  const own = plainName(id);
  const room = LABEL - slug.length - 1;
  if (own.length <= room) return `${slug}-${own}`;
  const hash = String(cksum(own));
  return `${slug}-${own.slice(0, Math.max(1, room - hash.length - 1))}-${hash}`;
}

const token = /@(resource|worktree|db|site|port|project_slug|dir)@/g;

/**
 * Puts a worktree's values where a resource's command says `@resource@`, `@worktree@`, `@db@`, `@site@`, `@port@`,
 * `@project_slug@` or `@dir@` (the published format), as they are: quoting is the command's. Anything else, `${…}`
 * too, stays for the shell.
 */
export function expandTokens(
  command: string,
  identity: Identity,
  place: { resource: string; dir: string; projectSlug: string },
): string {
  const values: Record<string, string> = {
    resource: resourceHandle(identity, place.resource),
    worktree: worktreeHandle(identity),
    db: plainName(`${identity.slug}-${identity.id}`).replaceAll('-', '_'),
    site: site(identity),
    port: String(identity.port),
    project_slug: place.projectSlug,
    dir: place.dir,
  };
  return command.replace(token, (whole, name: string) => values[name] ?? whole);
}

/** A worktree's identity as commands and env files have it; `resources` are the names of those declared. */
export function identityVariables(identity: Identity, resources: readonly string[]): Record<string, string> {
  return {
    DISCERN_WORKTREE_ID: identity.id,
    DISCERN_WORKTREE_PORT: String(identity.port),
    DISCERN_WORKTREE: worktreeHandle(identity),
    ...Object.fromEntries(resources.map((name) => [resourceVariable(name), resourceHandle(identity, name)])),
  };
}
