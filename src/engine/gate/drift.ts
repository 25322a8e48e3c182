import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Generated } from '../../contract/config.ts';
import type { Drift } from '../../contract/data.ts';
import type { Diagnostic } from '../../contract/envelope.ts';
import { worktreePatch } from '../git/diff.ts';
import { readStatus, type TreeStatus } from '../git/status.ts';
import { generatedJob, generatedOwner } from '../jobs/generated.ts';
import type { JobResult } from '../jobs/planned-job.ts';
import { insideProject } from '../jobs/scopes.ts';
import type { Repository } from '../repository/repository.ts';
import { shellQuoted } from '../words/shell-word.ts';

/** How much of a patch a drift entry carries and all entries together, in bytes, and how many files are named. */
const PATCH_LIMIT = 4_000;
const PATCHES_LIMIT = 32_000;
const FILE_LIMIT = 50;

/** What our clock and the one files are stamped with may differ by, in milliseconds. */
const CLOCK_SLACK_MS = 20;

type Watched = Pick<Repository, 'root' | 'top' | 'prefix' | 'commit'>;

/**
 * Watches for a strand: a tracked file that was clean when the run began and that a job changed, so that what was judged
 * is not what is committed (contract §6). Of generated files it also sees those that were being edited already and those
 * that are new, once a generator has run.
 */
export class DriftWatch {
  readonly #repo: Watched;
  readonly #known: Set<string>;
  readonly #ownerOf: (path: string) => Generated | undefined;
  /** The generated files that were pending at the start, each with a digest of its bytes. */
  readonly #pending: ReadonlyMap<string, string>;
  #named = 0;
  #budget = PATCHES_LIMIT;
  /** How many files changed beyond those that were named. */
  unnamed = 0;
  /** What the last look saw, when it was a whole one. */
  after: TreeStatus | undefined;

  private constructor(
    repo: Watched,
    known: Set<string>,
    ownerOf: (path: string) => Generated | undefined,
    pending: ReadonlyMap<string, string>,
  ) {
    this.#repo = repo;
    this.#known = known;
    this.#ownerOf = ownerOf;
    this.#pending = pending;
  }

  /** Begins to watch. With generated groups the status must name every untracked file. */
  static async open(
    repo: Watched,
    start: TreeStatus,
    groups: readonly Generated[] = [],
  ): Promise<DriftWatch> {
    // An untracked file that a job adds to the index was not committed either.
    const known = new Set([...start.staged, ...start.unstaged, ...start.untracked]);
    const ownerOf = generatedOwner(groups);
    const owned = [...known].filter((path) => ownerOf(insideProject(repo, path) ?? '') !== undefined);
    const pending = new Map(
      await Promise.all(owned.map(async (path) => [path, await bytesOf(join(repo.top, path))] as const)),
    );
    return new DriftWatch(repo, known, ownerOf, pending);
  }

  /**
   * The files that changed since the last look, each with the stage whose job was running when it was written. A `whole`
   * look sees untracked files too, and is kept as `after`.
   */
  async look(jobs: readonly JobResult[], options: { whole: boolean }): Promise<Drift[]> {
    const { root, top, commit } = this.#repo;
    const ran = new Set(jobs.map(({ step }) => step.name));
    const generated = [...ran].some((name) => name.startsWith(generatedJob('')));
    const status = await readStatus(top, {
      untracked: generated ? 'all' : options.whole ? 'normal' : 'no',
      commit,
    });
    this.after = options.whole ? status : undefined;
    const untracked = new Set(status.untracked);
    const drift: Drift[] = [];
    for (const path of new Set([...status.staged, ...status.unstaged, ...untracked])) {
      const owner = generated ? this.#ownerOf(insideProject(this.#repo, path) ?? '') : undefined;
      if (!owner && untracked.has(path)) continue;
      if (this.#known.has(path) && !(owner && (await this.#rewritten(path)))) continue;
      this.#known.add(path);
      if (this.#named >= FILE_LIMIT) {
        this.unnamed++;
        continue;
      }
      this.#named++;
      drift.push({
        file: relative(root, join(top, path)).split(sep).join('/'),
        stage: owner ? 'build' : stageAt(await changedAt(join(top, path)), jobs),
        diff: untracked.has(path) ? '[a new file, not committed]' : await this.#patch(path),
        ...(owner && { generated: owner.name }),
      });
    }
    return drift;
  }

  /** True for a pending generated file whose bytes are no longer those it had at the start. */
  async #rewritten(path: string): Promise<boolean> {
    const before = this.#pending.get(path);
    return before !== undefined && before !== (await bytesOf(join(this.#repo.top, path)));
  }

  async #patch(path: string): Promise<string> {
    if (this.#budget <= 0) return '[left out: the patches before it are long enough]';
    const patch = await worktreePatch(this.#repo.top, [path], Math.min(PATCH_LIMIT, this.#budget));
    this.#budget -= patch.length;
    return patch;
  }
}

/** A digest of a file's bytes; empty for what cannot be read as a file. */
async function bytesOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined ? '' : createHash('sha256').update(bytes).digest('hex');
}

/**
 * When a path was last changed, in milliseconds since 1970. The change time, since a chmod or a write that sets the
 * modification time back shows only there; what is gone left its stamp on the directory it was in.
 */
async function changedAt(path: string): Promise<number> {
  let found: Stats | undefined;
  for (let at = path; !found && dirname(at) !== at; at = dirname(at)) {
    found = await lstat(at).catch(() => undefined);
  }
  return found?.ctimeMs ?? 0;
}

/** The stage of the job that ran at that time; of several that of the shortest, whose doing it is likeliest to be. */
function stageAt(time: number, jobs: readonly JobResult[]): Drift['stage'] {
  const running = jobs
    .filter((job) => time >= job.from - CLOCK_SLACK_MS && time <= job.to + CLOCK_SLACK_MS)
    .sort((a, b) => a.to - a.from - (b.to - b.from));
  const stage = (running[0] ?? jobs.at(-1))?.step.stage ?? 'fix';
  return stage === 'setup' ? 'fix' : stage;
}

/** A path for a sentence: one with control characters is escaped, so that it stays on its line. */
export function shown(path: string): string {
  return /[\0-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path;
}

/** A drift as a finding; of a generated file with the commands that make it. */
export function driftDiagnostic(drift: Drift, groups: readonly Generated[] = []): Diagnostic {
  const group = groups.find((one) => one.name === drift.generated);
  if (group) {
    return {
      tool: generatedJob(group.name),
      severity: 'error',
      message: `${shown(drift.file)} is not what [generated.${group.name}] makes of this tree.`,
      reproduce_cmd: group.run.join(' && '),
      file: drift.file,
      rule: 'generated_drift',
      output: drift.diff,
    };
  }
  return {
    tool: 'discern',
    severity: 'error',
    message: `A ${drift.stage} job changed ${shown(drift.file)}, which was committed and clean.`,
    reproduce_cmd: diffCommand(drift.file),
    file: drift.file,
    output: drift.diff,
  };
}

/** The command that shows a file's change, as a POSIX shell reads it. */
function diffCommand(file: string): string {
  if (/^[\w./@%+=-]+$/.test(file)) return `git diff HEAD -- ${file}`;
  // A name that is no UTF-8 cannot be written down here; git shows it among the others.
  if (/^".*\\[0-7]{3}.*"$/s.test(file)) return 'git diff HEAD';
  return `git --literal-pathspecs diff HEAD -- ${shellQuoted(file)}`;
}
