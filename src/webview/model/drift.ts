import type { Drift } from '../../contract/data.ts';
import { lastPart } from './paths.ts';

/** Most drifted files listed, and most lines of one diff. */
export const maxDrifts = 100;
export const maxDiffLines = 500;

export interface DiffLine {
  kind: 'added' | 'removed' | 'place' | 'same';
  text: string;
}

export interface DriftRow {
  key: string;
  file: string;
  name: string;
  folder: string;
  stage: string;
  lines: DiffLine[];
  /** Lines left out at the end. */
  cut: number;
  label: string;
}

export interface Drifts {
  listed: DriftRow[];
  more: number;
}

/** Files a job changed although they were clean, with what it did to them. */
export function driftsOf(drift: readonly Drift[], limit = maxDrifts): Drifts {
  return { listed: drift.slice(0, limit).map(row), more: Math.max(0, drift.length - limit) };
}

function row({ file, stage, diff }: Drift): DriftRow {
  const lines = diffLines(diff);
  const name = lastPart(file);
  return {
    key: `drift/${stage}/${file}`,
    file,
    name,
    folder: file.slice(0, file.length - name.length).replace(/[\\/]$/, ''),
    stage,
    lines: lines.slice(0, maxDiffLines),
    cut: Math.max(0, lines.length - maxDiffLines),
    label: `${file}, changed in the ${stage} stage`,
  };
}

/** The lines of a unified diff by what they say. What stands above the first hunk of a file names no line, and is left out. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  // Not every change has a hunk: a mode or a binary file.
  if (first === -1) return lines.filter((line) => line !== '').map((text) => ({ kind: 'same', text }));
  return lines.slice(first).map((text) => ({ kind: kindOf(text), text }));
}

function kindOf(line: string): DiffLine['kind'] {
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
