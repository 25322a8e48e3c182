import { count } from '../../contract/count.ts';
import type { Drift, JobCounts } from '../../contract/data.ts';
import type { RefusalSlug } from '../../contract/refusals.ts';
import { standardJob } from '../config/standard-names.ts';
import type { JobResult } from '../jobs/planned-job.ts';
import { shown } from './drift.ts';

/** How many drifted files the message names; the diagnostics name more. */
const NAMED_IN_MESSAGE = 5;

/** What a run of jobs came to. */
export interface Ran {
  /** The commit the run was of, and the one HEAD names now. */
  commit: string;
  head: string | undefined;
  verb: string;
  results: readonly JobResult[];
  drift: readonly Drift[];
  /** How many more files drifted than `drift` names. */
  unnamed: number;
  /** The standards that are worse than their limit. */
  regressed: readonly string[];
  cancelled: boolean;
}

/**
 * The verdict on a run. A job that failed comes first, then a standard that regressed, then what ran out of time, then
 * what changed under the jobs.
 */
export function judge(run: Ran): { error?: RefusalSlug; message: string } {
  const { verb, results, drift, regressed } = run;
  const named = (outcome: string) =>
    results.filter(({ step }) => step.outcome === outcome).map(({ step }) => step.name);
  const worse = new Set(regressed.map(standardJob));
  const failed = named('failed').filter((name) => !worse.has(name));
  const late = named('timed_out');
  if (run.cancelled)
    return { error: 'cancelled', message: `${verb} was cancelled; everything it started has ended.` };
  if (failed.length > 0 || regressed.length > 0 || late.length > 0) {
    const what = [
      ...(failed.length > 0 ? [`${failed.join(', ')} failed`] : []),
      ...(regressed.length > 0 ? [`${regressed.join(', ')} got worse than the limit`] : []),
      ...(late.length > 0 ? [`${late.join(', ')} ran out of time`] : []),
    ].join('; ');
    // A measurement that gave no number says less than one that got worse.
    const jobs = failed.filter((name) => !name.startsWith(standardJob('')));
    const gate = jobs.length > 0 || (failed.length > 0 && regressed.length === 0);
    const error = gate ? 'gate_failed' : regressed.length > 0 ? 'standard_regressed' : 'timed_out';
    return { error, message: `${what}: fix what the diagnostics name, commit, and run ${verb} again.` };
  }
  if (drift.length > 0) return drifted(run);
  const head = run.head ?? 'no commit';
  if (head !== run.commit) {
    return {
      error: 'tree_drift',
      message: `HEAD moved from ${run.commit.slice(0, 10)} to ${head.slice(0, 10)} while the jobs ran, so they judged no one commit: run ${verb} again.`,
    };
  }
  const reused = results.filter(({ step }) => step.reused).length;
  const stood =
    reused === 0 ? '' : reused === results.length ? ', all of them reused' : `, ${reused} of them reused`;
  return {
    message: results.length === 0 ? 'Nothing to run.' : `${count(results.length, 'job')} passed${stood}.`,
  };
}

function drifted({ verb, drift, unnamed }: Ran): { error: RefusalSlug; message: string } {
  const files = drift
    .slice(0, NAMED_IN_MESSAGE)
    .map(
      (one) =>
        `${shown(one.file)} (${one.generated === undefined ? one.stage : `generated:${one.generated}`})`,
    );
  const more = drift.length - files.length + unnamed;
  const list = `${files.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  if (drift.every((one) => one.generated !== undefined)) {
    return {
      error: 'generated_drift',
      message: `Generated files are not what their generators make of this tree: ${list}. They were regenerated: review them, commit them, and run ${verb} again. If they differ every time, the generator is not deterministic.`,
    };
  }
  return {
    error: 'tree_drift',
    message: `Jobs changed tracked files that were clean: ${list}. Look at the changes, commit or discard them, and run ${verb} again.`,
  };
}

export function countJobs(steps: readonly { outcome: keyof JobCounts }[]): JobCounts {
  const counts: JobCounts = { passed: 0, failed: 0, cancelled: 0, skipped: 0, timed_out: 0 };
  for (const step of steps) counts[step.outcome]++;
  return counts;
}
