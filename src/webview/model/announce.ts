import type { GateJob, GateRunView, GateViewState } from '../../contract/gate-view.ts';
import { findingsOf } from './findings.ts';
import { headlineOf } from './headline.ts';
import { stateWord } from './jobs.ts';
import { sameRun } from './run.ts';
import { count, spoken } from './time.ts';

/** Most jobs named one by one in an announcement. */
const maxNamed = 4;

/**
 * What a screen reader should say now that `before` has become `after`: that a run began, which jobs ended, that it waits,
 * and the verdict. Each is said once; nothing is said of what was there already when the view opened.
 */
export function announcements(before: GateViewState | undefined, after: GateViewState): string[] {
  const run = after.run;
  if (before === undefined || run === undefined) return [];
  const known = sameRun(before.run, run) ? before.run : undefined;
  const { verb, word, place, message } = headlineOf(run);
  const said: string[] = [];
  if (known === undefined) said.push(`${verb} started in ${place}.`);
  if (run.running && run.waiting !== undefined && run.waiting !== known?.waiting) said.push(run.waiting);
  const ended = newlyEnded(known, run);
  said.push(...ended.slice(0, maxNamed).map(({ name, state }) => `${name} ${stateWord(state)}.`));
  if (ended.length > maxNamed) said.push(`${count(ended.length - maxNamed, 'more job')} ended.`);
  if (!run.running && (known === undefined || known.running)) {
    const { summary } = findingsOf(run);
    const time = `after ${spoken(run.elapsed)}`;
    said.push([`${verb} ${word} ${time}.`, summary && `${summary}.`, message].filter(Boolean).join(' '));
  }
  return said;
}

function newlyEnded(known: GateRunView | undefined, run: GateRunView): GateJob[] {
  const before = new Set((known?.jobs ?? []).filter(isOver).map(identity));
  return run.jobs.filter((job) => isOver(job) && !before.has(identity(job)));
}

const isOver = ({ state }: GateJob) => state !== 'running';
const identity = ({ name, stage, start }: GateJob) => `${stage}/${name}/${start}`;
