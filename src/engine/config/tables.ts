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
import { plainName } from '../plain-name.ts';
import { readJobs, winners } from './jobs.ts';
import type { Reader } from './reader.ts';
import { type References, readReferences } from './references.ts';
import { list, seconds } from './values.ts';

/** Reads every table the engine uses. `undefined` when one is wrong; `reader.problems` then says what. */
export function readConfig(reader: Reader): Config | undefined {
  const project = reader.read(ProjectTable, ['project']);
  const repository = reader.read(RepositoryTable, ['repository']);
  const references = readReferences(reader);
  const jobs = readJobs(reader, references);
  const scopes = reader.readNamed(ScopeTable, ['scopes'], (name, table) => scope(name, table, references));
  const standards = readStandards(reader, references);
  const generated = reader.readNamed(GeneratedTable, ['generated'], (name, table) =>
    group(name, table, references),
  );
  const gate = reader.read(GateTable, ['gate']);
  const worktree = reader.read(WorktreeTable, ['worktree'], 'resources');
  const resources = readResources(reader);
  const { trunk, branchPrefix } = branches(reader);
  if (!project || !repository || !gate || !worktree || reader.problems.length > 0) return undefined;
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
    gate: { ...gate, ...seconds(gate.timeout) },
    worktree: { ...tree, resources },
  };
}

/** Reads the resources. Outside systems know no case and no `_`, so two of one name there would be one resource. */
function readResources(reader: Reader): Resource[] {
  const path = ['worktree', 'resources'];
  const resources = reader.readNamed(ResourceTable, path, (name, table) => ({ name, ...table }));
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

function scope(name: string, table: z.output<typeof ScopeTable>, references: References): Scope {
  return {
    name,
    paths: table.paths.map(references.text),
    neutral: table.neutral,
    previewable: table.previewable || Boolean(table.preview?.trim()),
    ...(table.gate !== undefined && { gate: references.commands(table.gate, 'scopes', name, 'gate') }),
    ...seconds(table.timeout),
  };
}

function readStandards(reader: Reader, references: References): Standard[] {
  const standards = reader.readNamed(StandardTable, ['standards'], (name, table) =>
    standard(['standards', name], table, references),
  );
  const entry = reader.find('ratchets');
  if (!entry) return standards;
  const older = reader.readNamed(RatchetTable, ['ratchets'], (name, table) =>
    standard(['ratchets', name], table, references),
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
  [section, name]: [string, string],
  table: z.output<typeof StandardTable>,
  references: References,
): Standard {
  const { metric, run, per, inputs, timeout, ...rest } = table;
  return {
    ...rest,
    name,
    metric: metric ?? name,
    run: references.commands(run, section, name, 'run'),
    ...(per !== undefined && { per: divisor(per, references) }),
    ...(inputs && { inputs: inputs.map(references.text) }),
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
      '[worktree].graduate_to is an older key of no effect: accept lands on the trunk; remove it.',
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
