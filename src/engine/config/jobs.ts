import type { z } from 'zod';
import {
  CapabilitiesTable,
  CheckTable,
  CustomJob,
  type Job,
  type JobStage,
  jobStages,
  KnownJob,
  knownJobs,
} from '../../contract/config.ts';
import { nearest } from '../words/nearest.ts';
import { evidenceOf } from './evidence.ts';
import { typeName } from './problems.ts';
import { quoted } from './quoted.ts';
import type { Reader } from './reader.ts';
import type { References } from './references.ts';
import { list, seconds } from './values.ts';

const knownStages = new Map<string, JobStage>(Object.entries(knownJobs));

/**
 * The jobs of `[jobs]` and of its older spellings, in gate order. A job given in the new and in an old spelling is
 * read in the new one; the others of the old table still run, since a gate that forgets a job passes too easily.
 */
export function readJobs(reader: Reader, references: References): Job[] {
  const jobs = new Map<string, Job>();
  const keep = (section: string, job: Job | undefined) => {
    if (job) {
      jobs.set(job.name, {
        ...job,
        ...evidenceOf(job, references),
        commands: references.commands(job.commands, section, job.name),
      });
    }
  };
  const declared = new Set(reader.names('jobs'));
  for (const name of declared) keep('jobs', readJob(reader, name));
  for (const job of readCapabilities(reader, declared)) keep('capabilities', job);
  for (const job of readChecks(reader, declared)) keep('checks', job);
  return [...jobs.values()].toSorted((a, b) => jobStages.indexOf(a.stage) - jobStages.indexOf(b.stage));
}

function readJob(reader: Reader, name: string): Job | undefined {
  const path = ['jobs', name];
  const stage = knownStages.get(name);
  if (stage) {
    const value = reader.read(KnownJob, path);
    return value === undefined ? undefined : knownJob(name, stage, value);
  }
  const entry = reader.find(...path);
  if (entry && entry.value.kind !== 'table') {
    const meant = nearest(name, [...knownStages.keys()]);
    const advice = meant ? `did you mean "${meant}"?` : `known are ${[...knownStages.keys()].join(', ')}.`;
    const needs = `A custom job needs a table with stage and run, not ${typeName(entry.value)}`;
    reader.problem(entry.key, path, `unknown job ${quoted(name)} in [jobs]; ${advice} ${needs}`);
    return undefined;
  }
  const table = reader.read(CustomJob, path);
  return table && customJob(name, table);
}

function knownJob(name: string, stage: JobStage, value: z.output<typeof KnownJob>): Job {
  if (typeof value === 'string' || Array.isArray(value)) return { name, stage, commands: list(value) };
  const { run, timeout, stage: _stage, ...rest } = value;
  return { name, stage, commands: list(run), ...rest, ...seconds(timeout) };
}

function customJob(name: string, table: z.output<typeof CustomJob>): Job {
  const { stage, run, timeout, ...rest } = table;
  return { name, stage, commands: list(run), ...rest, ...seconds(timeout) };
}

function readCapabilities(reader: Reader, declared: ReadonlySet<string>): Job[] {
  const entry = reader.find('capabilities');
  if (!entry) return [];
  const table = reader.read(CapabilitiesTable, ['capabilities']) ?? {};
  const both = Object.keys(table).filter((name) => declared.has(name));
  reader.note(
    entry.key,
    `[capabilities] is the older spelling of [jobs]; rename it.${winners(both, '[jobs]')}`,
  );
  return Object.entries(table).flatMap(([name, value]) => {
    const stage = knownStages.get(name);
    return stage && value !== undefined && !declared.has(name) ? [knownJob(name, stage, value)] : [];
  });
}

function readChecks(reader: Reader, declared: ReadonlySet<string>): Job[] {
  const entry = reader.find('checks');
  if (!entry) return [];
  const names = reader.names('checks');
  const both = names.filter((name) => declared.has(name));
  const advice = 'rename it and give each a stage (it was check).';
  reader.note(entry.key, `[checks] is the older spelling of [jobs]; ${advice}${winners(both, '[jobs]')}`);
  return names.flatMap((name) => {
    const table = reader.read(CheckTable, ['checks', name]);
    const twin = reader.find('capabilities', name);
    const check = reader.find('checks', name);
    if (twin && check && !declared.has(name)) {
      reader.problem(
        check.key,
        ['checks', name],
        `${quoted(name)} is a job of [capabilities] and of [checks]; rename one so that both run`,
      );
    }
    return table && !declared.has(name) ? [customJob(name, table)] : [];
  });
}

/** The end of a note on names that the new and the old spelling both give. */
export function winners(names: readonly string[], winner: string): string {
  if (names.length === 0) return '';
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return ` ${winner} wins where both give the same name: ${shown.join(', ')}.`;
}
