import * as z from 'zod';
import { namePattern } from './config-names.ts';
import { otherTables } from './config-others.ts';
import { AcceptanceTable, CheckpointTable } from './config-policy.ts';
import { type Extent, RatchetTable, StandardTable } from './config-standards.ts';
import {
  Command,
  CommandList,
  Commands,
  type Evidence,
  evidence,
  Filled,
  Globs,
  InsideProject,
  older,
  Text,
  Timeout,
} from './config-values.ts';

export { namePattern } from './config-names.ts';
export { type Extent, extents, RatchetTable, StandardTable } from './config-standards.ts';

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

export const ProjectTable = z.strictObject({
  name: Text.default('').describe('Name for people; empty stands for the slug.'),
  slug: Text.default('').describe('Short name for branches and directories; empty is derived.'),
  gotchas_doc: Text.exactOptional().describe('Known traps; a gate that fails points there.'),
  todo: Text.exactOptional().describe('The list of deferred work.'),
  record_logbook: z.boolean().exactOptional().describe('false: no run is written down.'),
  agents: z.array(Text).exactOptional().describe('Not used here: `discern setup` takes the client’s name.'),
  logbook: z.boolean().exactOptional().meta(older('record_logbook')),
  main_branch: Text.exactOptional().meta(older('[repository].trunk')),
  graduate_to: Text.exactOptional().meta(older('[repository].trunk')),
  branch_prefix: Text.exactOptional().meta(older('[repository].branch_prefix')),
});

export const RepositoryTable = z.strictObject({
  trunk: Text.exactOptional().describe('The branch finished work lands on; empty is found out.'),
  branch_prefix: Text.default('agent/').describe('What the names of new branches begin with.'),
  ensure: CommandList.default([]).describe(
    'Commands that make any checkout ready, the landing checkout after a landing too; run again and again.',
  ),
  proof_notes_mode: z
    .enum(['local', 'fetch'])
    .exactOptional()
    .describe('fetch: git fetch brings others’ proof notes too.'),
  proof_notes: Text.exactOptional().meta(older('proof_notes_mode')),
  receipt_notes: Text.exactOptional().meta(older('proof_notes_mode')),
});

