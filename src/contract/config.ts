import * as z from 'zod';

/** The stages a job may declare, in the order the gate runs them. */
export const jobStages = ['fix', 'build', 'check', 'test'] as const;
export type JobStage = (typeof jobStages)[number];

/** The job names whose stage follows from the name. */
export const knownJobs = {
  format: 'fix',
  build: 'build',
  lint: 'check',
  typecheck: 'check',
  test: 'test',
  smoke: 'test',
} as const satisfies Record<string, JobStage>;

/** What `per` may measure. */
export const extents = ['files', 'lines', 'words', 'bytes'] as const;
export type Extent = (typeof extents)[number];

/** The names of jobs, scopes, standards, generated groups and resources. */
export const namePattern = /^[A-Za-z0-9_-]+$/;

const Text = z.string().regex(/^[^\x00]*$/, { error: 'holds a NUL character' });
const Filled = Text.regex(/\S/, { error: 'is empty' });
const InsideProject = Filled.regex(/^(?![/~\\]|[A-Za-z]:|\.git(?:\/|$))(?!(?:.*\/)?\.\.(?:\/|$))/s, {
  error: 'must be a file inside the project',
});
const Command = Filled.describe('A shell command, run in the project root.');
const Commands = z
  .union([Command, z.array(Command).min(1)], { error: 'a command or a list of commands' })
  .describe('One command, or a list run one after another.');
const CommandList = z.array(Command);
const Globs = z.array(Filled);
const Timeout = z.number().min(0).describe('Seconds, in place of [gate].timeout; 0 is no limit.');
const older = (now: string) => ({ deprecated: true, description: `Older spelling of ${now}.` });

export const ProjectTable = z.strictObject({
  name: Text.default('').describe('Name for people; empty stands for the slug.'),
  slug: Text.default('').describe('Short name for branches and directories; empty is derived.'),
  gotchas_doc: Text.exactOptional().describe('Where to look when a stage fails in an odd way.'),
  todo: Text.exactOptional().describe('The list of deferred work.'),
  logbook: z.boolean().exactOptional().describe('Not used here.'),
  agents: z.array(Text).exactOptional().describe('Not used here.'),
  main_branch: Text.exactOptional().meta(older('[repository].trunk')),
  graduate_to: Text.exactOptional().meta(older('[repository].trunk')),
  branch_prefix: Text.exactOptional().meta(older('[repository].branch_prefix')),
});

export const RepositoryTable = z.strictObject({
  trunk: Text.exactOptional().describe('The branch finished work lands on; empty is found out.'),
  branch_prefix: Text.default('agent/').describe('What the names of new branches begin with.'),
  ensure: CommandList.default([]).describe('Commands that make any checkout ready; run again and again.'),
  proof_notes: Text.exactOptional().describe('Not used here.'),
});

export const KnownJob = z.union(
  [
    Command,
    z.array(Command).min(1),
    z.strictObject({
      run: Commands,
      timeout: Timeout.exactOptional(),
      stage: z
        .never({ error: 'must not be declared: the stage of a known job follows from its name' })
        .exactOptional()
        .describe('Not for a known job: its stage follows from its name.'),
    }),
  ],
  { error: 'a command, a list of commands or { run, timeout }' },
);

export const CustomJob = z.strictObject({
  stage: z.enum(jobStages).describe('When the gate runs it.'),
  run: Commands,
  provides: Text.exactOptional().describe('What it stands for, in words.'),
  timeout: Timeout.exactOptional(),
});

export const ScopeTable = z.strictObject({
  paths: Globs.min(1).describe('Globs of the paths that belong to it.'),
  neutral: z.boolean().default(false).describe('A change here needs no gate.'),
  previewable: z.boolean().default(false).describe('A person could see a change here.'),
  preview: Text.exactOptional().describe('A command that shows it; makes the scope previewable.'),
  gate: Commands.exactOptional().describe('What to run when something in the scope changed.'),
  timeout: Timeout.exactOptional(),
});

