const EVERY_MS = 1_000;

/**
 * Calls `orphaned` when the process that started this one is gone: another that it started may hold our stdin open, which then
 * never ends. Where the parent is not known to change (Windows, or a process started by init) nothing is watched.
 */
export function onParentGone(orphaned: () => void): void {
  const parent = process.ppid;
  if (process.platform === 'win32' || parent <= 1) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    orphaned();
  }, EVERY_MS);
  timer.unref();
}
