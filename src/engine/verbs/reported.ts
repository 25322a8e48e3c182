import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { whereNamed, worktreeNamed } from '../fleet/named-worktree.ts';
import { phaseFile, readPhase, readTodos, todoFile, writePhase } from '../worktree/reported.ts';
import { LONGEST_NOTE, LONGEST_WORD, phaseIn, type ReportedPhase } from '../worktree/reported-words.ts';

/**
 * Shows the phase that is reported of a worktree, or reports one: a word begins a new phase, whose note and block are those given with it;
 * without a word they change the phase there is. Refuses `invalid_argument` for what is too long, and for a note on no phase.
 */
export async function phase(root: string, args: Args<'phase'>, ctx: Context): Promise<Result<'phase'>> {
  const named = await worktreeNamed(root, args.worktree, ctx);
  const { word, note, blocked } = args;
  if (word !== undefined || note !== undefined || blocked !== undefined) {
    const before = word === undefined ? (await readPhase(named.gitDir)).phase : undefined;
    await writePhase(named.gitDir, word === '' ? undefined : toWrite(args, before));
  }
  const { phase: now, problem } = await readPhase(named.gitDir);
  return {
    ok: true,
    data: { ...whereNamed(named), ...(now && { phase: now }), file: phaseFile(named.gitDir) },
    ...(problem !== undefined && { hints: [problem] }),
    message: now
      ? `${phaseWords(now)}.`
      : `No phase is reported; an agent writes it to ${phaseFile(named.gitDir)}.`,
  };
}

/** A phase in a few words. */
const phaseWords = ({ word, note, blocked }: ReportedPhase): string =>
  `${word}${blocked && !/^blocked$/i.test(word) ? ' (blocked)' : ''}${note === undefined ? '' : `: ${note.replace(/\.$/, '')}`}`;

function toWrite({ word, note, blocked }: Args<'phase'>, before: ReportedPhase | undefined): ReportedPhase {
  for (const [what, given, most] of [
    ['word', word, LONGEST_WORD],
    ['note', note, LONGEST_NOTE],
  ] as const) {
    if (given !== undefined && given.length > most) {
      throw new Refusal('invalid_argument', `The ${what} has ${given.length} characters: say it in ${most}.`);
    }
  }
  const said = phaseIn(
    JSON.stringify({
      word: word ?? before?.word,
      note: note ?? before?.note,
      blocked: blocked ?? before?.blocked ?? false,
    }),
  );
  if (said) return said;
  throw new Refusal('invalid_argument', 'No phase is reported yet: give its word too, such as "testing".');
}

/** Shows the to-dos that an agent reported of its work in a worktree. Changes nothing. */
export async function todo(root: string, args: Args<'todo'>, ctx: Context): Promise<Result<'todo'>> {
  const named = await worktreeNamed(root, args.worktree, ctx);
  const { value, at, problem } = await readTodos(named.gitDir);
  const { todos = [], done = 0, all = 0 } = value ?? {};
  return {
    ok: true,
    data: {
      ...whereNamed(named),
      todos,
      done,
      all,
      ...(at !== undefined && { at }),
      file: todoFile(named.gitDir),
    },
    ...(problem !== undefined && { hints: [problem] }),
    message:
      all === 0
        ? `No to-dos are reported; an agent writes them to ${todoFile(named.gitDir)}.`
        : `${done} of ${all} done.`,
  };
}
