import { type JobStage, knownJobs } from '../../contract/config.ts';

/** One command that would be a job, and what says that it exists. */
export interface Offer {
  /** A known job, or the name of a custom one. */
  job: string;
  stage: JobStage;
  command: string;
  /** Where it was found, such as `package.json scripts.test`. */
  from: string;
}

/** A command that makes a fresh worktree ready. */
export interface SetupOffer {
  command: string;
  from: string;
}

/** What one ecosystem's files say. */
export interface Ecosystem {
  /** Short: it names the jobs of a second ecosystem, as in `test-rust`. */
  name: string;
  /** What the manifest calls the project. */
  project?: string | undefined;
  offers: Offer[];
  setup: SetupOffer[];
  /** What was found and not taken, one sentence each. */
  notes: string[];
  /** The files that were read for it, relative to the project. */
  files: string[];
}

/** A job as it is proposed; one command, since every job of ours has one. */
export interface ProposedJob {
  name: string;
  stage: JobStage;
  run: string;
  from: string;
}

/** All that is proposed, before it is written as TOML. */
export interface Proposal {
  /** The project's name for people. */
  name: string;
  /** The trunk, where it has to be named. */
  trunk?: string;
  jobs: ProposedJob[];
  setup: SetupOffer[];
  /** The ecosystems found. */
  found: string[];
  notes: string[];
  /** The files it stands on, relative to the project. */
  files: string[];
}

const stages = new Map<string, JobStage>(Object.entries(knownJobs));

/** An offer of a known job; its stage follows from its name. */
export function known(job: keyof typeof knownJobs, command: string, from: string): Offer {
  return { job, stage: knownJobs[job], command, from };
}

/** True when the stage of a job of this name follows from the name, so that it must not be declared. */
export const isKnown = (job: string): boolean => stages.has(job);
