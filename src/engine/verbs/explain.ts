import type { Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { ExplainData } from '../../contract/data.ts';
import type { Args } from '../../contract/verbs.ts';
import type { Context } from '../call/context.ts';
import { Refusal } from '../call/refusal.ts';
import { declaredJobs, planGate, planJobs } from '../gate/plan.ts';
import { isClean, listChanges, readStatus } from '../git/status.ts';
import { scopeMatchers } from '../jobs/scope-paths.ts';
import { changesSinceTrunk, classify, insideProject } from '../jobs/scopes.ts';
import { jobNamed } from '../jobs/selectors.ts';
import { compare, type Difference } from '../receipts/compare.ts';
import { openReceipts } from '../receipts/index.ts';
import type { Receipt } from '../receipts/receipt.ts';
import { readCounts, receiptsOf } from '../receipts/store.ts';
import { openRepository, type Repository, where } from '../repository/repository.ts';
import { Measuring } from '../standards/measure.ts';
import { nearest } from '../words/nearest.ts';

/** How many files that differ an answer names. */
const MOST_FILES = 50;

/**
 * Says whether `done` would run a job on this commit and why, and how what the job depends on differs from its last run; of one
 * that is reused, how that run's differed from the one before. Refuses `invalid_argument` for a job that is not declared.
 */
export async function explainJob(
  root: string,
  args: Args<'explain'>,
  ctx: Context,
): Promise<Result<'explain'>> {
  const repo = await openRepository(root, ctx.signal);
  const status = await readStatus(repo.top, { untracked: 'all', signal: ctx.signal });
  const classification = classify(
    repo.config.config.scopes,
    repo.trunk ? await changesSinceTrunk(repo, status) : [],
  );
  const { standards } = repo.config.config;
  const measuring = (gate: boolean) => new Measuring(repo, { standards, gate }).jobs;
  const all = [...declaredJobs(repo.config, classification.scopes), ...measuring(false)];
  const names = all.map(({ name }) => name);
  const job = wanted(repo, names, args.job);
  const planned = planGate('done', repo.config, classification, measuring(true));
  const isPlanned = planned.some(({ jobs }) => jobs.some(({ name }) => name === job));
  const groups = isPlanned ? planned : planJobs(all, ({ name }) => name === job);
  const reusing = await openReceipts(repo, groups, { rerun: false }, ctx);
  const now = reusing?.identified.get(job);
  const decision = reusing?.decisions.get(job);
  const reuse = isPlanned && isClean(status) ? decision?.reuse : undefined;
  const [counts, known] = await Promise.all([
    readCounts(repo.commonDir),
    receiptsOf(repo.commonDir, repo.prefix, job),
  ]);
  const subject = reuse ?? (now && 'parts' in now ? { parts: now.parts, commit: repo.commit } : undefined);
  const earlier = reuse
    ? known.find(({ key, ended }) => key !== reuse.key && ended <= reuse.ended)
    : known[0];
  const difference = subject && earlier ? await compare(repo, earlier, subject) : undefined;
  if (difference && subject) {
    const isInput = scopeMatchers(subject.parts.inputs.patterns);
    const pending = [...status.staged, ...status.unstaged, ...status.untracked]
      .flatMap((path) => insideProject(repo, path) ?? [])
      .filter(isInput);
    difference.files = [...new Set([...difference.files, ...pending])];
  }
  const why = !isPlanned
    ? all.some(({ name, stage }) => name === job && stage === 'scope')
      ? 'nothing in its scope changed since the trunk'
      : 'it is measured on demand only'
    : isClean(status)
      ? (decision?.why ?? 'it declares no inputs')
      : `the tree has uncommitted changes (${listChanges(status)}), for which no result is used or kept`;
  const runs = isPlanned && reuse === undefined;
  const { files = [], others = [] } = difference ?? {};
  const { reused = 0, disagreed = 0 } = counts.jobs[job] ?? {};
  return {
    ok: true,
    data: {
      ...where(repo),
      job,
      runs,
      why,
      ...(earlier && difference && { earlier: told(earlier) }),
      ...(files.length > 0 && { files: files.slice(0, MOST_FILES) }),
      ...(files.length > MOST_FILES && { more: files.length - MOST_FILES }),
      ...(others.length > 0 && { differs: others }),
      reused,
      disagreed,
    },
    hints: [...repo.config.notes, ...trust(job, reused, disagreed)],
    message: `${opening(job, runs, reuse, why)}${earlier && difference ? ` ${sentence(earlier, difference, reuse)}` : ''}`,
  };
}

/** The declared job that is meant: by its name in a plan, or as another table names it. */
function wanted(repo: Repository, all: readonly string[], asked: string): string {
  const name = [asked, jobNamed(asked)].find((one) => all.includes(one));
  if (name !== undefined) return name;
  const close = nearest(asked, all);
  throw new Refusal(
    'invalid_argument',
    `There is no job ${JSON.stringify(asked.slice(0, 80))}.${close === undefined ? '' : ` Did you mean ${close}?`} There are: ${all.join(', ') || 'none'}.`,
    { data: where(repo) },
  );
}

const told = ({ commit, worktree, ended, outcome }: Receipt): NonNullable<ExplainData['earlier']> => ({
  commit,
  worktree,
  at: new Date(ended).toISOString(),
  outcome,
});

function opening(job: string, runs: boolean, reuse: Receipt | undefined, why: string): string {
  if (reuse) return `done would reuse ${job}: ${why}.`;
  return `done would ${runs ? 'run' : 'leave out'} ${job}: ${why}.`;
}

/** How many differences a sentence names. */
const MOST_NAMED = 8;

function sentence(earlier: Receipt, { files, others }: Difference, reuse: Receipt | undefined): string {
  const all = [...files, ...others];
  const list = all.slice(0, MOST_NAMED).join(', ');
  const more = all.length - MOST_NAMED;
  const what = `${list}${more > 0 ? ` and ${more} more` : ''}`;
  const run = `its ${reuse ? 'run before that' : 'last run'} (${earlier.outcome} on ${earlier.commit.slice(0, 10)})`;
  if (all.length === 0) return `Nothing it declares differs from ${run}.`;
  return reuse ? `It ran there since ${run} differed in: ${what}.` : `What differs from ${run}: ${what}.`;
}

/** What is to be known of how far a job's results can be trusted. */
function trust(job: string, reused: number, disagreed: number): string[] {
  if (disagreed === 0) return [];
  return [
    `Of ${count(reused, 'reuse')} of ${job}, ${disagreed} did not agree with a run: its inputs leave something out ("discern doctor ${job} --inputs" looks for it), or it is flaky.`,
  ];
}
