import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Standard } from '../../contract/config.ts';
import { exists } from '../files/files.ts';
import { stdoutOf } from '../jobs/job.ts';
import type { JobResult, Judging } from '../jobs/planned-job.ts';
import { jobNamed } from '../jobs/selectors.ts';
import { runCommand } from '../process/shell.ts';

/** Where a standard's metric was printed. */
export interface Printed {
  /** Absent where nothing could be read. */
  outputPath?: string;
  /** Why there may be no metric in it, in words that follow a colon. */
  problem?: string;
  cancelled?: boolean;
}

/**
 * Finds what a standard is read from: its own output or its producer's, or what its `extract` prints, which gets that
 * output, or the artifact, on its standard input. Extracting has the standard's own time limit.
 */
export async function printedBy(
  standard: Standard,
  { step }: JobResult,
  { ran, root, env, signal }: Judging,
): Promise<Printed> {
  const { producer, extract, artifact, timeout = 0 } = standard;
  const made = producer === undefined ? step : ran.get(jobNamed(producer))?.step;
  if (made?.output_path === undefined)
    return { problem: `${producer ?? standard.name} printed nothing here` };
  if (!extract) return { outputPath: made.output_path };
  const stdinPath = artifact === undefined ? stdoutOf(made.output_path) : join(root, artifact);
  if (artifact !== undefined && !(await exists(stdinPath))) {
    return { problem: `${artifact}, which it is extracted from, was not made` };
  }
  const outputPath = (step.output_path ?? made.output_path).replace(/(?:\.log)?$/, '.extract.log');
  await writeFile(outputPath, '');
  const until = performance.now() + timeout * 1000;
  for (const command of extract) {
    const timeoutMs = timeout > 0 ? Math.max(1, until - performance.now()) : undefined;
    const result = await runCommand(command, { cwd: root, env, outputPath, stdinPath, timeoutMs, signal });
    if (result.ended === 'cancelled') return { outputPath, cancelled: true };
    if (result.ended) return { outputPath, problem: 'its extract ran out of time' };
    if (result.exitCode !== 0) {
      return { outputPath, problem: `its extract failed (exit code ${result.exitCode ?? 'none'})` };
    }
  }
  return { outputPath };
}
