import type { Diagnostic } from '../../contract/envelope.ts';

const severities = ['error', 'warning', 'info'] as const;

/**
 * Each finding once, errors first, those with a place before those without; else in the order given. Two are one where
 * they stand at the same place and one says what the other says, or less.
 */
export function merged(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const kept: Diagnostic[] = [];
  const byLine = new Map<string, number[]>();
  for (const one of diagnostics) {
    const key = JSON.stringify([one.file, one.line]);
    const same = byLine.get(key) ?? [];
    // A file with thousands of findings on one line: enough of them have been compared.
    const twin = same.slice(0, 50).find((at) => isSame(kept[at], one));
    if (twin === undefined) {
      if (same.length === 0) byLine.set(key, same);
      same.push(kept.length);
      kept.push(one);
    } else {
      const known = kept[twin];
      if (known !== undefined) kept[twin] = fuller(known, one);
    }
  }
  const placed = (one: Diagnostic) => one.file !== undefined;
  return severities.flatMap((severity) => {
    const of = kept.filter((one) => one.severity === severity);
    return [...of.filter(placed), ...of.filter((one) => !placed(one))];
  });
}

function isSame(a: Diagnostic | undefined, b: Diagnostic): boolean {
  if (a === undefined) return false;
  const [x, y] = [bare(a.message), bare(b.message)];
  if (a.file === undefined || a.line === undefined)
    return a.rule === b.rule && (a.file === undefined ? x === y : alike(x, y));
  if (a.column !== undefined && b.column !== undefined && a.column !== b.column) return false;
  if (a.rule !== undefined && b.rule !== undefined && a.rule !== b.rule) return false;
  return alike(x, y);
}

/** Whether every word of one is among the other's. */
function alike(x: string, y: string): boolean {
  if (x.includes(y) || y.includes(x)) return true;
  const [short, long] = x.length < y.length ? [x, y] : [y, x];
  const words = new Set(long.split(' '));
  return short.split(' ').every((word) => words.has(word));
}

function bare(message: string): string {
  return message
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** What both told: the more exact place, the longer message. */
function fuller(known: Diagnostic, other: Diagnostic): Diagnostic {
  const exact = known.column === undefined && other.column !== undefined ? { column: other.column } : {};
  const end =
    known.end_line === undefined &&
    other.end_line !== undefined &&
    (known.column ?? other.column) === other.column
      ? { end_line: other.end_line, ...(other.end_column !== undefined && { end_column: other.end_column }) }
      : {};
  const rule = known.rule === undefined && other.rule !== undefined ? { rule: other.rule } : {};
  const related =
    known.related === undefined && other.related !== undefined ? { related: other.related } : {};
  const url =
    known.rule_url === undefined && other.rule_url !== undefined ? { rule_url: other.rule_url } : {};
  const severity =
    severities.indexOf(other.severity) < severities.indexOf(known.severity) ? other.severity : known.severity;
  return { ...known, severity, ...exact, ...end, ...rule, ...url, ...related };
}
