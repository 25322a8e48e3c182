import * as z from 'zod';

/** The `path` of a verb that acts on the held root without it. */
export const path = z.string().optional().describe('Another checkout.');

/** The `path` of a verb that is told a worktree: where an id or a branch is looked for first. */
export const projectPath = z.string().optional().describe('Its project.');

/** The worktree a verb is about, which is never where the caller stands. */
export const worktree = z.string().describe('Id, branch or absolute path.');

export const dryRun = z.boolean().optional().describe('Preview.');

/** On every answer about a worktree that was named: which it is. */
export const oneWorktree = {
  root: z.string().describe('The project root in it.'),
  branch: z.string().nullable().describe('Null on a detached HEAD.'),
  commit: z.string().describe('Empty before the first one.'),
  worktree: z.string().describe('Its git top.'),
  id: z.string().optional().describe('Absent of the main checkout.'),
};
