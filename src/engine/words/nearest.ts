/**
 * Edit distance between two words: insertions, deletions, substitutions and swaps of neighbours each count
 * one (the optimal string alignment distance). Answers `limit + 1` as soon as the distance must exceed
 * `limit`, so a very long word costs nothing.
 */
export function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
      least = Math.min(least, best);
    }
    if (least > limit + 1) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return Math.min(last[to.length] ?? limit + 1, limit + 1);
}

/**
 * The known word someone most likely meant: case aside, within one edit for every three letters of the
 * known word (at least one edit, but never all of it). Of equally near words the earlier in `known` wins.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const limit = Math.min(Math.max(1, Math.floor(candidate.length / 3)), candidate.length - 1);
    if (limit < 0) continue;
    const distance =
      word === candidate ? -1 : editDistance(word.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance <= limit && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
