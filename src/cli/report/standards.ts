import type { StandardResult } from '../../contract/data.ts';
import { boundWords, shownNumber, stateOutcomes, stateWords } from '../../contract/standard-words.ts';
import type { Ink } from '../ink.ts';
import { table } from '../words.ts';

/** Eighths of a line's height. */
const heights = '▁▂▃▄▅▆▇█';

/** A row of bars, the lowest value the lowest bar; nothing for fewer than two values. */
export function sparkline(values: readonly number[]): string {
  if (values.length < 2) return '';
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = (high - low) / (heights.length - 1);
  return values.map((value) => heights[step === 0 ? 3 : Math.round((value - low) / step)]).join('');
}

/** The standards, one a line: how each fared, its bound, what pinning would set, and what was measured before. */
export function standardLines(standards: readonly StandardResult[], ink: Ink): string[] {
  return table(
    standards.map((standard) => {
      const bound = boundWords(standard);
      const { name, state, pin, history = [] } = standard;
      const better = pin === undefined ? '' : `could be ${shownNumber(pin)}`;
      const more = [better, ink.unicode ? sparkline(history) : ''].filter((one) => one !== '');
      return [
        {
          text: `  ${ink.plainMark(stateOutcomes[state])} ${name}`,
          shown: `  ${ink.mark(stateOutcomes[state])} ${name}`,
        },
        { text: stateWords(standard) },
        { text: bound, shown: ink.dim(bound) },
        { text: more.join('  '), shown: ink.dim(more.join('  ')) },
      ];
    }),
  );
}
