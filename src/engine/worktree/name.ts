import { randomBytes } from 'node:crypto';
import { Refusal } from '../call/refusal.ts';

/** How long the readable part of a branch or directory name may get, in characters. */
const SLUG_LIMIT = 40;
/** Names longer than this are a mistake, not a title. */
const NAME_LIMIT = 1000;

/**
 * What someone called the work, as a part of a branch and directory name: visible letters and digits of any script, in
 * lower case, words joined by `-`; safe for git-check-ref-format(1), shells and every file system.
 *
 * Refuses `invalid_argument` when no letter or digit is left.
 */
export function slugify(name: string): string {
  if (name.length > NAME_LIMIT) {
    throw new Refusal(
      'invalid_argument',
      `The name has ${name.length} characters: say what the work is about in a few words.`,
    );
  }
  const words = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  if (!words) {
    throw new Refusal(
      'invalid_argument',
      `"${name}" has no letter or digit to name a branch with: use a few plain words.`,
    );
  }
  let slug = '';
  for (const word of words) {
    const next = slug ? `${slug}-${word}` : word;
    if ([...next].length > SLUG_LIMIT) break;
    slug = next;
  }
  return slug || [...(words[0] ?? '')].slice(0, SLUG_LIMIT).join('');
}

/** A worktree's id: the slug, and six random hex digits that keep two works of the same name apart. */
export function newId(slug: string): string {
  return `${slug}-${randomBytes(3).toString('hex')}`;
}

/** True for a name that {@link newId} may have made. */
export const isId = (name: string): boolean => /.-[0-9a-f]{6}$/.test(name);

/** True for an id that can only be one part of a path; older ones may lack the digits. */
export const isPlainId = (id: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(id);
