import type { Diagnostic, Step } from '../../contract/envelope.ts';
import type { Context } from '../context.ts';
import { runJob } from '../gate/job.ts';
import { newRunDir, outputFile } from '../gate/run-dir.ts';
import { jobEnv } from '../job-env.ts';
import type { Repository } from '../repository.ts';

export interface SetupCommand {
  /** Where discern.toml says it, such as `worktree.setup.steps[0]`. */
  name: string;
  command: string;
}

export interface SetupResult {
  steps: Step[];
  diagnostics: Diagnostic[];
  hints: string[];
  /** The command that failed; what follows it did not run. */
  failed?: string;
}

const numbered = (section: string, commands: readonly string[]): SetupCommand[] =>
  commands.map((command, index) => ({ name: `${section}[${index}]`, command }));

/** Commands that run on every pass: the repository's, then the worktree's own (contract §5, §7). */
export function ensureCommands(repo: Repository): SetupCommand[] {
  const { repository, worktree } = repo.config.config;
  return [
    ...numbered('repository.ensure', repository.ensure),
    ...numbered('worktree.setup.ensure', worktree.setup.ensure),
  ];
}

/** Commands that run once, when the worktree is made, before the ensures. */
export function stepCommands(repo: Repository): SetupCommand[] {
  return numbered('worktree.setup.steps', repo.config.config.worktree.setup.steps);
}

/** Runs setup commands in order in the checkout's root, until one fails. The gate's time limit holds for each. */
export async function runSetup(
  repo: Repository,
  commands: readonly SetupCommand[],
  verb: string,
  ctx: Context,
): Promise<SetupResult> {
  const result: SetupResult = { steps: [], diagnostics: [], hints: [] };
  if (commands.length === 0) return result;
  const env = await jobEnv(repo);
  const runDir = await newRunDir(repo.commonDir, `${verb}-setup`);
  const { timeout } = repo.config.config.gate;
  for (const [index, { name, command }] of commands.entries()) {
    const outputPath = outputFile(runDir, name, index);
    ctx.emit({ type: 'job_started', job: name, stage: 'setup', output_path: outputPath });
    const job = {
      name,
      stage: 'fix' as const,
      commands: [command],
      ...(timeout > 0 && { timeoutMs: timeout * 1000 }),
    };
    const ran = await runJob(job, { root: repo.root, env, outputPath, signal: ctx.signal });
    const step: Step = { ...ran.step, stage: 'setup' };
    result.steps.push(step);
    result.diagnostics.push(...ran.diagnostics);
    result.hints.push(...ran.hints);
    ctx.emit({
      type: 'job_finished',
      job: name,
      stage: 'setup',
      outcome: step.outcome,
      duration_ms: step.duration_ms,
      done: index + 1,
      jobs: commands.length,
    });
    if (step.outcome !== 'passed') return { ...result, failed: command };
  }
  return result;
}
