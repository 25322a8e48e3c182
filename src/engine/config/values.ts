/** The longest time a timer holds, in seconds (2^31 - 1 ms, some 24 days); a longer one would fire at once. */
const longest = 2_147_483;

/** A command or path given alone or as a list, as a list. */
export function list(value: string | string[]): string[] {
  return typeof value === 'string' ? [value] : value;
}

/** A `timeout` to spread into a table that may have none. */
export function seconds(timeout: number | undefined): { timeout?: number } {
  return timeout === undefined ? {} : { timeout: Math.min(timeout, longest) };
}
