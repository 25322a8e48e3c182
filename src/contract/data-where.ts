import * as z from 'zod';

/** Where the caller stands, as far as evidence tells (contract §3). */
export const CallerStanding = z.strictObject({
  cwd: z.string(),
  evidence: z.string().describe('What says so.'),
  state: z
    .enum(['here', 'work', 'trunk', 'foreign', 'gone'])
    .describe(
      'here: in the checkout this answer is about; work: in another linked checkout of its repository; trunk: in the trunk’s checkout; foreign: in no checkout of this project; gone: the directory is no longer there.',
    ),
  root: z.string().optional().describe('The project root in that checkout.'),
});
export type CallerStanding = z.infer<typeof CallerStanding>;

/** On every root-operating answer: which checkout it speaks of. `branch` is null on a detached HEAD. */
export const where = {
  root: z.string().describe('The project root this answer is about: an absolute, symlink-free path.'),
  branch: z.string().nullable().describe('The branch checked out there; null on a detached HEAD.'),
  commit: z.string().describe('The commit HEAD names there.'),
  divergence: z
    .string()
    .optional()
    .describe('Nothing here is anyone’s work, and another checkout of the repository has some: which.'),
  caller: CallerStanding.optional().describe('Where the caller stands, when that is not here.'),
};
