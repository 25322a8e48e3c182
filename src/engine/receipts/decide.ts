import type { PlannedJob } from '../jobs/planned-job.ts';
import type { Identified } from './identity.ts';
import type { Counts, Receipt } from './receipt.ts';

/** Whether a job runs, and why. */
export interface Decision {
  /** What stands in for a run. */
  reuse?: Receipt;
  /** It would stand in, and the job runs all the same, to see whether they agree. */
  recheck?: Receipt;
  /** In words that follow "because". */
  why: string;
}

/** The groups of a plan, as far as deciding needs them. */
type Groups = readonly { jobs: readonly PlannedJob[] }[];

/** What is known of the jobs of a plan before any of them runs. */
export interface Known {
  identified: ReadonlyMap<string, Identified>;
  receipts: ReadonlyMap<string, Receipt>;
  counts: Counts;
  /** One reuse in so many is checked by a run; 0 for none. */
  every: number;
  /** Every job runs, whatever is known. */
  rerun?: boolean;
}

/**
 * Decides which jobs run. A job whose receipt passed is not run, unless someone who does run may read what it leaves and it
 * has not said what that is: what needs it, and for a fix or build job whatever comes after it.
 */
export function decide(
  groups: Groups,
  { identified, receipts, counts, every, rerun }: Known,
): Map<string, Decision> {
  const decisions = new Map<string, Decision>();
  const runs = (name: string) => decisions.get(name)?.reuse === undefined;
  const jobs = groups.flatMap((group) => group.jobs);
  let later = false;
  for (const group of groups.toReversed()) {
    for (const job of behindFirst(group.jobs)) {
      const dependents = jobs.filter(({ needs = [], name }) => needs.includes(job.name) && runs(name));
      decisions.set(job.name, decideOne(job, dependents, later));
    }
    later ||= group.jobs.some(({ name }) => runs(name));
  }
  return decisions;

  function decideOne(job: PlannedJob, dependents: readonly PlannedJob[], laterRuns: boolean): Decision {
    const one = identified.get(job.name) ?? { why: 'it is not known' };
    if ('why' in one) return { why: one.why };
    if (rerun) return { why: 'every job was asked for' };
    const receipt = receipts.get(one.key);
    if (!receipt) return { why: 'no result of these inputs is known' };
    if (receipt.outcome === 'failed') {
      return { why: `it failed on ${receipt.commit.slice(0, 10)} with the same inputs` };
    }
    if (job.measured && !(receipt.value !== undefined && job.measured.holds(receipt.value))) {
      return { why: `what ${receipt.commit.slice(0, 10)} was measured as is beyond its limit` };
    }
    const reader = dependents.find(({ reads, readsAll }) => reads === job.name || readsAll === job.name);
    if (reader) return { why: `${reader.name} reads what it prints` };
    const leaves = job.evidence?.artifacts?.length ? [] : dependents;
    if (leaves[0]) return { why: `${leaves[0].name} runs and needs it, and it declares no artifacts` };
    const isMaker = job.stage === 'fix' || job.stage === 'build';
    if (isMaker && laterRuns && !job.evidence?.artifacts?.length) {
      return { why: 'jobs after it run, and it declares no artifacts' };
    }
    const reused = counts.jobs[job.name]?.reused ?? 0;
    if (every > 0 && (reused + 1) % every === 0) {
      return { recheck: receipt, why: `one reuse in ${every} is checked by a run` };
    }
    return { reuse: receipt, why: `its inputs are those of ${receipt.commit.slice(0, 10)}` };
  }
}

/** Jobs of one group, each before those it needs. */
function behindFirst(jobs: readonly PlannedJob[]): PlannedJob[] {
  const known = new Map(jobs.map((job) => [job.name, job]));
  const ordered = new Set<PlannedJob>();
  const put = (job: PlannedJob) => {
    if (ordered.has(job)) return;
    for (const name of job.needs ?? []) {
      const need = known.get(name);
      if (need) put(need);
    }
    ordered.add(job);
  };
  for (const job of jobs) put(job);
  return [...ordered].toReversed();
}
