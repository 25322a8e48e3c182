import { createReadStream } from 'node:fs';
import { plain } from '../diagnostics/clean.ts';

/** What a measurement printed for one metric. */
export type Metric = { value: number } | { problem: string };

/** Characters of one line that are looked at, from its end; a metric's line is short. */
const longestLine = 64 * 1024;

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Words that some languages print for a number that is none. */
const notFinite = /^[+-]?(?:inf(?:inity)?|nan)$/i;

/** Reads one printed number. It must be finite: a limit compared with infinity would hold for ever, or never. */
export function parseMetric(name: string, text: string): Metric {
  const value = number.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return { value };
  const shown = JSON.stringify(text.slice(0, 60));
  if (number.test(text) || notFinite.test(text)) {
    return { problem: `the metric ${name} is ${shown}, which is not a finite number` };
  }
  return { problem: `the metric ${name} is ${shown}, which is not a number` };
}

/**
 * The metrics in one line: after each word `DISCERN_METRIC`, a name and what stands for its value. The words may stand
 * anywhere in a line, since a command may put its own text before them.
 */
export function metricsIn(line: string): [name: string, text: string][] {
  if (!line.includes('DISCERN_METRIC')) return [];
  const words = plain(line).split(/\s+/);
  return words.flatMap((word, at): [string, string][] => {
    const [name, text] = words.slice(at + 1, at + 3);
    return word === 'DISCERN_METRIC' && name !== undefined && name !== '' ? [[name, text ?? '']] : [];
  });
}

/**
 * Every metric a measurement printed, read from the file its output went to. Of several lines for one metric the last
 * counts, as the published format has it, also when it holds no number: what was printed before it is out of date.
 * Memory stays bounded whatever the file's size.
 */
export async function readMetrics(outputPath: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const take = (line: string) => {
    for (const [name, text] of metricsIn(line)) found.set(name, text);
  };
  let rest = '';
  for await (const chunk of createReadStream(outputPath, { encoding: 'utf8' })) {
    const lines = `${rest}${chunk}`.split(/[\r\n]/);
    rest = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) take(line);
  }
  take(rest);
  return found;
}

/** The metric of that name among those printed, or why there is none. */
export function metricNamed(printed: ReadonlyMap<string, string>, name: string): Metric {
  const text = printed.get(name);
  if (text === undefined) {
    return {
      problem: `its command printed no metric ${name}: it must print "DISCERN_METRIC ${name} <number>"`,
    };
  }
  return parseMetric(name, text);
}
