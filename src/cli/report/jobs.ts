import type { Envelope, Step } from '../../contract/envelope.ts';
import { reusedWords } from '../../contract/reused-words.ts';
import type { Ink } from '../ink.ts';
import { duration, table } from '../words.ts';

/** The jobs of a run, one a line: how each ended, its stage, and how long it took. */
export function jobLines({ steps = [] }: Envelope, ink: Ink): string[] {
  if (steps.length === 0) return [];
  const times = steps.map(({ outcome, duration_ms, reused }) =>
    outcome === 'skipped' || reused ? '' : duration(duration_ms),
  );
  const widest = Math.max(...times.map((time) => time.length));
  return table(
    steps.map((step, index) => [
      {
        text: `  ${ink.plainMark(step.outcome)} ${step.name}`,
        shown: `  ${ink.mark(step.outcome)} ${step.name}`,
      },
      { text: step.stage, shown: ink.dim(step.stage) },
      { text: (times[index] ?? '').padStart(widest) },
      { text: ending(step), shown: ink.dim(ending(step)) },
    ]),
  );
}

function ending({ outcome, exit_code, reused }: Step): string {
  if (reused) return reusedWords(reused);
  if (outcome === 'passed') return '';
  // A measurement may fail by what it printed.
  if (outcome === 'failed' && exit_code === 0) return '';
  if (outcome === 'failed') return exit_code === undefined ? 'ended by a signal' : `exit ${exit_code}`;
  return outcome.replace('_', ' ');
}
