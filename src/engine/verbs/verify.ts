import type { VerifyData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { resolveCommit } from '../git/refs.ts';
import { checkNotes, signedWords } from '../note/check.ts';
import { NOTES_REF } from '../note/store.ts';
import { openRepository, where } from '../repository/repository.ts';

/**
 * Checks the note that proves a commit, or another commit with the same tree. Refuses `unknown_ref`, and `untrusted` where there is
 * none that holds, saying what is wrong with those that are there.
 */
export async function verify(
  root: string,
  args: Args<'verify'>,
  ctx: Context,
): Promise<Omit<Envelope<VerifyData>, 'verb'>> {
  const repo = await openRepository(root, ctx.signal);
  const asked = args.commit ?? 'HEAD';
  const commit = await resolveCommit(repo.top, asked);
  if (commit === undefined) {
    throw new Refusal(
      'unknown_ref',
      `${JSON.stringify(asked.slice(0, 200))} names no commit here: name one that git has.`,
      {
        data: where(repo),
      },
    );
  }
  const checked = await checkNotes(repo.top, commit, repo.prefix);
  const { tree } = checked;
  if (checked.found === 'none') {
    const why =
      checked.reasons.length > 0
        ? checked.reasons.join('; ')
        : `there is no note on it or its tree in ${NOTES_REF}`;
    throw new Refusal(
      'untrusted',
      `Nothing proves ${commit.slice(0, 10)}: ${why}. Run done on it, or fetch the notes: git fetch <remote> ${NOTES_REF}:${NOTES_REF}`,
      { data: { ...where(repo), verified: commit, tree } },
    );
  }
  const { signed, statement, ref } = checked;
  const { discern } = statement.predicate;
  const gated = statement.subject.find(({ digest }) => digest.gitTree === tree)?.digest.gitCommit;
  return {
    ok: true,
    data: {
      ...where(repo),
      verified: commit,
      tree,
      note: ref,
      signature: signed.state,
      ...(signed.state !== 'unsigned' && { signer: signed.signer }),
      gated_at: discern.gated_at,
      jobs: discern.jobs.map(({ name }) => name),
    },
    message: `The gate passed on the tree of ${commit.slice(0, 10)} at ${discern.gated_at}${gated === undefined || gated === commit ? '' : `, as ${gated.slice(0, 10)}`}; the note is ${signedWords(signed)}.`,
  };
}
