import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import { manyLines, oneLine } from '../../contract/visible.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { whereNamed, worktreeNamed } from '../fleet/named-worktree.ts';
import { changeNotes, type Notes, readNotes } from '../worktree/notes.ts';

const LONGEST_TITLE = 120;
const LONGEST_DESCRIPTION = 4_000;

/**
 * Gives a worktree a title or a description, which decide nothing. What is left out stays, and an empty text clears. Refuses
 * `invalid_argument` for a text that is too long, and `untrusted` where something foreign lies in the place of its notes.
 */
export async function describe(
  root: string,
  args: Args<'describe'>,
  ctx: Context,
): Promise<Result<'describe'>> {
  const { title, description } = args;
  requireShort('title', title, LONGEST_TITLE);
  requireShort('description', description, LONGEST_DESCRIPTION);
  const named = await worktreeNamed(root, args.worktree, ctx);
  const changes = title !== undefined || description !== undefined;
  const change = (notes: Notes): Notes => {
    const line = title === undefined ? notes.title : oneLine(title.replace(/\s+/g, ' ').trim());
    const lines = description === undefined ? notes.description : manyLines(description.trim());
    const { title: _title, description: _description, ...rest } = notes;
    return { ...rest, ...(line && { title: line }), ...(lines && { description: lines }) };
  };
  const { notes, distrust } = changes
    ? { notes: await changeNotes(named, ctx, change), distrust: undefined }
    : await readNotes(named);
  const said = notes.title === undefined ? 'It has no title' : `Titled "${notes.title}"`;
  return {
    ok: true,
    data: {
      ...whereNamed(named),
      ...(notes.title !== undefined && { title: notes.title }),
      ...(notes.description !== undefined && { description: notes.description }),
    },
    ...(distrust !== undefined && { hints: [`${distrust}, so nothing in it counts.`] }),
    message: `${said}${notes.description === undefined ? '' : ', with a description'}.`,
  };
}

function requireShort(what: string, text: string | undefined, most: number): void {
  if (text === undefined || text.length <= most) return;
  throw new Refusal('invalid_argument', `The ${what} has ${text.length} characters: say it in ${most}.`);
}
