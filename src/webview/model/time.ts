const two = (value: number) => String(value).padStart(2, '0');

/** A duration for people, from milliseconds: `230 ms`, `4.1 s`, `2m 05s`, `1h 02m`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(seconds % 60)}s`;
}

/** How long something has been going on: whole seconds, since more would only flicker. */
export function elapsed(ms: number): string {
  if (ms < 60_000) return `${Math.floor(Math.max(0, ms) / 1000)} s`;
  return duration(Math.floor(ms / 1000) * 1000);
}

/** A duration as a screen reader should say it: `230 milliseconds`, `4.1 seconds`, `2 minutes 5 seconds`. */
export function spoken(ms: number): string {
  if (ms < 999.5) return count(Math.max(0, Math.round(ms)), 'millisecond');
  if (ms < 59_950) return count(Number((ms / 1000).toFixed(1)), 'second');
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0
    ? `${count(hours, 'hour')} ${count(minutes, 'minute')}`
    : `${count(minutes, 'minute')} ${count(seconds % 60, 'second')}`;
}

/** A number of things, with the digits grouped: `1 job`, `1,234 jobs`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
