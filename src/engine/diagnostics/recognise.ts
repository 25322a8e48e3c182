import { setImmediate as breathe } from 'node:timers/promises';
import { toLines } from './clean.ts';
import type { Finding, LineShape } from './finding.ts';
import type { Resolver } from './resolve.ts';
import { tap } from './shapes/tap.ts';
import { documents, plainLines, ranks, stacks } from './shapes.ts';
import { separate } from './streams.ts';
import type { Tree } from './tree.ts';

/** What the shapes made of a text, all of it placed, and its clean lines that none of them read. */
export interface Recognised {
  /** Of reports that machines wrote. */
  reported: Finding[];
  /** In the order they stand in. */
  findings: Finding[];
  /** They count only where nothing else in the output names an error: a log may hold stacks that are no failure. */
  stacks: Finding[];
  /** They count only where there is nothing else at all: lines that begin with a place. */
  places: Finding[];
  lines: string[];
  /** How many lines there were. */
  total: number;
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
  let written: Finding[] = [];
  let rest = text;
  for (const shape of documents) {
    const read = shape(rest);
    written = written.concat(read.findings);
    rest = read.rest;
    await pause(signal);
  }
  const reported = await resolver.place(written);
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
    return (await resolver.place(based)).sort((a, b) => a.at - b.at);
  };
  const known = await tree.known();
  const total = left.length;
  let findings: Finding[] = [];
  for (const shapes of ranks) {
    const settled = namesError(reported) || namesError(findings);
    // What a test printed may look like a compiler's error: it counts where it names a file of the tree.
    if (settled && !known) break;
    findings = findings.concat(await read(shapes, settled));
  }
  findings.sort((a, b) => a.at - b.at);
  const settled = namesError(reported) || namesError(findings);
  const traced = settled ? [] : await read(stacks, false);
  const none = reported.length + findings.length + traced.length === 0;
  const places = none && known ? await read([plainLines(setting.command)], true) : [];
  return { reported, findings, stacks: traced, places, lines: left, total };
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

export function namesError(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}
