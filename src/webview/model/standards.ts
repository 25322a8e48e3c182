import type { StandardResult } from '../../contract/data.ts';
import { boundWords, shownNumber, stateOutcomes, stateWords } from '../../contract/standard-words.ts';

/** The chart's own units; the page scales it. */
export const chartWidth = 100;
export const chartHeight = 20;

/** Kept free above and below, so that a line at an edge is whole. */
const inset = 2;

/** The shape of a standard's history: the values as a line, and its limit as a level. */
export interface Chart {
  /** `x,y` of each value, oldest first, as an SVG polyline takes them. */
  points: string;
  /** Where the last value is. */
  last: { x: number; y: number };
  /** How high the limit lies; absent without one. */
  limit?: number;
}

export interface StandardRow {
  key: string;
  name: string;
  state: StandardResult['state'];
  /** The mark before it. */
  mark: 'passed' | 'failed' | 'skipped';
  value: string;
  bound: string;
  label: string;
  chart?: Chart;
}

const round = (number: number) => Math.round(number * 100) / 100;

/**
 * Draws values and the limit on one scale, upwards being more. A single value is a dot at the right; values that are all
 * the same, and the limit with them, lie in the middle.
 */
export function chartOf(values: readonly number[], limit: number | undefined): Chart | undefined {
  const end = values.at(-1);
  if (end === undefined) return undefined;
  const all = limit === undefined ? values : [...values, limit];
  const low = Math.min(...all);
  const span = Math.max(...all) - low;
  const height = (value: number) => {
    const part = span === 0 ? 0.5 : (value - low) / span;
    return round(chartHeight - inset - part * (chartHeight - 2 * inset));
  };
  const step = (chartWidth - 2 * inset) / Math.max(1, values.length - 1);
  const across = (at: number) => (values.length === 1 ? chartWidth - inset : round(inset + at * step));
  return {
    points: values.map((value, at) => `${across(at)},${height(value)}`).join(' '),
    last: { x: across(values.length - 1), y: height(end) },
    ...(limit !== undefined && { limit: height(limit) }),
  };
}

/** The standards as the view lists them. */
export function standardRows(standards: readonly StandardResult[]): StandardRow[] {
  return standards.map((standard) => {
    const { name, state, pin, history = [] } = standard;
    const bound = boundWords(standard);
    const better = pin === undefined ? '' : `; could be pinned at ${shownNumber(pin)}`;
    const chart = chartOf(history, standard.limit);
    const past = history.length > 1 ? ` Earlier: ${history.slice(0, -1).map(shownNumber).join(', ')}.` : '';
    return {
      key: name,
      name,
      state,
      mark: stateOutcomes[state],
      value: stateWords(standard),
      bound: `${bound}${better}`,
      label: `${name} ${stateWords(standard)}, ${bound}${better}.${past}`,
      ...(chart && { chart }),
    };
  });
}

/** What the section says of all of them, when any is not as it should be. */
export function standardsSummary(rows: readonly StandardRow[]): string {
  const bad = rows.filter(({ mark }) => mark === 'failed').length;
  return bad === 0 ? '' : `${bad} of ${rows.length} failed`;
}
