import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Config } from '../../contract/config.ts';
import type { Finding } from '../../contract/data.ts';
import { scrubbedEnv } from '../process/env.ts';
import { fine, warn } from './finding.ts';

/** What a shell does itself, and words that begin a command of several parts (POSIX.1-2017, XCU 2.4 and 2.14). */
const ofTheShell = new Set([
  ...[
    'test',
    'echo',
    'printf',
    'cd',
    'true',
    'false',
    'exit',
    'export',
    'set',
    'unset',
    'eval',
    'exec',
    'read',
  ],
  ...[
    'command',
    'type',
    'trap',
    'umask',
    'wait',
    'ulimit',
    'alias',
    'pwd',
    'kill',
    'source',
    'env',
    'time',
    'local',
  ],
  ...['if', 'for', 'while', 'until', 'case', 'function'],
]);

/** The program a command begins with, where that is a bare name to be found on PATH. */
export function programOf(command: string): string | undefined {
  const [, name] =
    /^\s*(?:[A-Za-z_]\w*=\S*\s+)*!?\s*([A-Za-z0-9][\w.+-]*)(?=\s|$|;|&|\|)/.exec(command) ?? [];
  return name === undefined || ofTheShell.has(name) ? undefined : name;
}

/** Whether the programs the project's commands begin with are on the PATH that jobs get from this process. */
export async function tools({ jobs, worktree, repository }: Config): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const wanted = new Map<string, string>();
  const add = (by: string, commands: readonly string[]) => {
    for (const command of commands) {
      const program = programOf(command);
      if (program !== undefined && !wanted.has(program)) wanted.set(program, by);
    }
  };
  for (const { name, commands } of jobs) add(`job ${name}`, commands);
  add('[worktree.setup]', [...worktree.setup.steps, ...worktree.setup.ensure]);
  add('[repository].ensure', repository.ensure);
  const path = (scrubbedEnv().PATH ?? '').split(delimiter).filter((dir) => dir !== '');
  const missing: Finding[] = [];
  for (const [program, by] of wanted) {
    const found = await Promise.all(path.map((dir) => isRunnable(join(dir, program))));
    if (found.includes(true)) continue;
    missing.push(
      warn(
        'tools',
        `${by} runs ${program}, which is not on this process’s PATH.`,
        `Install ${program}, or start the host from a terminal in which "command -v ${program}" finds it.`,
      ),
    );
  }
  if (missing.length > 0 || wanted.size === 0) return missing;
  return [fine('tools', `On PATH: ${[...wanted.keys()].join(', ')}.`)];
}

const isRunnable = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
