import type { Diagnostic, Related } from '../../contract/envelope.ts';
import { cut, oneLine, plain, toLines } from './clean.ts';
import type { Finding, Note } from './finding.ts';
import { merged } from './merge.ts';
import { recogniseReport } from './recognise.ts';
import { readReports, refusal } from './reports.ts';
import { Resolver } from './resolve.ts';
import { search } from './search.ts';
import { tailOf, tellingLine } from './tail.ts';
import { Tree } from './tree.ts';
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
const maxRelated = 10;

/**
 * Reads what a job printed. Counts every line of the whole file while streaming, so memory stays bounded
 * whatever its size.
 *
 * Only a failed job is searched for findings: the exit status is a job's verdict, and a line in the log of a
 * job that passed, be it an error in SARIF, is not what its owner calls a problem. A failed job always
 * yields at least one diagnostic of severity error. Errors come before warnings, duplicates are dropped, and
 * of more than 50 the rest is counted in `more`. The first diagnostic carries the tail of the output.
 *
 * A file of any size is searched whole, one over 8 MiB in parts. A missing, empty or unreadable file counts as
 * no lines. Rejects only with the signal's reason.
 */
export async function readOutput(job: JobOutput, signal?: AbortSignal): Promise<Reading> {
  signal?.throwIfAborted();
  const window = await readWindow(job.outputPath, job.failed, signal);
  if (!job.failed) return { lines: window.lines, diagnostics: [], more: 0 };

  const tree = new Tree(job.root);
  const setting = { tree, resolver: new Resolver(tree, job.command), command: job.command };
  const { findings, unread, reports: named, more } = await search(window, job.outputPath, setting, signal);
  const reports = await readReports(named, job.root);
  const reported: Finding[] = [];
  for (const { name, text } of reports.read) {
    const report = await recogniseReport(text, setting, signal);
    if (report === undefined) reports.refused.push(refusal(name, 'its kind is not known'));
    else reported.push(...report);
  }
  const printed = toLines(window.text.slice(-tailChars));
  const all = [...reported, ...findings, ...reports.refused];
  const ranked = merged(all.map((finding) => diagnostic(finding, job)));
  if (ranked[0]?.severity !== 'error')
    ranked.unshift(unrecognised(job, ranked, reasonIn(unread, printed, ranked), window.unreadable));
  const [first, ...others] = ranked.slice(0, maxDiagnostics);
  const output = tailOf(printed) || tailOf(unread);
  const diagnostics = first === undefined ? [] : [output === '' ? first : { ...first, output }, ...others];
  return { lines: window.lines, diagnostics, more: more + ranked.length - diagnostics.length };
}

/** The words of the output that tell why the job failed, none of which a finding tells already. */
function reasonIn(
  unread: readonly string[],
  printed: readonly string[],
  found: readonly Diagnostic[],
): string {
  return found.length > 0 ? tellingLine(unread, true) : tellingLine(unread) || tellingLine(printed);
}

/** The diagnostic of a failed job whose output has no shape that names an error. */
function unrecognised(
  job: JobOutput,
  found: readonly Diagnostic[],
  why: string,
  unreadable: string | undefined,
): Diagnostic {
  const failed = `The job ${job.job} failed`;
  let message = `${failed} and printed nothing; run its command to see why.`;
  if (why !== '') message = `${failed}, saying: ${why}`;
  else if (found.length > 0) message = `${failed}; it printed no error, but ${counted(found.length)}.`;
  else if (unreadable !== undefined) message = `${failed}, and its output could not be read (${unreadable}).`;
  return diagnostic({ at: 0, severity: 'error', message }, job);
}

function counted(warnings: number): string {
  return warnings === 1 ? '1 warning' : `${warnings} warnings`;
}

function diagnostic(finding: Finding, job: JobOutput): Diagnostic {
  const { line, column, endLine, endColumn } = finding;
  const name = cut(oneLine(plain(finding.tool ?? '')), maxTool) || job.job;
  const file = fileName(finding.file);
  const code = cut(oneLine(plain(finding.rule ?? '')), maxRule);
  const url = urlOf(finding.ruleUrl);
  const placed = file !== '' && line !== undefined;
  const ends = placed && endLine !== undefined && isAfter(finding);
  const notes = (finding.related ?? []).slice(0, maxRelated).map(related);
  return {
    tool: name,
    severity: finding.severity,
    message: cut(oneLine(plain(finding.message)), maxMessage) || 'The tool gave no message.',
    reproduce_cmd: job.command,
    ...(file === '' ? {} : { file }),
    ...(placed ? { line } : {}),
    ...(placed && column !== undefined ? { column } : {}),
    ...(ends ? { end_line: endLine } : {}),
    ...(ends && column !== undefined && endColumn !== undefined ? { end_column: endColumn } : {}),
    ...(code === '' ? {} : { rule: code }),
    ...(url === undefined ? {} : { rule_url: url }),
    ...(notes.length === 0 ? {} : { related: notes }),
    output_path: job.outputPath,
  };
}

function fileName(file: string | undefined): string {
  return cut(plain(file ?? '').replace(/[\n\t]/g, ' '), maxFile);
}

function related(note: Note): Related {
  const file = fileName(note.file);
  return {
    message: cut(oneLine(plain(note.message)), maxMessage) || 'See here.',
    ...(file === '' ? {} : { file }),
    ...(file === '' || note.line === undefined ? {} : { line: note.line }),
    ...(file === '' || note.line === undefined || note.column === undefined ? {} : { column: note.column }),
  };
}

/** Only what a browser would open: the text is a tool's. */
function urlOf(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\/[^\s"'<>\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,500}$/.test(url)
    ? url
    : undefined;
}

function isAfter({ line = 0, column = 0, endLine = 0, endColumn = 0 }: Finding): boolean {
  return endLine > line || (endLine === line && (endColumn === 0 || endColumn > column));
}
