import type { StatusData, Worktree } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { Ink } from '../ink.ts';
import { short, table } from '../words.ts';
import { keptRefLines } from './prune.ts';

/** Where a checkout stands, in the manner of `git status`. */
export function statusLines(data: StatusData, { message = '' }: Envelope, ink: Ink): string[] {
  const { root, branch, commit, proof } = data;
  const on = branch === null ? `HEAD detached at ${ink.red(short(commit))}` : `On branch ${ink.cyan(branch)}`;
  return [
    `${on} (${standing(data)})`,
    `  ${root} at ${short(commit)}`,
    '',
    data.clean ? message : `${ink.red(message.replace(/\.$/, ''))} (${changes(data)})`,
    proofLine(proof, ink),
    ...upstreamLines(data, ink),
    ...(data.recovery ? ['', `${ink.mark('passed')} ${data.recovery.detail}`] : []),
    ...(data.findings ?? []).flatMap(({ what, remedy }) => ['', `${ink.yellow('!')} ${what}`, `  ${remedy}`]),
    ...keptLines(data, ink),
    ...worktreeLines(data, ink),
  ];
}

function upstreamLines({ trunk, upstream }: StatusData, ink: Ink): string[] {
  if (!upstream) return [];
  const { name, ahead, behind, remedy } = upstream;
  const distance = away({ ahead, behind });
  return ['', `${ink.yellow('!')} ${trunk} against ${name}, as last fetched: ${distance}`, `  ${remedy}`];
}

function keptLines({ kept }: StatusData, ink: Ink): string[] {
  if (!kept) return [];
  const more = kept.total - kept.refs.length;
  return [
    '',
    'Kept of removed worktrees:',
    ...kept.refs.flatMap((one) => keptRefLines(one, ink)),
    ...(more > 0 ? [`  and ${more} more: discern prune`] : []),
  ];
}

function standing({ location, branch, trunk, ahead, behind }: StatusData): string {
  if (location === 'main' && branch === trunk) return 'the trunk';
  const distance = away({ ahead, behind }) || 'up to date';
  return `${location === 'main' ? 'main checkout; trunk is' : 'worktree of'} ${trunk}, ${distance}`;
}

function away({
  ahead = 0,
  behind = 0,
}: {
  ahead?: number | undefined;
  behind?: number | undefined;
}): string {
  return [...(ahead > 0 ? [`${ahead} ahead`] : []), ...(behind > 0 ? [`${behind} behind`] : [])].join(', ');
}

function changes({ changes: { staged, unstaged, untracked } }: StatusData): string {
  return Object.entries({ staged, unstaged, untracked })
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${number} ${name}`)
    .join(', ');
}

function proofLine({ state, commit, reason }: StatusData['proof'], ink: Ink): string {
  if (state === 'valid') return `Proof: ${ink.green('valid')}, the gate passed on ${short(commit ?? '')}.`;
  return `Proof: ${state === 'stale' ? ink.yellow(state) : state}.${reason === undefined ? '' : ` ${reason}`}`;
}

function worktreeLines({ root, worktrees }: StatusData, ink: Ink): string[] {
  if (worktrees.length < 2) return [];
  const rows = worktrees.map((one) => {
    const current = one.root === root;
    const name = `${current ? '*' : ' '} ${one.branch ?? `(detached at ${short(one.commit)})`}`;
    const state = stateOf(one);
    return [
      { text: name, shown: current ? ink.green(name) : name },
      { text: state, shown: one.clean === false ? ink.yellow(state) : state },
      { text: one.root, shown: ink.dim(one.root) },
    ];
  });
  return ['', 'Worktrees:', ...table(rows)];
}

function stateOf(worktree: Worktree): string {
  const { landing, clean, locked, prunable, parked, managed, location, port, listening } = worktree;
  return [
    ...(worktree.title === undefined ? [] : [worktree.title]),
    ...(worktree.tickets ?? []),
    ...(landing ? ['trunk'] : []),
    ...(clean === false ? ['changed'] : []),
    ...(away(worktree) === '' ? [] : [away(worktree)]),
    ...(locked === undefined ? [] : [locked ? `locked: ${locked}` : 'locked']),
    ...(prunable === undefined ? [] : ['gone']),
    ...(parked === undefined ? [] : ['parked']),
    ...(listening ? [`port ${port} in use`] : []),
    ...(location === 'worktree' && !managed ? ['not made by discern'] : []),
  ].join(', ');
}
