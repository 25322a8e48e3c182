import { basename } from 'node:path';
import { count } from '../contract/count.ts';
import type { Held, StatusData, Worktree } from '../contract/data.ts';
import type { Divergence } from '../contract/divergence.ts';

/** The last part of a path, for labels; the whole path goes into tooltips. */
export const shortName = (path: string): string => basename(path) || path;

/** Names as a person counts: `task 2` before `task 10`. */
export const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

/** A text in lines of at most `width` characters, broken between words, for rows that cannot wrap. */
export function wrapped(text: string, width = 36): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The day of a time, as `2026-01-31`. */
export const dayOf = (time: string): string => time.slice(0, 10);

/** `↑2 ↓1`, as git's own status bar item in VS Code writes it; empty when level with the trunk. */
export function distance(ahead: number | undefined, behind: number | undefined): string {
  return [ahead ? `↑${ahead}` : '', behind ? `↓${behind}` : ''].filter(Boolean).join(' ');
}

/** The same for a screen reader. */
export function spokenDistance(ahead: number | undefined, behind: number | undefined, trunk: string): string {
  if (!ahead && !behind) return `level with ${trunk}`;
  return [ahead ? `${ahead} ahead of ${trunk}` : '', behind ? `${behind} behind ${trunk}` : '']
    .filter(Boolean)
    .join(', ');
}

/** What a row shows of a checkout, for a screen reader: its branch, its distance from the trunk, and its marks. */
export function spokenCheckout(
  tree: Pick<Worktree, 'branch' | 'ahead' | 'behind' | 'clean' | 'locked' | 'prunable' | 'parked'>,
  trunk: string,
): string[] {
  return [
    tree.branch ? `branch ${tree.branch}` : 'detached HEAD',
    ...(tree.branch === trunk ? [] : [spokenDistance(tree.ahead, tree.behind, trunk)]),
    ...(tree.clean === false ? ['has changes'] : []),
    ...(tree.locked === undefined ? [] : ['locked']),
    ...(tree.prunable === undefined ? [] : ['gone']),
    ...(tree.parked === undefined ? [] : ['parked']),
  ];
}

export function changes(status: StatusData): string {
  const { staged, unstaged, untracked } = status.changes;
  if (status.clean) return 'No uncommitted changes';
  return [
    staged ? `${staged} staged` : '',
    unstaged ? `${unstaged} changed` : '',
    untracked ? `${untracked} untracked` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** How the proof stands: short, and with its reason or commit. */
export function proof(status: StatusData): { label: string; detail: string } {
  const { state, commit, reason } = status.proof;
  if (state === 'valid') return { label: 'Proof valid', detail: commit?.slice(0, 10) ?? '' };
  return state === 'stale'
    ? { label: 'Proof out of date', detail: reason ?? '' }
    : { label: 'No proof', detail: reason ?? 'Not passed yet.' };
}

/** A branch beside the name of its folder; nothing when it only repeats that, as the branches discern makes do. */
export function branchBeside(branch: string | undefined, folder: string): string {
  return branch === undefined || branch === folder || branch.endsWith(`/${folder}`) ? '' : branch;
}

/** A divergence in one sentence: what stands where, and what it means. */
export function divergence(found: Divergence): { label: string; detail: string } | undefined {
  switch (found.state) {
    case 'aligned':
    case 'none':
      return undefined;
    case 'diverged':
      return {
        label: 'Not in this window',
        detail: `The server acts in ${found.root}, which is not a folder of this window: you see another checkout here.`,
      };
    case 'foreign':
      return {
        label: 'Another repository',
        detail: `The server acts in ${found.root}, which belongs to another repository than this window's folders.`,
      };
    case 'missing':
      return {
        label: 'Gone',
        detail: `The checkout the server held, ${found.root}, was removed. Its calls refuse until you aim it at another one.`,
      };
    case 'strand':
      return {
        label: 'Edits go elsewhere',
        detail: `The server holds ${found.root}, which is untouched, while ${count(found.files, 'tracked file')} changed in ${found.landing}: someone edits the wrong checkout.`,
      };
  }
}

/** The held root's name as the status bar shows it. */
export function heldName(held: Held | undefined): string {
  return held?.root ? shortName(held.root) : 'no project';
}