export const KnownJob = z.union(
  [
    Command,
    z.array(Command).min(1),
    z.strictObject({
      run: Commands,
      timeout: Timeout.exactOptional(),
      ...evidence,
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
  ...evidence,
  provides: Text.exactOptional().describe('What it stands for, in words.'),
  timeout: Timeout.exactOptional(),
});

export const ScopeTable = z.strictObject({
  paths: Globs.min(1).describe('Globs of the paths that belong to it.'),
  neutral: z
    .boolean()
    .default(false)
    .describe('Changes here are not code: they run no scope’s gate, not even this one’s. Jobs still run.'),
  preview: Commands.exactOptional().describe(
    'Shows a person what a change here looks like; never run, only named.',
  ),
  ...evidence,
  previewable: z.boolean().exactOptional().meta({
    deprecated: true,
    description: 'Older key: a person could see a change here. Give the command in preview.',
  }),
  gate: Commands.exactOptional().describe('What to run when something in the scope changed.'),
  timeout: Timeout.exactOptional(),
});

export const GeneratedTable = z.strictObject({
  paths: Globs.describe('Globs of the files the generator owns.'),
  run: Commands.describe('Regenerates those files.'),
  linguist_generated: z.boolean().exactOptional().describe('Not used here: no .gitattributes is written.'),
  timeout: Timeout.exactOptional(),
});

export const GateTable = z.strictObject({
  fail_fast: z.boolean().default(true).describe('Stop the other jobs once one has failed.'),
  timeout: z.number().min(0).default(600).describe('Seconds any one job may take; 0 means no limit.'),
  stream_output: z.boolean().exactOptional().describe('Not used here: the output goes to a file.'),
  concurrent_test_runs: z
    .int()
    .min(0)
    .default(1)
    .describe(
      'How many runs of test jobs this machine has at once; the others wait for a slot. 0 means no limit.',
    ),
  stream: z.boolean().exactOptional().meta(older('stream_output')),
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
  prunable: z.boolean().default(true).describe('False: only accept, or a drop of its worktree, destroys it.'),
  gc: z.boolean().exactOptional().meta(older('prunable')),
});

const named = <Table extends z.ZodType>(table: Table, what: string) =>
  z.record(z.string().regex(namePattern), table.describe(what));

export const WorktreeTable = z.strictObject({
  root: Text.default('').describe('Where worktrees go; empty is `<repo>.worktrees` beside it.'),
  export_port: z
    .boolean()
    .default(false)
    .describe(
      'Write each worktree’s own id and port into its env file, where one of `env_files` is there. `start` says so where none is.',
    ),
  inherit_env: z.array(Filled).default([]).describe('Variables copied from the landing checkout.'),
  env_files: z
    .array(InsideProject)
    .default(['.env', '.env.local'])
    .describe(
      'Read from first to last, the last that defines a variable wins; a new one goes into the first.',
    ),
  track_ignored_drift: z
    .boolean()
    .exactOptional()
    .describe('Not used here: accept names the ignored files that go, whatever this says.'),
  port: z.boolean().exactOptional().meta(older('export_port')),
  ignored_file_drift: z.boolean().exactOptional().meta(older('track_ignored_drift')),
  setup: SetupTable.prefault({}).describe('Commands that make a new worktree ready, after its resources.'),
  resources: named(ResourceTable, 'Something outside the checkout that one worktree owns.')
    .exactOptional()
    .describe('What each worktree owns outside its checkout, as a database; one table each.'),
  branch_prefix: Text.exactOptional().meta(older('[repository].branch_prefix')),
  graduate_to: Text.exactOptional().meta({
    deprecated: true,
    description: 'Older key that has no effect: accept lands on the trunk.',
  }),
});

/** Older `[checks.<name>]`: a custom job whose stage may be left out. */
export const CheckTable = CustomJob.extend({
  stage: z.enum(jobStages).default('check').describe('When the gate runs it.'),
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
  acceptance: AcceptanceTable.exactOptional().describe('What may land without the owner’s word each time.'),
  checkpoints: named(CheckpointTable, 'A question about some changes, for whoever lands them.')
    .exactOptional()
    .describe('Questions the owner wants answered, one table each. accept names them; it does not ask them.'),
  gate: GateTable.exactOptional().describe('How the gate runs.'),
  worktree: WorktreeTable.exactOptional().describe('How worktrees are made.'),
  capabilities: CapabilitiesTable.exactOptional().meta(older('[jobs]')),
  checks: named(CheckTable, 'A job of the check stage.').exactOptional().meta(older('[jobs.<name>]')),
  ratchets: named(RatchetTable, 'A number that may only improve.')
    .exactOptional()
    .meta(older('[standards.<name>]')),
  ...otherTables,
});

/** One job of the gate. */
export interface Job extends Evidence {
  name: string;
  stage: JobStage;
  /** Run one after another; never empty. */
  commands: string[];
  /** Seconds, in place of the gate's; 0 is no limit. */
  timeout?: number;
  provides?: string;
}

/** A region of the repository. */
export interface Scope extends Evidence {
  name: string;
  paths: string[];
  neutral: boolean;
  previewable: boolean;
  /** What shows a change to a person; discern never runs it. */
  preview?: string[];
  gate?: string[];
  timeout?: number;
}

/** A number that may only improve. */
export interface Standard
  extends Evidence,
    Omit<z.output<typeof StandardTable>, keyof Evidence | 'metric' | 'run' | 'extract' | 'per'> {
  name: string;
  metric: string;
  /** Empty where `producer` is what is measured. */
  run: string[];
  extract?: string[];
  per?: { metric: string } | { extent: Extent; paths: string[] };
}

/** Files one generator owns. */
export interface Generated extends Omit<z.output<typeof GeneratedTable>, 'run'> {
  name: string;
  run: string[];
}

/** Something outside the checkout that one worktree owns. */
export interface Resource extends Omit<z.output<typeof ResourceTable>, 'gc'> {
  name: string;
}

/** A question the owner wants answered about some changes. */
export interface Checkpoint extends z.output<typeof CheckpointTable> {
  name: string;
}

type Now<Table, Older extends keyof Table> = Omit<Table, Older>;

/** `discern.toml` as the engine reads it: defaults filled in, older spellings and references resolved. */
export interface Config {
  project: Now<z.output<typeof ProjectTable>, 'main_branch' | 'graduate_to' | 'branch_prefix' | 'logbook'>;
  repository: Now<z.output<typeof RepositoryTable>, 'proof_notes' | 'receipt_notes'>;
  /** In gate order: by stage, and within a stage as the file has them. */
  jobs: Job[];
  /** These, the resources and the checkpoints stand as the file has them. */
  scopes: Scope[];
  standards: Standard[];
  generated: Generated[];
  acceptance: z.output<typeof AcceptanceTable>;
  checkpoints: Checkpoint[];
  gate: Now<z.output<typeof GateTable>, 'stream'>;
  worktree: Now<
    z.output<typeof WorktreeTable>,
    'branch_prefix' | 'graduate_to' | 'resources' | 'port' | 'ignored_file_drift'
  > & {
    resources: Resource[];
  };
}
