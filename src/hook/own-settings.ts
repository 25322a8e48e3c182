import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isObject } from '../contract/values.ts';

/** `worktree` in Claude Code's settings, as far as it decides what a worktree is like. */
export interface WorktreeSettings {
  baseRef: 'fresh' | 'head';
  sparsePaths: string[];
  symlinkDirectories: string[];
}

/** The settings of the user, the project and this checkout, the last word last; lists add up. A file that cannot be read says nothing. */
export async function ownSettings(main: string, env: NodeJS.ProcessEnv): Promise<WorktreeSettings> {
  const named = env.CLAUDE_CONFIG_DIR;
  const home = named !== undefined && isAbsolute(named) ? named : join(homedir(), '.claude');
  const files = [
    join(home, 'settings.json'),
    join(main, '.claude', 'settings.json'),
    join(main, '.claude', 'settings.local.json'),
  ];
  const settings: WorktreeSettings = { baseRef: 'fresh', sparsePaths: [], symlinkDirectories: [] };
  for (const file of files) {
    const { baseRef, sparsePaths, symlinkDirectories } = await worktreeIn(file);
    if (baseRef === 'head' || baseRef === 'fresh') settings.baseRef = baseRef;
    settings.sparsePaths.push(...strings(sparsePaths));
    settings.symlinkDirectories.push(...strings(symlinkDirectories));
  }
  return settings;
}

async function worktreeIn(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    const value: unknown = JSON.parse(text);
    const worktree = isObject(value) ? value.worktree : undefined;
    return isObject(worktree) ? worktree : {};
  } catch {
    // Claude Code itself tells of settings that are no JSON, and goes on without them.
    return {};
  }
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
