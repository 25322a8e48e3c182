/** Most bytes of output a diagnostic carries. */
const maxTailBytes = 4096;

/** How many lines from the end are searched for one that tells why. */
const maxSearched = 400;

const telling =
  /\b(?:error|fail(?:ed|ure|s)?|fatal|panic(?:ked)?|exception|cannot|can't|could not|couldn't|unable|not found|no such|denied|refused|missing|invalid|unexpected|too many|timed? ?out|killed|abort(?:ed)?|segmentation)\b/i;

/** What package managers and make add after the tool has said why. */
const noise =
  /^(?:npm (?:ERR!|error)(?: (?:code|errno|path|command|signal|Lifecycle|workspace|location|A complete log)\b|\s*$|.*\bdebug-\d)|error Command failed|\s*ELIFECYCLE|make(?:\[\d+\])?: \*\*\* |gmake: \*\*\* |ninja: build stopped|info Visit |error: (?:aborting due to|could not compile)|exit status \d|collect2: )/i;

/** What does not fail a job. */
const warning =
  /^\W{0,10}(?:npm |\S{1,100}: )?warn(?:ing)?\b|\b(?:0|no) (?:errors?|failures?|failed|failing)\b/i;

/** The end of the output in whole lines, at most 4096 bytes of UTF-8; a longer last line keeps its end. */
export function tailOf(lines: readonly string[]): string {
  const kept: string[] = [];
  let bytes = 0;
  for (let at = lastSaid(lines); at >= 0; at--) {
    const line = lines[at] ?? '';
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxTailBytes + 1) break;
    kept.push(line);
  }
  if (kept.length > 0) return kept.reverse().join('\n');
  const last = Buffer.from(lines[lastSaid(lines)] ?? '');
  // Bytes of a character that the cut went through come out as U+FFFD.
  return last
    .subarray(-maxTailBytes + 8)
    .toString('utf8')
    .replace(/^\ufffd+/, '');
}

/**
 * The line that best says why the job failed: the last that speaks of failing, else the last one unless
 * `only` such a line will do; '' of none.
 */
export function tellingLine(lines: readonly string[], only = false): string {
  const last = lastSaid(lines);
  for (let at = last; at >= 0 && at > last - maxSearched; at--) {
    const line = lines[at] ?? '';
    if (telling.test(line) && !noise.test(line) && !warning.test(line)) return line.trim();
  }
  return only ? '' : (lines[last]?.trim() ?? '');
}

function lastSaid(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line.trim() !== '');
}
