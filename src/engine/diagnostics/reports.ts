import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Finding } from './finding.ts';

/** Largest report that is read, and how many of one job. */
const maxReport = 8 * 1024 * 1024;
const maxReports = 20;

const naming = /^\s*DISCERN_PROBLEMS[ \t]+(\S.{0,1023})$/gm;

/** The reports a job says it wrote (`DISCERN_PROBLEMS file`, a line each), and what became of those that were not read. */
export interface Reports {
  read: { name: string; text: string }[];
  refused: Finding[];
}

/** The names of reports in what a job printed. */
export function namedReports(output: string): string[] {
  return [...output.matchAll(naming)].map(([, name = '']) => name.trim());
}

/**
 * Reads the reports that a job's output names, relative to its root. Refuses, as a warning that says why, what is not a
 * regular file inside the root (links followed), what is larger than 8 MiB, and what cannot be read.
 */
export async function readReports(named: readonly string[], root: string): Promise<Reports> {
  const reports: Reports = { read: [], refused: [] };
  const names = [...new Set(named)];
  for (const name of names.slice(0, maxReports)) {
    const read = await readReport(resolve(root, name), root);
    if ('text' in read) reports.read.push({ name, text: read.text });
    else reports.refused.push(refusal(name, read.why));
  }
  if (names.length > maxReports)
    reports.refused.push(refusal(`${names.length - maxReports} more`, `a job may name ${maxReports}`));
  return reports;
}

async function readReport(path: string, root: string): Promise<{ text: string } | { why: string }> {
  try {
    const real = await realpath(path);
    if (!real.startsWith(root + sep)) return { why: 'it lies outside the root' };
    // A pipe that nobody writes to must not keep us.
    const file = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const found = await file.stat();
      if (!found.isFile()) return { why: 'it is not a file' };
      if (found.size > maxReport) return { why: 'it is larger than 8 MiB' };
      const text = await file.readFile('utf8');
      return { text: text.replace(/^\ufeff/, '') };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      return { why: error.code === 'ENOENT' ? 'it does not exist' : String(error.code) };
    throw error;
  }
}

export function refusal(name: string, why: string): Finding {
  const message = `The report ${name}, which the job names in DISCERN_PROBLEMS, was not read: ${why}.`;
  return { at: Number.MAX_SAFE_INTEGER, severity: 'warning', message };
}
