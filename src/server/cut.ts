import type { Diagnostic } from '../contract/envelope.ts';

/** A text that is not too long, or its beginning; never half of a character outside the basic plane. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** The end of a text, in whole characters. */
export const lastOf = (text: string, limit: number): string =>
  text.slice(-limit).replace(/^[\uDC00-\uDFFF]/, '');

/** A message that is not too long, or its two ends: what to do next stands last. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = lastOf(text, Math.floor(limit / 4));
  return `${cut(text, limit - end.length)} ${end}`;
}

/** The job a finding is of: its log tells jobs apart that are called alike. */
export const jobOf = ({ output_path, tool }: Diagnostic): string => output_path ?? tool;

/** Findings by their job, the jobs in the order of their first finding: what is cut leaves each its share. */
export function byJob(diagnostics: readonly Diagnostic[]): Diagnostic[][] {
  const jobs = new Map<string, Diagnostic[]>();
  for (const one of diagnostics) {
    const known = jobs.get(jobOf(one));
    if (known) known.push(one);
    else jobs.set(jobOf(one), [one]);
  }
  return [...jobs.values()];
}
