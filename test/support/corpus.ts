import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Diagnostic } from '../../src/contract/envelope.ts';
import { readOutput } from '../../src/engine/diagnostics/index.ts';

/** One output of a tool and what a person would find in it. */
export interface Case {
  /** `tool/case`. */
  name: string;
  /** The tool's version where it really ran, else `documented`. */
  source: string;
  /** The command of the job. */
  command: string;
  /** Files the job's directory has, those of the findings included. */
  tree: string[];
  output: string;
  /** Findings as `shown` prints them, errors first. */
  findings: string[];
  /** Words that no finding may hold. */
  never: string[];
}

/** What was found in a case, and how that compares. */
export interface Outcome {
  findings: string[];
  /** Findings without a file that only say that the job failed. */
  fallback: string[];
  expected: number;
  found: number;
  false: string[];
}

const home = 'test/corpus';

/** The corpus: a folder for each tool, in it `case.txt` (the output; `{root}` is the job's directory) and `case.want`. */
export async function corpus(): Promise<Case[]> {
  const cases: Case[] = [];
  for (const tool of (await readdir(join(home, 'findings'))).sort()) {
    const names = await readdir(join(home, 'findings', tool));
    for (const file of names.filter((name) => name.endsWith('.want')).sort()) {
      const base = join(home, 'findings', tool, file.slice(0, -'.want'.length));
      cases.push(
        readCase(
          `${tool}/${file.slice(0, -'.want'.length)}`,
          await readFile(`${base}.txt`, 'utf8'),
          await readFile(`${base}.want`, 'utf8'),
        ),
      );
    }
  }
  return cases;
}

/** Ordinary output, none of which is a finding: one file each. Its first line may be `run: command` or `tree: files`. */
export async function quiet(): Promise<Case[]> {
  const cases: Case[] = [];
  for (const file of (await readdir(join(home, 'quiet'))).sort()) {
    const text = await readFile(join(home, 'quiet', file), 'utf8');
    const at = text.indexOf('---\n');
    cases.push(readCase(`quiet/${file}`, text.slice(at + 4), `${text.slice(0, at)}---\n`));
  }
  return cases;
}

function readCase(name: string, output: string, want: string): Case {
  const [head = '', body = ''] = want.split(/^---\n/m);
  const said = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(head)?.[1] ?? '';
  const lines = body.split('\n').filter((line) => line !== '');
  const findings = lines.filter((line) => !line.startsWith('!'));
  const places = findings.map((line) => placeOf(line)?.file).filter((file) => file !== undefined);
  return {
    name,
    source: said('source'),
    command: said('run') || 'npm run check',
    tree: [...new Set([...said('tree').split(' ').filter(Boolean), ...places])],
    output,
    findings,
    never: lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)),
  };
}

/** Runs a case in a directory that has the files it names. */
export async function judge(one: Case): Promise<Outcome> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'discern-corpus-')));
  try {
    const root = join(folder, 'app');
    await mkdir(root);
    for (const file of one.tree) {
      const [path = '', content = ''] = file.split('=');
      await mkdir(dirname(join(root, path)), { recursive: true });
      if (!path.endsWith('/')) await writeFile(join(root, path), content);
    }
    const outputPath = join(folder, 'output.log');
    await writeFile(outputPath, one.output.replaceAll('{root}', root));
    const job = { job: 'check', command: one.command, root, outputPath, failed: true };
    const { diagnostics } = await readOutput(job);
    const isFallback = (finding: Diagnostic) =>
      finding.tool === 'check' &&
      finding.file === undefined &&
      finding.message.startsWith('The job check failed');
    const findings = diagnostics.flatMap(shown).map((line) => line.replaceAll(root, '{root}'));
    const fallback = diagnostics.filter(isFallback).map((finding) => finding.message);
    return {
      findings,
      fallback,
      ...compare(
        one,
        diagnostics.filter((finding) => !isFallback(finding)),
        root,
      ),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Counts by file and line: each expected one found once, and what was found beside them. */
function compare(one: Case, diagnostics: readonly Diagnostic[], root: string) {
  const waiting = one.findings
    .filter((line) => !line.startsWith('  ') && !line.startsWith('error check @ The job check failed'))
    .map((line) => {
      const place = placeOf(line);
      return place === undefined ? '-' : `${place.file}:${place.line ?? '-'}`;
    });
  const expected = waiting.length;
  const wrong: string[] = [];
  for (const finding of diagnostics) {
    const at = waiting.indexOf(finding.file === undefined ? '-' : `${finding.file}:${finding.line ?? '-'}`);
    const text = JSON.stringify([finding.message, finding.file]).replaceAll(root, '');
    if (at === -1 || one.never.some((words) => text.includes(words))) wrong.push(shown(finding).join('\n'));
    else waiting.splice(at, 1);
  }
  return { expected, found: expected - waiting.length, false: wrong };
}

const placed = /^(?:error|warning|info) \S+ (?!@ )(?<file>[^ :]+(?:%20[^ :]+)*)(?::(?<line>\d+))?/;

/** The place in a line of `shown`. */
function placeOf(line: string): { file: string; line: string | undefined } | undefined {
  const groups = placed.exec(line)?.groups;
  return groups?.file === undefined ? undefined : { file: groups.file, line: groups.line };
}

/** A finding as `severity tool file:line:column-line:column [rule] message`, and its related places below. */
export function shown(finding: Diagnostic): string[] {
  const { severity, tool, file, line, column, end_line, end_column, rule, message, related, rule_url } =
    finding;
  const start = [file, line, column].filter((part) => part !== undefined).join(':');
  const end = [end_line, end_column].filter((part) => part !== undefined).join(':');
  const place = file === undefined ? '@' : end === '' ? start : `${start}-${end}`;
  return [
    [severity, tool, place, rule && `[${rule}]`, message].filter(Boolean).join(' '),
    ...(rule_url === undefined ? [] : [`  see ${rule_url}`]),
    ...(related ?? []).map((one) => {
      const where = [one.file, one.line, one.column].filter((part) => part !== undefined).join(':');
      return `  with ${[where, one.message].filter(Boolean).join(' ')}`;
    }),
  ];
}
