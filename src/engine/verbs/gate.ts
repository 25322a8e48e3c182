import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import type { GateMode } from '../gate/plan.ts';
import { gatePlan, prepareGate, runGate } from '../gate/run.ts';
import { isClean } from '../git/status.ts';
import { scopeResults } from '../jobs/scopes.ts';
import { where } from '../repository/repository.ts';
import { divergence, sayingFirst } from '../worktree/divergence.ts';

const none = { passed: 0, failed: 0, cancelled: 0, skipped: 0, timed_out: 0 };

/** A gate verb: `prepare` (fix, check), `test`, or `done` (everything, and the proof). */
function gateVerb(mode: GateMode) {
  return async (root: string, args: Args<GateMode>, ctx: Context): Promise<Result<'done'>> => {
    const options = { rerun: 'rerun' in args && args.rerun === true };
    if (args.dry_run) {
      const prepared = await prepareGate(root, mode, ctx, options);
      return sayingFirst(await divergence(prepared.repo, prepared.status, ctx), {
        ok: true,
        dry_run: true,
        plan: gatePlan(prepared, mode),
        data: {
          ...where(prepared.repo),
          clean: isClean(prepared.status),
          jobs: none,
          scopes: scopeResults(prepared.classification.scopes),
        },
      });
    }
    const run = await runGate(root, mode, ctx, options);
    // A run that was cancelled still has its jobs to tell of, and judged nothing.
    const diverged = ctx.signal.aborted ? undefined : await divergence(run.repo, run.before, ctx);
    return sayingFirst(diverged, {
      ok: run.error === undefined,
      data: run.data,
      steps: run.steps,
      diagnostics: run.diagnostics,
      hints: run.hints,
      ...(run.error && { error: run.error }),
      message: run.message,
    });
  };
}

export const prepare = gateVerb('prepare');
export const test = gateVerb('test');
export const done = gateVerb('done');
