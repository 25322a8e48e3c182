import type { z } from 'zod';
import {
  type Config,
  extents,
  GateTable,
  type Generated,
  GeneratedTable,
  ProjectTable,
  RatchetTable,
  RepositoryTable,
  type Resource,
  ResourceTable,
  type Scope,
  ScopeTable,
  type Standard,
  StandardTable,
  WorktreeTable,
} from '../../contract/config.ts';
import { AcceptanceTable, CheckpointTable } from '../../contract/config-policy.ts';
import type { Evidence } from '../../contract/config-values.ts';
import { plainName } from '../words/plain-name.ts';
import { evidenceOf } from './evidence.ts';
import { readJobs, winners } from './jobs.ts';
import { checkNeeds } from './needs.ts';
import { renamed } from './older.ts';
import { checkScopesOf } from './policy.ts';
import type { Reader } from './reader.ts';
import { type References, readReferences } from './references.ts';
import { list, seconds } from './values.ts';

/** Reads every table the engine uses. `undefined` when one is wrong; `reader.problems` then says what. */
export function readConfig(reader: Reader): Config | undefined {
  const project = read(reader, ProjectTable, 'project', { logbook: 'record_logbook' });
  const repository = read(reader, RepositoryTable, 'repository', {
    proof_notes: 'proof_notes_mode',
    receipt_notes: 'proof_notes_mode',
  });
  const references = readReferences(reader);
  const jobs = readJobs(reader, references);
  const scopes = reader.readNamed(ScopeTable, ['scopes'], (name, table) =>
    scope(reader, name, table, references),
  );
  const standards = readStandards(reader, references);
  const generated = reader.readNamed(GeneratedTable, ['generated'], (name, table) =>
    group(name, table, references),
  );
  const acceptance = reader.read(AcceptanceTable, ['acceptance']);
  const checkpoints = reader.readNamed(CheckpointTable, ['checkpoints'], (name, table) => ({
    ...table,
    ...resolvedPaths(table, references),
    name,
  }));
  const gate = read(reader, GateTable, 'gate', { stream: 'stream_output' });
  const found = reader.read(WorktreeTable, ['worktree'], 'resources');
  const worktree =
    found &&
    renamed(reader, ['worktree'], found, { port: 'export_port', ignored_file_drift: 'track_ignored_drift' });
  const resources = readResources(reader);
  const { trunk, branchPrefix } = branches(reader);
  checkNeeds(reader, { jobs, scopes, standards });
  checkScopesOf(reader, scopes, acceptance, checkpoints);
  if (!acceptance || !project || !repository || !gate || !worktree || reader.problems.length > 0)
    return undefined;
  const { main_branch: _main, graduate_to: _graduate, branch_prefix: _older, ...ours } = project;
  const { branch_prefix: _prefix, graduate_to: _landing, resources: _resources, ...tree } = worktree;
  const { trunk: _trunk, ...rest } = repository;
  return {
    project: ours,
    repository: {
      ...rest,
      ...(branchPrefix !== undefined && { branch_prefix: branchPrefix }),
      ...(trunk !== undefined && { trunk }),
    },
    jobs,
    scopes,
    standards,
    generated,
    acceptance,
    checkpoints,
    gate: { ...gate, ...seconds(gate.timeout) },
    worktree: { ...tree, resources },
  };
}

/** Reads one table, its older keys as what they are now. */
function read<Schema extends z.ZodType<object>, Older extends Record<string, string>>(
  reader: Reader,
  schema: Schema,
  name: string,
  older: Older,
) {
  const table = reader.read(schema, [name]);
  return table && renamed(reader, [name], table, older);
}

function resolvedPaths(
  { paths, exclude_paths: excluded, unless_changed: unless }: z.output<typeof CheckpointTable>,
  { text }: References,
) {
  return {
    ...(paths && { paths: paths.map(text) }),
    ...(excluded && { exclude_paths: excluded.map(text) }),
    ...(unless && { unless_changed: unless.map(text) }),
  };
}

/** Reads the resources. Outside systems know no case and no `_`, so two of one name there would be one resource. */
function readResources(reader: Reader): Resource[] {
  const path = ['worktree', 'resources'];
  const resources = reader.readNamed(ResourceTable, path, (name, table) => ({
    ...renamed(reader, [...path, name], table, { gc: 'prunable' }),
    name,
  }));
  const seen = new Map<string, string>();
  for (const { name } of resources) {
    const plain = plainName(name);
    const other = seen.get(plain);
    const entry = reader.find(...path, name);
    if (entry && other !== undefined) {
      reader.note(
        entry.key,
        `the resource ${name} has the same name as ${other} outside discern (${plain}): give one of them another.`,
      );
    }
    seen.set(plain, name);
  }
  return resources;
}

