import type { Evidence } from '../../contract/config-values.ts';
import type { Diagnostic, Stage, Step } from '../../contract/envelope.ts';
import type { LoadedConfig } from '../config/index.ts';

export interface JobResult {
  step: Step;
  diagnostics: Diagnostic[];
  hints: string[];
  /** When it ran, in milliseconds of the clock files are stamped with. */
  from: number;
  to: number;
  /** The key of the receipt that stood in for a run. */
  receipt?: string;
  /** Files that the receipt keeps were put back. */
  putBack?: boolean;
  /** What a standard was measured as. */
  value?: number;
}

/** One job to run: commands in order, under one time budget. */
export interface PlannedJob {
  name: string;
  stage: Stage;
  /** Empty for a standard that reads what another job printed. */
  commands: string[];
  /** Milliseconds; absent for no limit. */
  timeoutMs?: number;
  /** What asks for it beside `[jobs]` and `[scopes]`. */
  kind?: 'standard' | 'generated';
  /** The jobs that must pass before it runs, by name. */
  needs?: readonly string[];
  /** The job whose standard output it reads; that is kept apart then. */
  reads?: string;
  isRead?: boolean;
  /** The job whose whole output it reads. */
  readsAll?: string;
  /** What it declares of what it reads and leaves; only then may another result stand in for it. */
  evidence?: Evidence;
  /** A standard's own part of that. */
  measured?: MeasuredReuse;
  /** Judges by more than the exit code, once the job has ended. */
  judge?: (result: JobResult, judging: Judging) => Promise<JobResult>;
}

/** A job's time limit, to spread into it: its own, else the gate's; 0 is none. */
export function timeLimit(own: number | undefined, { config }: LoadedConfig): { timeoutMs?: number } {
  const seconds = own ?? config.gate.timeout;
  return seconds > 0 ? { timeoutMs: seconds * 1000 } : {};
}

/** What a judge may look at and run. */
export interface Judging {
  /** The jobs that have ended, by name. */
  ran: ReadonlyMap<string, JobResult>;
  root: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** When an earlier measurement may stand in for one, and what becomes of it then. */
export interface MeasuredReuse {
  /** Names what is measured and how. */
  measure: string;
  holds: (value: number) => boolean;
  stoodIn: (value: number, commit: string) => void;
}