const Pathspecs = z.union([Filled, Globs.min(1)], { error: 'a path or a list of paths' });

export const StandardTable = z.strictObject({
  metric: Filled.exactOptional().describe('The metric the run prints; the name of the standard if left out.'),
  direction: z.enum(['up', 'down']).describe('up: the limit is a floor; down: it is a ceiling.'),
  limit: z.number().describe('The number that may only improve.'),
  run: Commands.describe('Prints `DISCERN_METRIC <metric> <number>`.'),
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
  measure: z.enum(['gate', 'on-demand']).exactOptional().describe('When it is measured.'),
  inputs: Globs.exactOptional().describe('Globs of the paths the metric reads.'),
  timeout: Timeout.exactOptional(),
});

export const GeneratedTable = z.strictObject({
  paths: Globs.describe('Globs of the files the generator owns.'),
  run: Commands.describe('Writes those files anew.'),
  linguist_generated: z.boolean().exactOptional().describe('Not used here.'),
  timeout: Timeout.exactOptional(),
});

export const GateTable = z.strictObject({
  fail_fast: z.boolean().default(true).describe('Stop the other jobs once one has failed.'),
  timeout: z.number().min(0).default(600).describe('Seconds any one job may take; 0 is no limit.'),
  stream: z.boolean().exactOptional().describe('Not used here.'),
  concurrent_test_runs: z.int().min(0).exactOptional().describe('Not used here.'),
});

export const SetupTable = z.strictObject({
  steps: CommandList.default([]).describe('Commands run once, when a worktree was made.'),
  ensure: CommandList.default([]).describe('Commands run when a worktree was made, and after each update.'),
});

export const ResourceTable = z.strictObject({
  create: Text.default('').describe('Command that makes the resource; empty does nothing.'),
  destroy: Text.default('').describe('Command that removes it; empty does nothing.'),
  ensure: Text.default('').describe('Command that checks it and makes it ready again; empty does nothing.'),
  required: z.boolean().default(true).describe('False: a failed create or destroy is only told.'),
  retries: z
    .int()
    .min(0)
    .default(0)
    .describe('How often a failed command of it is tried again; at most 5 times.'),
  gc: z.boolean().default(true).describe('False: only accept, or a drop of its worktree, destroys it.'),
});

const named = <Table extends z.ZodType>(table: Table, what: string) =>
  z.record(z.string().regex(namePattern), table.describe(what));

export const WorktreeTable = z.strictObject({
  root: Text.default('').describe('Where worktrees go; empty is `<repo>.worktrees` beside it.'),
  port: z.boolean().default(false).describe('Write each worktree’s own id and port into its env file.'),
  inherit_env: z.array(Filled).default([]).describe('Variables copied from the landing checkout.'),
  env_files: z
    .array(InsideProject)
    .default(['.env', '.env.local'])
    .describe(
      'Read from first to last, the last that defines a variable wins; a new one goes into the first.',
    ),
  ignored_file_drift: z.boolean().exactOptional().describe('Not used here.'),
  setup: SetupTable.prefault({}).describe('Commands that make a new worktree ready, after its resources.'),
  resources: named(ResourceTable, 'Something outside the checkout that one worktree owns.')
    .exactOptional()
    .describe('What each worktree owns outside its checkout, as a database; one table each.'),
  branch_prefix: Text.exactOptional().meta(older('[repository].branch_prefix')),
  graduate_to: Text.exactOptional().meta({
    deprecated: true,
    description: 'Older key, of no effect: accept lands on the trunk.',
  }),
});

/** Older `[checks.<name>]`: a custom job whose stage may be left out. */
export const CheckTable = CustomJob.extend({
  stage: z.enum(jobStages).default('check').describe('When the gate runs it.'),
});

/** Older `[ratchets.<name>]`: a standard whose direction may be left out. */
export const RatchetTable = StandardTable.extend({
  direction: z
    .enum(['up', 'down'])
    .default('up')
    .describe('up: the limit is a floor; down: it is a ceiling.'),
});

