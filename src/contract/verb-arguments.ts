import * as z from 'zod';

/** The `path` of a verb that acts on the held root without it. */
export const path = z.string().optional().describe('Another checkout.');

export const dryRun = z.boolean().optional().describe('Preview.');
