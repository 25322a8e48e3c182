import * as z from 'zod';
import { Commands, evidence, Filled, Globs, InsideProject, Selector, Timeout } from './config-values.ts';

/** What `per` may measure. */
export const extents = ['files', 'lines', 'words', 'bytes'] as const;
export type Extent = (typeof extents)[number];

const Pathspecs = z.union([Filled, Globs.min(1)], { error: 'a path or a list of paths' });

const standardKeys = {
  metric: Filled.exactOptional().describe('The metric the run prints; the name of the standard if left out.'),
  direction: z.enum(['up', 'down']).describe('up: the limit is a floor; down: it is a ceiling.'),
  limit: z.number().describe('The number that may only improve.'),
  run: Commands.exactOptional().describe(
    'Prints `DISCERN_METRIC <metric> <number>`; either this or producer.',
  ),
  producer: Selector.exactOptional().describe(
    'What prints it instead: `jobs.<name>`, `scopes.<name>.gate` …; it runs once.',
  ),
  extract: Commands.exactOptional().describe(
    'Reads that output, or the artifact, from its input and prints the metric.',
  ),
  artifact: InsideProject.exactOptional().describe(
    'A file of `artifacts` that extract reads in place of the output.',
  ),
  ...evidence,
  per: z
    .union(
      [
        Filled,
        z
          .strictObject({
            files: Pathspecs.exactOptional().describe('How many tracked files these paths have.'),
            lines: Pathspecs.exactOptional().describe('How many lines they have.'),
            words: Pathspecs.exactOptional().describe('How many words they have.'),
            bytes: Pathspecs.exactOptional().describe('How many bytes they have.'),
          })
          .meta({ minProperties: 1, maxProperties: 1 })
          .refine((per) => Object.keys(per).length === 1, {
            error: `must name exactly one of ${extents.join(', ')}`,
            when: ({ issues }) => issues.length === 0,
          }),
      ],
      { error: 'a metric or a table with one of files, lines, words, bytes' },
    )
    .exactOptional()
    .describe('Divide by this, so that the limit holds a rate: another metric, or an extent of paths.'),
  scale: z.number().default(1).describe('Multiply the rate by this.'),
  margin: z.number().min(0).default(0).describe('Headroom left when the limit is tightened.'),
  measure: z.enum(['gate', 'on-demand']).exactOptional().meta({
    deprecated: true,
    description: 'Older key: when it is measured. Every done measures it now, but for "on-demand".',
  }),
  timeout: Timeout.exactOptional(),
};

/** What no key alone can say: one source, and an artifact only for an extract. */
const oneSource = {
  oneOf: [
    { properties: { run: {} }, required: ['run'] },
    { properties: { producer: {} }, required: ['producer'] },
  ],
  dependencies: { artifact: ['extract'] },
};

type Sources = { run?: unknown; producer?: unknown; artifact?: unknown; extract?: unknown };
const isTable = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

const sourced = <Table extends z.ZodType<Sources>>(table: Table) =>
  table
    .meta(oneSource)
    .refine(({ run, producer }) => run !== undefined || producer !== undefined, {
      path: ['run'],
      error: 'a command or a list of commands, or else producer',
      when: isTable,
    })
    .refine(({ run, producer }) => run === undefined || producer === undefined, {
      path: ['producer'],
      error: 'stands beside run; keep one of them',
      when: isTable,
    })
    .refine(({ artifact, extract }) => artifact === undefined || extract !== undefined, {
      path: ['artifact'],
      error: 'needs an extract that reads it',
      when: isTable,
    });

export const StandardTable = sourced(z.strictObject(standardKeys));

/** Older `[ratchets.<name>]`: a standard whose direction may be left out. */
export const RatchetTable = sourced(
  z.strictObject({
    ...standardKeys,
    direction: z
      .enum(['up', 'down'])
      .default('up')
      .describe('up: the limit is a floor; down: it is a ceiling.'),
  }),
);