const known = (what: string) => KnownJob.exactOptional().describe(what);

/** Older `[capabilities]`: the known jobs, and nothing else. */
export const CapabilitiesTable = z.strictObject({
  format: known('Fix stage: rewrites files, as a formatter does. Run first, one after another.'),
  build: known('Build stage: makes what the later stages read.'),
  lint: known('Check stage: reads the code and changes nothing.'),
  typecheck: known('Check stage: checks types and changes nothing.'),
  test: known('Test stage: the test suite.'),
  smoke: known('Test stage: a quick sign that the program runs at all.'),
});

/**
 * The shape of `discern.toml` (the published v1 format), as its author writes it. Tables that are not
 * named here belong to others and are left alone.
 */
export const ConfigFile = z.looseObject({
  project: ProjectTable.exactOptional().describe('Names of the project.'),
  repository: RepositoryTable.exactOptional().describe('What holds in every checkout of the repository.'),
  jobs: z
    .object(CapabilitiesTable.shape)
    .catchall(CustomJob.describe('A job of the project’s own.'))
    .meta({ propertyNames: { pattern: namePattern.source } })
    .exactOptional()
    .describe(
      'What the gate runs. format, build, lint, typecheck, test and smoke have their stage by name; any other name needs a table with stage and run.',
    ),
  scopes: named(ScopeTable, 'A region of the repository.')
    .exactOptional()
    .describe('Regions of the repository, one table each. A changed path in no scope counts as code.'),
  standards: named(StandardTable, 'A number that may only improve.')
    .exactOptional()
    .describe('Numbers that may only improve, one table each.'),
  generated: named(GeneratedTable, 'Files one generator owns.')
    .exactOptional()
    .describe('Committed files that a generator writes, one table for each generator.'),
  gate: GateTable.exactOptional().describe('How the gate runs.'),
  worktree: WorktreeTable.exactOptional().describe('How worktrees are made.'),
  capabilities: CapabilitiesTable.exactOptional().meta(older('[jobs]')),
  checks: named(CheckTable, 'A job of the check stage.').exactOptional().meta(older('[jobs.<name>]')),
  ratchets: named(RatchetTable, 'A number that may only improve.')
    .exactOptional()
    .meta(older('[standards.<name>]')),
});

/** One job of the gate. */
export interface Job {
  name: string;
  stage: JobStage;
  /** Run one after another; never empty. */
  commands: string[];
  /** Seconds, in place of the gate's; 0 is no limit. */
  timeout?: number;
  provides?: string;
}

/** A region of the repository. */
export interface Scope {
  name: string;
  paths: string[];
  neutral: boolean;
  previewable: boolean;
  gate?: string[];
  timeout?: number;
}

/** A number that may only improve. */
export interface Standard extends Omit<z.output<typeof StandardTable>, 'metric' | 'run' | 'per'> {
  name: string;
  metric: string;
  run: string[];
  per?: { metric: string } | { extent: Extent; paths: string[] };
}

/** Files one generator owns. */
export interface Generated extends Omit<z.output<typeof GeneratedTable>, 'run'> {
  name: string;
  run: string[];
}

/** Something outside the checkout that one worktree owns. */
export interface Resource extends z.output<typeof ResourceTable> {
  name: string;
}

/** `discern.toml` as the engine reads it: defaults filled in, older spellings and references resolved. */
export interface Config {
  project: Omit<z.output<typeof ProjectTable>, 'main_branch' | 'graduate_to' | 'branch_prefix'>;
  repository: z.output<typeof RepositoryTable>;
  /** In gate order: by stage, and within a stage as the file has them. */
  jobs: Job[];
  /** These and the resources stand as the file has them. */
  scopes: Scope[];
  standards: Standard[];
  generated: Generated[];
  gate: z.output<typeof GateTable>;
  worktree: Omit<z.output<typeof WorktreeTable>, 'branch_prefix' | 'graduate_to' | 'resources'> & {
    resources: Resource[];
  };
}
