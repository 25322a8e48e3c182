import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Drift } from '../../contract/data.ts';
import { worktreePatch } from '../git/diff.ts';
import { readStatus, type TreeStatus } from '../git/status.ts';
import type { JobResult } from './job.ts';

/** How much of a patch a drift entry carries, in bytes, and how many files are named. */
const PATCH_LIMIT = 4_000;
const FILE_LIMIT = 50;

/** A path our clock and the file system's may disagree by, in milliseconds. */
const CLOCK_SLACK_MS = 20;

/**
 * Watches for a strand: a tracked file that was clean when the run began and that a job changed, so that what was judged
 * is not what is committed (contract §6).
 */
export class DriftWatch {
  readonly #top: string;
  readonly #known: Set<string>;
  #seen = 0;

  constructor(top: string, start: TreeStatus) {
    this.#top = top;
    this.#known = new Set([...start.staged, ...start.unstaged]);
  }

  /** The files that changed since the last look, each with the stage whose job was running when it was written. */
  async look(jobs: readonly JobResult[]): Promise<Drift[]> {
    const status = await readStatus(this.#top, { untracked: 'no' });
    const changed = [...new Set([...status.staged, ...status.unstaged])].filter(
      (path) => !this.#known.has(path),
    );
    const drift: Drift[] = [];
    for (const file of changed) {
      this.#known.add(file);
      if (this.#seen++ >= FILE_LIMIT) continue;
      drift.push({
        file,
        stage: await this.#stageOf(file, jobs),
        diff: await worktreePatch(this.#top, [file], PATCH_LIMIT),
      });
    }
    return drift;
  }

  /** By the file's time stamp; a file that is gone left its stamp on its directory. */
  async #stageOf(file: string, jobs: readonly JobResult[]): Promise<Drift['stage']> {
    const path = join(this.#top, file);
    const found =
      (await stat(path).catch(() => undefined)) ?? (await stat(dirname(path)).catch(() => undefined));
    const at = found?.mtimeMs ?? 0;
    const running = jobs.filter((job) => at >= job.from - CLOCK_SLACK_MS && at <= job.to + CLOCK_SLACK_MS);
    const stage = (running.at(-1) ?? jobs.at(-1))?.step.stage ?? 'fix';
    return stage === 'setup' ? 'fix' : stage;
  }
}
