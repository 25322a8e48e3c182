import { join } from 'node:path';
import * as z from 'zod';
import type { Step } from '../../contract/envelope.ts';
import { Refusal } from '../call/refusal.ts';
import { errnoOf } from '../files/errno.ts';
import { stateDir } from '../files/files.ts';
import type { Repository } from '../repository/repository.ts';
import { addLines, parseLine, readGrown } from '../state/grown-file.ts';

/** One run: when, where and how it went; names and times, no code and no output. */
const Entry = z.object({
  at: z.string(),
  verb: z.string(),
  project: z.string().describe('Its directory below the git top.'),
  root: z.string(),
  branch: z.string().nullable(),
  commit: z.string(),
  outcome: z.string().describe('`passed`, or why not.'),
  duration_ms: z.number(),
  waited_ms: z.number().optional().describe('For a test slot.'),
  tests_ms: z.number().optional().describe('How long it held one.'),
  jobs: z.array(
    z.object({
      name: z.string(),
      outcome: z.string(),
      duration_ms: z.number(),
      reused: z.boolean().optional(),
    }),
  ),
});
export type Entry = z.infer<typeof Entry>;

/** Bytes the file may have before its older half is let go. */
const LARGEST = 512 * 1024;
/** How many jobs one entry names. */
const MOST_JOBS = 100;
/** Of how many runs the middle one says how long tests take. */
const CONSIDERED = 5;

const logbookPath = ({ commonDir }: Pick<Repository, 'commonDir'>) =>
  join(stateDir(commonDir), 'logbook.jsonl');

const isKept = ({ config }: Pick<Repository, 'config'>) => config.config.project.record_logbook !== false;

/** What is written down of the runs of all worktrees, oldest first. */
export async function readLogbook(repo: Pick<Repository, 'commonDir'>): Promise<Entry[]> {
  const lines = (await readGrown(logbookPath(repo), LARGEST)).split('\n');
  return lines.flatMap((line) => Entry.safeParse(parseLine(line)).data ?? []);
}

/** What a run came to, as far as the logbook has it. */
export interface Logged {
  verb: string;
  began: number;
  error?: string | undefined;
  steps: readonly Step[];
  /** How long it waited for a test slot, and held one, in milliseconds. */
  spent: { waited: number; held: number };
}

/**
 * Writes a run down, unless `[project].record_logbook` is false. Answers what a person should know, in sentences: a run is as
 * green or red where it cannot be written down.
 */
export async function logRun(
  repo: Repository,
  { verb, began, error, steps, spent }: Logged,
): Promise<string[]> {
  if (!isKept(repo)) return [];
  const { waited, held } = spent;
  const entry: Entry = {
    at: new Date(began).toISOString(),
    verb,
    project: repo.prefix,
    root: repo.root,
    branch: repo.branch,
    commit: repo.commit,
    outcome: error ?? 'passed',
    duration_ms: Math.round(Date.now() - began),
    ...(waited > 0 && { waited_ms: waited }),
    ...(held > 0 && { tests_ms: held }),
    jobs: steps.slice(0, MOST_JOBS).map(({ name, outcome, duration_ms, reused }) => ({
      name,
      outcome,
      duration_ms,
      ...(reused && { reused: true }),
    })),
  };
  try {
    await addLines(logbookPath(repo), [JSON.stringify(entry)], LARGEST);
    return [];
  } catch (problem) {
    if (!Refusal.is(problem) && errnoOf(problem) === undefined) throw problem;
    return [`The run was not written into the logbook: ${(problem as Error).message}`];
  }
}

/** How long the test runs of a project take, in milliseconds, by the last few; `undefined` where none is known. */
export const usualTestTime = (repo: Repository): Promise<number | undefined> =>
  usual(repo, ({ tests_ms: time }) => time);

/** How long its whole gate takes, as `done` runs it. */
export const usualGateTime = (repo: Repository): Promise<number | undefined> =>
  usual(repo, ({ verb, outcome, duration_ms: time }) =>
    verb === 'done' && outcome === 'passed' ? time : undefined,
  );

/** The middle one of the last few runs' times. */
async function usual(
  repo: Repository,
  timeOf: (entry: Entry) => number | undefined,
): Promise<number | undefined> {
  if (!isKept(repo)) return undefined;
  const entries = await readLogbook(repo).catch((problem: unknown) => {
    // What cannot be read gives no estimate; whoever writes it says why.
    if (Refusal.is(problem) || errnoOf(problem) !== undefined) return [];
    throw problem;
  });
  const times = entries
    .flatMap((entry) => (entry.project === repo.prefix ? (timeOf(entry) ?? []) : []))
    .slice(-CONSIDERED)
    .sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)];
}
