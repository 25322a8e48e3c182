import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Finding } from '../../contract/data.ts';
import { scrubbedEnv } from '../process/env.ts';
import { programOnPath } from '../process/program.ts';
import type { Repository } from '../repository/repository.ts';
import { PRUNE } from '../state/remedies.ts';
import { fine, warn } from './finding.ts';

/** How long the worktrees may take to be weighed, in milliseconds. */
const PATIENCE_MS = 10_000;
const MOST_NAMED = 3;
const GIB = 1024 ** 3;

/**
 * What the linked worktrees weigh on disk, the heaviest first, and whether another one like them still fits. Blocks that files
 * share by hard links count once; of blocks shared by a reflink the file system says nothing to a stranger, so they count for each.
 */
export async function weight(repo: Repository, signal: AbortSignal): Promise<Finding[]> {
  const linked = repo.worktrees.slice(1).filter(({ prunable, bare }) => prunable === undefined && !bare);
  const free = await freeAt(repo.commonDir);
  const room = `${sizeText(free)} are free`;
  if (linked.length === 0) return [];
  const weights = await weigh(
    linked.map(({ path }) => path),
    signal,
  );
  if (typeof weights === 'string') return [fine('disk', `${weights}; ${room}.`)];
  const heaviest = weights.toSorted((a, b) => b.bytes - a.bytes);
  const total = weights.reduce((sum, { bytes }) => sum + bytes, 0);
  const named = heaviest
    .slice(0, MOST_NAMED)
    .map(({ path, bytes }) => `${basename(path)} ${sizeText(bytes)}`);
  const number = weights.length === 1 ? 'One worktree takes' : `${weights.length} worktrees take`;
  const what = `${number} ${sizeText(total)} (${named.join(', ')}); ${room}.`;
  const needed = Math.max(GIB, heaviest[0]?.bytes ?? 0);
  return free >= needed
    ? [fine('disk', what)]
    : [
        warn(
          'disk',
          what,
          `Drop worktrees that are done ("discern drop <worktree>", "${PRUNE}"), or delete what can be built again in them, before a job meets a full disk.`,
        ),
      ];
}

/** The bytes a user may still write where the repository lies (statvfs(3)). */
async function freeAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** What each directory takes, by du(1), which is much faster than we could be; why not, in words, where that cannot be told. */
function weigh(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<{ path: string; bytes: number }[] | string> {
  const program = programOnPath('du', process.env.PATH, true);
  if (program === undefined) return Promise.resolve('What worktrees take is not known: there is no du here');
  return new Promise((resolve) => {
    execFile(
      program,
      ['-s', '-k', '--', ...paths],
      {
        cwd: dirname(paths[0] ?? '/'),
        env: scrubbedEnv(),
        timeout: PATIENCE_MS,
        killSignal: 'SIGKILL',
        signal,
      },
      (error, stdout) => {
        // It ends with 1 when it may not read a directory, and has counted all others.
        const counted = parse(stdout);
        if (counted.length > 0 && !error?.killed) resolve(counted);
        else
          resolve(
            `What ${paths.length} worktrees take could not be counted in ${PATIENCE_MS / 1000} seconds`,
          );
      },
    );
  });
}

/** The lines of `du -k`: kibibytes, a tab, the path as it was given. */
const parse = (stdout: string) =>
  stdout.split('\n').flatMap((line) => {
    const [, kib, path] = /^(\d+)\t(.+)$/.exec(line) ?? [];
    return kib === undefined || path === undefined ? [] : [{ path, bytes: Number(kib) * 1024 }];
  });

/** A size as a person says it. */
const sizeText = (bytes: number): string =>
  bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.ceil(bytes / 1024 ** 2)} MiB`;
