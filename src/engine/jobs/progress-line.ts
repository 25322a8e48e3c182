import { type JobFailure, type JobProgress, ProgressLine } from '../../contract/job-progress.ts';

const WORD = 'DISCERN_PROGRESS';
/** The longest line that is looked at, in characters. */
export const LONGEST_LINE = 16 * 1024;

export interface Told {
  progress?: JobProgress;
  failure?: JobFailure;
}

/**
 * What one line of a job's output says of how far it is: the word, behind nothing or a space, then one JSON object up to the end
 * of the line. A line counts whole or not at all: half of a wrong report would look like a smaller true one.
 */
export function toldIn(line: string): Told | undefined {
  if (line.length > LONGEST_LINE || !line.includes(WORD)) return undefined;
  const [, json] = /(?:^|\s)DISCERN_PROGRESS[ \t]+(\{.*\})\s*$/.exec(line) ?? [];
  if (json === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The line is no report then, only text with our word in it.
    return undefined;
  }
  const { success, data } = ProgressLine.safeParse(value);
  if (!success) return undefined;
  const { units, results = {}, active, failure, elapsed_ms: elapsed, partial } = data;
  const progress: JobProgress = {
    ...(units && { kind: units.kind, completed: units.completed }),
    ...(typeof units?.total === 'number' && { total: units.total }),
    ...results,
    ...(active && { active }),
  };
  const saysMore = elapsed !== undefined || partial === true;
  if (Object.keys(progress).length === 0) return failure ? { failure } : saysMore ? {} : undefined;
  return { progress, ...(failure && { failure }) };
}
