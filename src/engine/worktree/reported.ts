import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Phase } from '../../contract/verbs-worktree.ts';
import { readBounded } from '../files/bounded-file.ts';
import { writeFileAtomic } from '../files/files.ts';
import { phaseIn, type ReportedPhase, type ReportedTodos, todosIn } from './reported-words.ts';

/** Bytes that are read of what an agent wrote. */
const MOST_PHASE = 8 * 1024;
const MOST_TODO = 256 * 1024;

/** Where an agent says which phase its work is in, and what there is to do: in the checkout's own git directory, with which it goes. */
export const phaseFile = (gitDir: string) => join(gitDir, 'discern-phase');
export const todoFile = (gitDir: string) => join(gitDir, 'discern-todo');

/** The variables that name these files to whatever works in the checkout. */
export const reportedVariables = (gitDir: string): Record<string, string> => ({
  DISCERN_PHASE_FILE: phaseFile(gitDir),
  DISCERN_TODO_FILE: todoFile(gitDir),
});

/** Why a report that is there is not taken for one, in words that begin with its file. */
type Reported<Value> = { value?: Value; at?: string; problem?: string };

/** What a worktree's agent reported as its phase. What it wrote is read as a stranger's: a small regular file and no link. */
export async function readPhase(gitDir: string): Promise<{ phase?: Phase; problem?: string }> {
  const { value, at = '', problem } = await reported(phaseFile(gitDir), MOST_PHASE, phaseIn);
  return { ...(value && { phase: { ...value, at } }), ...(problem !== undefined && { problem }) };
}

/** What a worktree's agent reported as its to-dos, under the same conditions. */
export const readTodos = (gitDir: string): Promise<Reported<ReportedTodos>> =>
  reported(todoFile(gitDir), MOST_TODO, todosIn);

async function reported<Value>(
  path: string,
  most: number,
  read: (text: string) => Value | undefined,
): Promise<Reported<Value>> {
  const found = await readBounded(path, most, { links: false });
  if (found === undefined) return {};
  if ('problem' in found) return { problem: `${path} ${found.problem}, so nothing in it counts.` };
  const value = read(found.text);
  if (value === undefined) {
    return found.text.trim() === '' ? {} : { problem: `${path} holds nothing that can be read.` };
  }
  return { value, at: new Date(found.changed).toISOString() };
}

/** Writes the phase where an agent would; `undefined` takes it away. */
export async function writePhase(gitDir: string, phase: ReportedPhase | undefined): Promise<void> {
  const path = phaseFile(gitDir);
  if (phase === undefined) await rm(path, { force: true });
  else await writeFileAtomic(path, `${JSON.stringify(phase)}\n`);
}
