import { whereOf } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { Diagnostic, Envelope } from '../../contract/envelope.ts';
import type { Ink } from '../ink.ts';
import { clickable } from '../place.ts';
import { table } from '../words.ts';

/** More findings than this are no help on a screen; the output files have them all. */
const MOST_FINDINGS = 100;
/** Lines of output shown of a failure that names no place, or of a change a job made. */
const MOST_TAIL = 20;
const MOST_DIFF = 40;

/**
 * What failed: findings as `file:line:column: severity: message [rule]`, the form compilers print and terminals and
 * editors can follow; the end of the output where no place is known; and where the whole output lies.
 */
export function failureLines(envelope: Envelope, ink: Ink, here: string | undefined): string[] {
  const { diagnostics = [] } = envelope;
  const { root } = whereOf(envelope);
  const shown = diagnostics.slice(0, MOST_FINDINGS);
  const findings = shown.flatMap((one) => [finding(one, root, ink, here), ...output(one, ink)]);
  const more = diagnostics.length - shown.length;
  if (more > 0) findings.push(ink.dim(`and ${count(more, 'more finding')}`));
  const where = sources(envelope, ink);
  return where.length === 0 ? findings : [...findings, '', ...where];
}

function finding(one: Diagnostic, root: string | undefined, ink: Ink, here: string | undefined): string {
  const { file, line, column, severity, message, rule, tool } = one;
  const at =
    file === undefined
      ? tool
      : [clickable(file, root, here), line, column].filter((part) => part !== undefined).join(':');
  const dressed = { error: ink.red, warning: ink.yellow, info: ink.cyan }[severity].call(ink, severity);
  return `${ink.bold(at)}: ${dressed}: ${message}${rule === undefined ? '' : ink.dim(` [${rule}]`)}`;
}

/** The tail of a job's output below a finding without a line, or the diff below a file a job changed. */
function output({ output: text, line, file }: Diagnostic, ink: Ink): string[] {
  if (text === undefined || text.trim() === '' || line !== undefined) return [];
  const lines = text.trimEnd().split('\n');
  const kept = file === undefined ? lines.slice(-MOST_TAIL) : lines.slice(0, MOST_DIFF);
  return kept.map((one) => `  ${ink.dim(ink.plainMark('bar'))} ${one}`);
}

/** For each job that failed: the command that shows it again, and the file with all of its output. */
function sources({ steps = [], diagnostics = [] }: Envelope, ink: Ink): string[] {
  const failed = steps.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed_out');
  const rows = failed.flatMap(({ name, output_path: path, output_lines: lines = 0 }) => {
    if (path === undefined) return [];
    const again = diagnostics.find((one) => one.output_path === path)?.reproduce_cmd;
    return [
      ...(again === undefined ? [] : [[`${name} again:`, again]]),
      [`${name} output:`, `${path} (${count(lines, 'line')})`],
    ];
  });
  return table(rows.map(([label = '', text = '']) => [{ text: label, shown: ink.dim(label) }, { text }]));
}
