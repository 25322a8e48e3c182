import { setImmediate as breathe } from 'node:timers/promises';
import { toLines } from './clean.ts';
import type { Finding, LineShape } from './finding.ts';
import type { Resolver } from './resolve.ts';
import { tap } from './shapes/tap.ts';
import { documents, plainLines, ranks, stacks } from './shapes.ts';
import { separate } from './streams.ts';
import type { Tree } from './tree.ts';

/** What the shapes made of a text, and its clean lines that none of them read. */
export interface Recognised {
  /** Placed, in the order they stand in. */
  findings: Finding[];
  lines: string[];
}

/** What is known of the job whose output is read. */
export interface Setting {
  tree: Tree;
  resolver: Resolver;
  command: string;
}

/**
 * Tries every shape on what a job printed, in the order of the table, and places what they find. Lets other work go on
 * between shapes, since megabytes of output take each some time. Rejects only with the signal's reason.
 */
export async function recognise(text: string, setting: Setting, signal?: AbortSignal): Promise<Recognised> {
  const { tree, resolver } = setting;
  let findings: Finding[] = [];
  let rest = text;
  for (const shape of documents) {
    const read = shape(rest);
    findings = findings.concat(read.findings);
    rest = read.rest;
    await pause(signal);
  }
  findings = await resolver.place(findings);
  const streams = await separate(toLines(rest), tree);
  const left = streams.lines;
  const read = async (shapes: readonly LineShape[], doubtful: boolean) => {
    const found = await readLines(left, shapes, signal);
    const based = found.map((finding) => {
      const { label, directories } = streams.contexts[finding.at] ?? { label: undefined, directories: [] };
      const doubt = finding.doubtful || doubtful;
      return {
        ...finding,
        at: streams.origins[finding.at] ?? finding.at,
        label,
        directories,
        doubtful: doubt,
      };
    });
    findings = findings.concat(await resolver.place(based));
  };
  const known = await tree.known();
  for (const shapes of ranks) {
    const settled = namesError(findings);
    // What a test printed may look like a compiler's error: it counts where it names a file of the tree.
    if (settled && !known) break;
    await read(shapes, settled);
  }
  // A log may hold stacks that are no failure, and lines that begin with a place and are no finding.
  if (!namesError(findings)) await read(stacks, false);
  if (findings.length === 0 && known) await read([plainLines(setting.command)], true);
  return { findings: findings.sort((a, b) => a.at - b.at), lines: left };
}

/** The findings of a report on its own; undefined where it is of no kind that is known. */
export async function recogniseReport(
  text: string,
  { resolver }: Setting,
  signal?: AbortSignal,
): Promise<Finding[] | undefined> {
  for (const shape of documents) {
    const { findings, rest } = shape(text);
    await pause(signal);
    if (rest !== text) return resolver.place(findings);
  }
  if (!/^(?:TAP version 1[34]|1\.\.\d+)$/m.test(text)) return undefined;
  return resolver.place(tap(toLines(text)).findings);
}

/** Empties the lines that a shape took. */
async function readLines(left: string[], shapes: readonly LineShape[], signal?: AbortSignal) {
  let findings: Finding[] = [];
  for (const shape of shapes) {
    const match = shape(left);
    findings = findings.concat(match.findings);
    for (const [from, to] of match.taken) left.fill('', from, to);
    await pause(signal);
  }
  return findings;
}

async function pause(signal?: AbortSignal): Promise<void> {
  await breathe();
  signal?.throwIfAborted();
}

function namesError(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}
