import * as z from 'zod';

/** What a check of a pull request has come to. */
export const PullRequestCheck = z.strictObject({
  name: z.string(),
  state: z.enum(['passed', 'failed', 'pending', 'skipped']),
  url: z.string().optional(),
});
export type PullRequestCheck = z.infer<typeof PullRequestCheck>;

/** The pull request, or merge request, of a worktree's branch. */
export const PullRequest = z.strictObject({
  url: z.string(),
  number: z.number().int().optional(),
  forge: z.enum(['gh', 'glab', 'tea']).describe('The command line that opened it.'),
  remote: z.string(),
  base: z.string(),
  state: z.enum(['opened', 'updated', 'unchanged', 'merged']).describe('What this call did, or found.'),
  checks: z.array(PullRequestCheck).optional().describe('Absent where nothing tells of them yet.'),
});
export type PullRequest = z.infer<typeof PullRequest>;
