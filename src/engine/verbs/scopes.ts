import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { readStatus } from '../git/status.ts';
import { changesSinceTrunk, classify, scopeResults } from '../jobs/scopes.ts';
import { notKnown } from '../repository/not-known.ts';
import { openRepository, requireTrunk, where } from '../repository/repository.ts';

/** Which scopes the changes since the trunk fall in. Changes nothing. */
export async function scopes(root: string, _args: Args<'scopes'>, ctx: Context): Promise<Result<'scopes'>> {
  const repo = await openRepository(root, ctx.signal);
  const trunk = requireTrunk(repo);
  const status = await readStatus(repo.top, { untracked: 'all', signal: ctx.signal });
  const found = classify(repo.config.config.scopes, await changesSinceTrunk(repo, status));
  const changed = found.scopes.filter((scope) => scope.changed).map((scope) => scope.name);
  return {
    ok: true,
    data: {
      ...where(repo),
      trunk: trunk.name,
      scopes: scopeResults(found.scopes),
      code: found.code,
      neutral: found.neutral,
    },
    hints: [
      ...(await notKnown(repo.top, status)),
      ...repo.config.notes,
      ...found.scopes.flatMap(({ name, changed: is, preview }) =>
        is && preview !== undefined ? [`To show a person the change in ${name}: ${preview}`] : [],
      ),
    ],
    message: found.neutral
      ? `Every change lies in neutral scopes (${changed.join(', ')}): no scope’s gate runs, and every job does.`
      : `Changed scopes: ${changed.join(', ') || 'none'}; ${inNoScope(found.code.length)} as code.`,
  };
}

const inNoScope = (count: number) =>
  count === 1 ? '1 changed path in no scope counts' : `${count} changed paths in no scope count`;
