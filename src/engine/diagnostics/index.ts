import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic } from '../../contract/envelope.ts';
import { cut, oneLine, plain, toLines } from './clean.ts';
import type { Finding } from './finding.ts';
import { locate } from './locate.ts';
import { recognise } from './recognise.ts';
import { tailOf, tellingLine } from './tail.ts';
import { readWindow } from './window.ts';

/** A job that has ended, and where what it printed was kept. */
export interface JobOutput {
  job: string;
  command: string;
  /** Absolute, links resolved; the directory the command ran in. */
  root: string;
  outputPath: string;
  failed: boolean;
}

/** What was read of a job's output. */
export interface Reading {
  /** Lines of the whole output, a last one without a newline included. */
  lines: number;
  diagnostics: Diagnostic[];
  /** How many findings were cut. */
  more: number;
}

/** Most diagnostics reported of one job. */
export const maxDiagnostics = 50;

/** How much of the end of the output is cleaned to find the tail in, documents included. */
const tailChars = 65_536;

const maxMessage = 1000;
const maxFile = 1024;
const maxRule = 200;
const maxTool = 100;

/**
 * Reads what a job printed. Counts every line of the whole file while streaming, so memory stays bounded
 * whatever its size.
 *
 * Only a failed job is searched for findings: the exit status is a job's verdict, and a line in the log of a
 * job that passed, be it an error in SARIF, is not what its owner calls a problem. A failed job always
 * yields at least one diagnostic of severity error. Errors come before warnings, duplicates are dropped, and
 * of more than 50 the rest is counted in `more`. The first diagnostic carries the tail of the output.
 *
 * A file up to 8 MiB is searched whole, of a larger one the first MiB and the last 4 MiB. A missing, empty
 * or unreadable file counts as no lines. Rejects only with the signal's reason.
 */
export async function readOutput(job: JobOutput, signal?: AbortSignal): Promise<Reading> {
  signal?.throwIfAborted();
  const window = await readWindow(job.outputPath, job.failed, signal);
  if (!job.failed) return { lines: window.lines, diagnostics: [], more: 0 };

  const { findings, lines: unread } = await recognise(window.text, signal);
  const printed = toLines(window.text.slice(-tailChars));
  const why = tellingLine(unread) || tellingLine(printed);
  const found = await placed(findings, job);
  const ranked = distinct(severities.flatMap((severity) => found.filter((one) => one.severity === severity)));
  if (ranked[0]?.severity !== 'error') ranked.unshift(unrecognised(job, why, window.unreadable));
  const [first, ...others] = ranked.slice(0, maxDiagnostics);
  const output = tailOf(printed) || tailOf(unread);
  const diagnostics = first === undefined ? [] : [output === '' ? first : { ...first, output }, ...others];
  return { lines: window.lines, diagnostics, more: ranked.length - diagnostics.length };
}

const severities = ['error', 'warning', 'info'] as const;

/** The diagnostic of a failed job whose output has no shape that names an error. */
function unrecognised(job: JobOutput, why: string, unreadable: string | undefined): Diagnostic {
  const failed = `The job ${job.job} failed`;
  let message = `${failed} and printed nothing; run its command to see why.`;
  if (why !== '') message = `${failed}, saying: ${why}`;
  else if (unreadable !== undefined) message = `${failed}, and its output could not be read (${unreadable}).`;
  return diagnostic({ at: 0, severity: 'error', message }, job);
}

async function placed(findings: readonly Finding[], job: JobOutput): Promise<Diagnostic[]> {
  const packages = findings.some((finding) => finding.importPath !== undefined);
  const module = packages ? await goModule(job.root) : undefined;
  return findings.map((finding) => diagnostic({ ...finding, file: packageFile(finding, module) }, job));
}

function diagnostic(finding: Finding, job: JobOutput): Diagnostic {
  const { file, line, column, rule } = finding;
  const name = cut(oneLine(plain(finding.tool ?? '')), maxTool) || job.job;
  const path = cut(plain(file ?? '').replace(/[\n\t]/g, ' '), maxFile);
  const code = cut(oneLine(plain(rule ?? '')), maxRule);
  return {
    tool: name,
    severity: finding.severity,
    message: cut(oneLine(plain(finding.message)), maxMessage) || 'The tool gave no message.',
    reproduce_cmd: job.command,
    ...(path === '' ? {} : { file: locate(path, job.root) }),
    ...(path === '' || line === undefined ? {} : { line }),
    ...(path === '' || line === undefined || column === undefined ? {} : { column }),
    ...(code === '' ? {} : { rule: code }),
    output_path: job.outputPath,
  };
}

function distinct(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byContent = new Map<string, Diagnostic>();
  for (const one of diagnostics) {
    const key = JSON.stringify([one.file, one.line, one.column, one.rule, one.message]);
    if (!byContent.has(key)) byContent.set(key, one);
  }
  return [...byContent.values()];
}

/** The module path `go.mod` declares, which turns a package's import path into its directory. */
async function goModule(root: string): Promise<string | undefined> {
  try {
    const declared = await readFile(join(root, 'go.mod'), 'utf8');
    return /^module[ \t]+"?([^\s"]{1,500})/m.exec(declared)?.[1];
  } catch (error) {
    // Without a readable go.mod the name stays as printed.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

function packageFile({ file, importPath }: Finding, module: string | undefined): string | undefined {
  if (file === undefined || importPath === undefined || module === undefined) return file;
  if (/[\\/]/.test(file) || !importPath.startsWith(`${module}/`)) return file;
  return `${importPath.slice(module.length + 1)}/${file}`;
}
