import { setImmediate as breathe } from 'node:timers/promises';
import { toLines } from './clean.ts';
import type { Finding, LineShape } from './finding.ts';
import { documents, ranks } from './shapes.ts';

/** What the shapes made of a text, and its clean lines without the documents that were read as such. */
export interface Recognised {
  findings: Finding[];
  lines: string[];
}

/**
 * Tries every shape on what a job printed, in the order of the table. Lets other work go on between shapes,
 * since megabytes of output take each some time. Rejects only with the signal's reason.
 */
export async function recognise(text: string, signal?: AbortSignal): Promise<Recognised> {
  let findings: Finding[] = [];
  let rest = text;
  for (const shape of documents) {
    const read = shape(rest);
    findings = findings.concat(read.findings);
    rest = read.rest;
    await pause(signal);
  }
  const lines = toLines(rest);
  for (const shapes of ranks) {
    if (namesError(findings)) break;
    findings = findings.concat(await readLines(lines, shapes, signal));
  }
  return { findings, lines };
}

async function readLines(lines: readonly string[], shapes: readonly LineShape[], signal?: AbortSignal) {
  let findings: Finding[] = [];
  const left = [...lines];
  for (const shape of shapes) {
    const match = shape(left);
    findings = findings.concat(match.findings);
    for (const [from, to] of match.taken) left.fill('', from, to);
    await pause(signal);
  }
  return findings.sort((a, b) => a.at - b.at);
}

async function pause(signal?: AbortSignal): Promise<void> {
  await breathe();
  signal?.throwIfAborted();
}

function namesError(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}
