import type { Standard } from '../../contract/config.ts';

/** What two numbers may differ by and still count as the same: rates are quotients of binary fractions. */
const slack = (limit: number) => 1e-9 * Math.max(1, Math.abs(limit));

type Bound = Pick<Standard, 'direction' | 'limit'>;

/** True when a measured value is no worse than the limit: not below a floor, not above a ceiling. */
export function holds({ direction, limit }: Bound, value: number): boolean {
  return direction === 'up' ? value >= limit - slack(limit) : value <= limit + slack(limit);
}

/** True when `limit` is weaker than the trunk's; so is one of the other direction, which holds something else. */
export function isLooser(own: Bound, trunk: Bound): boolean {
  if (own.direction !== trunk.direction) return true;
  return own.direction === 'up' ? own.limit < trunk.limit : own.limit > trunk.limit;
}

/** How many decimals a number is written with, at most 12. */
function decimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  const fraction = digits.split('.')[1]?.length ?? 0;
  return Math.min(12, Math.max(0, fraction - Number(exponent)));
}

/**
 * The limit pinning would set: the measured value less its margin (a floor) or with it (a ceiling), rounded so that the
 * measurement still holds, to two decimals or as many as the limit or margin is written with. `undefined` where that is not
 * tighter than the limit. The rule is the published format's.
 */
export function pinLimit(
  standard: Pick<Standard, 'direction' | 'limit' | 'margin'>,
  value: number,
): number | undefined {
  const { direction, limit, margin } = standard;
  const target = direction === 'up' ? value - margin : value + margin;
  const places = Math.max(2, decimals(limit), decimals(margin));
  const scaled = target * 10 ** places;
  // 1.15 * 100 is a little less than 115, and must not become 1.14.
  const near = Math.round(scaled);
  const whole =
    Math.abs(scaled - near) < 1e-6 ? near : direction === 'up' ? Math.floor(scaled) : Math.ceil(scaled);
  // A double this large has no decimals to round.
  const exact = Math.abs(scaled) > Number.MAX_SAFE_INTEGER;
  const rounded = exact ? target : Number((whole / 10 ** places).toFixed(places));
  if (!Number.isFinite(rounded) || !holds({ direction, limit: rounded }, value)) return undefined;
  const tighter = direction === 'up' ? rounded > limit : rounded < limit;
  return tighter ? rounded : undefined;
}

/** What a standard's metric is divided by, for a sentence; `undefined` for a plain count. */
export function perWords({ per, scale }: Pick<Standard, 'per' | 'scale'>): string | undefined {
  if (per === undefined) return undefined;
  const factor = scale === 1 ? '' : `${scale} `;
  return 'metric' in per ? `${factor}${per.metric}` : `${factor}${per.extent} in ${per.paths.join(', ')}`;
}
