import type { StandardResult } from './data.ts';

/** A number for people: at most four decimals, or four digits where it is small. */
export function shownNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return String(Number(Math.abs(value) < 0.01 ? value.toPrecision(4) : value.toFixed(4)));
}

/** A standard's bound in words, such as `floor 89` or `ceiling 16 per 1000 words in docs/**`. */
export function boundWords({ direction, limit, trunk_limit, per }: StandardResult): string {
  const side = direction === 'up' ? 'floor' : 'ceiling';
  return `${side} ${limit ?? trunk_limit}${per === undefined ? '' : ` per ${per}`}`;
}

/** How a standard fared, in a few words. */
export function stateWords(standard: StandardResult): string {
  const { state, limit, trunk_limit } = standard;
  switch (state) {
    case 'loosened':
      return limit === undefined
        ? `gone here; the trunk has ${trunk_limit}`
        : `looser than the trunk’s ${trunk_limit}`;
    case 'deferred':
      return 'measured on demand only';
    case 'skipped':
      return 'not measured';
    case 'unmeasured':
      return 'gave no number';
    default:
      return `${state === 'held' ? 'holds' : 'got worse'}: ${shownNumber(standard.value ?? 0)}${
        standard.replayed_from === undefined ? '' : `, as on ${standard.replayed_from.slice(0, 10)}`
      }`;
  }
}

/** A standard's state as the outcome of a job, for what marks jobs. */
export const stateOutcomes = {
  held: 'passed',
  regressed: 'failed',
  loosened: 'failed',
  unmeasured: 'failed',
  deferred: 'skipped',
  skipped: 'skipped',
} as const satisfies Record<StandardResult['state'], string>;
