import type { PastRun } from '../../contract/gate-view.ts';
import { verbTitle } from './headline.ts';
import { lastPart } from './paths.ts';
import { count, duration } from './time.ts';

/** A run of the history as a row shows it. */
export interface PastRow {
  key: string;
  call: number;
  ok: boolean;
  what: string;
  jobs: string;
  time: string;
  /** For a screen reader. */
  label: string;
}

/** More or less than the usual time by this part is worth a word. */
const WORTH_TELLING = 0.2;

/** What ran, what was reused, and how long it took against the runs before it. */
export function pastRow({ call, verb, root, ok, ended, elapsed, usual, ran, reused }: PastRun): PastRow {
  const what = `${verbTitle(verb)} ${ok ? 'passed' : 'failed'} in ${lastPart(root)}`;
  const jobs = [`${ran} ran`, ...(reused > 0 ? [`${reused} reused`] : [])].join(', ');
  const at = new Date(ended).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const time = [duration(elapsed), against(elapsed, usual)].filter(Boolean).join(', ');
  return {
    key: String(call),
    call,
    ok,
    what,
    jobs: `${jobs} · ${at}`,
    time,
    label: `${what}, ${count(ran, 'job')} ran${reused > 0 ? `, ${reused} reused` : ''}, ${time}, at ${at}`,
  };
}

function against(elapsed: number, usual: number | undefined): string {
  if (usual === undefined || usual === 0) return '';
  const more = elapsed / usual - 1;
  if (Math.abs(more) < WORTH_TELLING) return 'as usual';
  return `usually ${duration(usual)}`;
}
