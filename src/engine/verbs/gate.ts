import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { checkSettings, settingsFile } from '../config/ours.ts';
import type { GateMode } from '../gate/plan.ts';
import { gatePlan, prepareGate, runGate } from '../gate/run.ts';
import { isClean, readStatus } from '../git/status.ts';
import { scopeResults } from '../jobs/scopes.ts';
import { checkNotes, signedWords } from '../note/check.ts';
import { openRepository, type Repository, where } from '../repository/repository.ts';
import { trunkFile } from '../repository/trunk-file.ts';
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
    const noted = mode === 'done' && ctx.ci && !options.rerun ? await byNote(root, ctx) : undefined;
    if (noted?.answer) return noted.answer;
    const run = await runGate(root, mode, ctx, options);
    // A run that was cancelled still has its jobs to tell of, and judged nothing.
    const diverged = ctx.signal.aborted ? undefined : await divergence(run.repo, run.before, ctx);
    return sayingFirst(diverged, {
      ok: run.error === undefined,
      data: run.data,
      steps: run.steps,
      diagnostics: run.diagnostics,
      hints: [...run.hints, ...(noted?.why ? [noted.why] : [])],
      ...(run.error && { error: run.error }),
      message: run.message,
    });
  };
}

/** Whether the owner wants unsigned notes believed. The trunk's own file counts, so that no branch lets itself pass. */
async function believesUnsigned(repo: Repository): Promise<boolean> {
  const text = repo.trunk && (await trunkFile(repo, repo.trunk, settingsFile));
  return typeof text === 'string' && checkSettings(text).settings?.ci.unsigned_notes === true;
}

/** In CI: the answer a note gives for this very tree, or why the gate has to run. */
async function byNote(root: string, ctx: Context): Promise<{ answer?: Result<'done'>; why?: string }> {
  const repo = await openRepository(root, ctx.signal);
  const status = await readStatus(repo.top, { signal: ctx.signal });
  if (!isClean(status) || status.overlooked !== undefined)
    return { why: 'No note was looked for, since the tree is not just its commit.' };
  const checked = await checkNotes(repo.top, repo.commit, repo.prefix);
  if (checked.found === 'none') {
    const why = checked.reasons.join('; ') || `there is none for this tree`;
    return { why: `The gate ran, since no note proves this tree: ${why}.` };
  }
  const { signed, statement } = checked;
  const { gated_at: at, jobs } = statement.predicate.discern;
  if (signed.state !== 'good' && !(await believesUnsigned(repo))) {
    return {
      why: `The gate ran, since the note on this tree is ${signedWords(signed)}. Name who may sign in gpg.ssh.allowedSignersFile or the GPG keyring, or set [ci] unsigned_notes on the trunk.`,
    };
  }
  return {
    answer: {
      ok: true,
      data: {
        ...where(repo),
        clean: true,
        proof: { state: 'valid', commit: repo.commit },
        jobs: none,
        scopes: [],
      },
      hints: [`Passed then: ${jobs.map(({ name }) => name).join(', ')}.`],
      message: `Nothing was run: the gate passed on this very tree at ${at}, by a note that is ${signedWords(signed)}.`,
    },
  };
}

export const prepare = gateVerb('prepare');
export const test = gateVerb('test');
export const done = gateVerb('done');
