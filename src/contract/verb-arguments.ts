import * as z from 'zod';

/** The `path` of a verb that acts on the held root without it. */
export const path = z
  .string()
  .optional()
  .describe('Any directory of the project to act on, absolute. Leave out to act on the held root.');

export const dryRun = z.boolean().optional().describe('Only say what would happen.');