function scope(
  reader: Reader,
  name: string,
  table: z.output<typeof ScopeTable>,
  references: References,
): Scope {
  const { paths, neutral, previewable, preview, gate, timeout, ...rest } = table;
  const older = reader.find('scopes', name, 'previewable');
  if (older) {
    const now = preview === undefined ? 'name the command that shows a change in preview' : 'preview says it';
    reader.note(older.key, `[scopes.${name}].previewable is an older key: ${now}; remove it.`);
  }
  return {
    name,
    paths: paths.map(references.text),
    neutral,
    previewable: previewable === true || preview !== undefined,
    ...evidenceOf(rest, references),
    ...(preview !== undefined && { preview: references.commands(preview, 'scopes', name, 'preview') }),
    ...(gate !== undefined && { gate: references.commands(gate, 'scopes', name, 'gate') }),
    ...seconds(timeout),
  };
}

function readStandards(reader: Reader, references: References): Standard[] {
  const standards = reader.readNamed(StandardTable, ['standards'], (name, table) =>
    standard(reader, ['standards', name], table, references),
  );
  const entry = reader.find('ratchets');
  if (!entry) return standards;
  const older = reader.readNamed(RatchetTable, ['ratchets'], (name, table) =>
    standard(reader, ['ratchets', name], table, references),
  );
  const declared = new Set(reader.tableNames('standards'));
  const both = reader.tableNames('ratchets').filter((name) => declared.has(name));
  reader.note(
    entry.key,
    `[ratchets] is the older spelling of [standards]; rename it.${winners(both, '[standards]')}`,
  );
  return [...standards, ...older.filter(({ name }) => !declared.has(name))];
}

function standard(
  reader: Reader,
  [section, name]: [string, string],
  table: z.output<typeof StandardTable>,
  references: References,
): Standard {
  const { metric, run, extract, per, timeout, inputs, needs, artifacts, environment, toolchain, ...rest } =
    table;
  const older = reader.find(section, name, 'measure');
  if (older) {
    const still = rest.measure === 'on-demand' ? '; "on-demand" still leaves it out' : '; remove it';
    reader.note(
      older.key,
      `[${section}.${name}].measure is an older key: every done measures every standard${still}.`,
    );
  }
  // What the producer declares holds for a standard that reads it.
  const own = rest.producer === undefined ? { needs, artifacts, environment, toolchain } : {};
  return {
    ...rest,
    name,
    metric: metric ?? name,
    run: run === undefined ? [] : references.commands(run, section, name, 'run'),
    ...(extract !== undefined && { extract: references.commands(extract, section, name, 'extract') }),
    ...(per !== undefined && { per: divisor(per, references) }),
    ...evidenceOf({ inputs, ...own } as Evidence, references),
    ...seconds(timeout),
  };
}

function divisor(
  per: NonNullable<z.output<typeof StandardTable>['per']>,
  references: References,
): NonNullable<Standard['per']> {
  if (typeof per === 'string') return { metric: references.text(per) };
  const extent = extents.find((one) => per[one] !== undefined) ?? 'files';
  return { extent, paths: list(per[extent] ?? []).map(references.text) };
}

function group(name: string, table: z.output<typeof GeneratedTable>, references: References): Generated {
  const { paths, run, timeout, ...rest } = table;
  return {
    ...rest,
    name,
    paths: paths.map(references.text),
    run: references.commands(run, 'generated', name, 'run'),
    ...seconds(timeout),
  };
}

/** The trunk and the branch prefix, from their place in `[repository]` or from an older one. */
function branches(reader: Reader): { trunk?: string; branchPrefix?: string } {
  let trunk = reader.text('repository', 'trunk');
  let trunkFrom = '[repository].trunk';
  for (const key of ['main_branch', 'graduate_to']) {
    const entry = reader.find('project', key);
    if (!entry) continue;
    const wins = trunk === undefined ? '' : ` ${trunkFrom} is given too, and wins.`;
    reader.note(
      entry.key,
      `[project].${key} is the older spelling of [repository].trunk; move it there.${wins}`,
    );
    if (trunk !== undefined) continue;
    trunk = reader.text('project', key);
    trunkFrom = `[project].${key}`;
  }
  const landing = reader.find('worktree', 'graduate_to');
  if (landing) {
    reader.note(
      landing.key,
      '[worktree].graduate_to is an older key without effect: accept lands on the trunk; remove it.',
    );
  }
  const branchPrefix = olderPrefix(reader);
  return { ...(trunk !== undefined && { trunk }), ...(branchPrefix !== undefined && { branchPrefix }) };
}

/** The branch prefix from one of its older places, where `[repository]` gives none. */
function olderPrefix(reader: Reader): string | undefined {
  let winner = reader.find('repository', 'branch_prefix') ? 'The new one' : undefined;
  let prefix: string | undefined;
  for (const section of ['worktree', 'project']) {
    const older = reader.find(section, 'branch_prefix');
    if (!older) continue;
    const wins = winner === undefined ? '' : ` ${winner} is given too, and wins.`;
    reader.note(
      older.key,
      `[${section}].branch_prefix is the older spelling of [repository].branch_prefix; move it there.${wins}`,
    );
    if (winner === undefined && older.value.kind === 'string') prefix = String(older.value.value);
    winner ??= `[${section}].branch_prefix`;
  }
  return prefix;
}
