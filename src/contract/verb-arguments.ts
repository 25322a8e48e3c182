import * as z from 'zod';

/** The `path` of a verb that acts on the held root without it. */
export const path = z
  .string()
  .optional()
  .describe('Act on another checkout: any directory in it, absolute. Default: the held root.');

export const dryRun = z.boolean().optional().describe('Preview only.');
