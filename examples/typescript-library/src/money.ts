/** An amount in cents, so that no sum is off by a rounding. */
export interface Money {
  cents: number;
  currency: string;
}

/** Adds amounts of one currency; refuses to mix currencies. */
export function add(a: Money, b: Money): Money {
  if (a.currency !== b.currency) throw new Error(`cannot add ${b.currency} to ${a.currency}`);
  return { cents: a.cents + b.cents, currency: a.currency };
}

/** Splits an amount so that no cent is lost: the first shares are larger by one where it does not divide. */
export function split({ cents, currency }: Money, ways: number): Money[] {
  const share = Math.floor(cents / ways);
  const larger = cents - share * ways;
  return Array.from({ length: ways }, (_, index) => ({
    cents: index < larger ? share + 1 : share,
    currency,
  }));
}
