import type { FleetData, FleetWorktree } from '../../contract/verbs-fleet.ts';
import { nameOf, reasonWords } from './row.ts';

/** What a person wants to be told of, as `discern.fleet.notifications` has it. */
export const newsWanted = ['attention', 'all', 'none'] as const;
export type NewsWanted = (typeof newsWanted)[number];

/** Something that has come to be so in a worktree. */
export interface News {
  /** The same for as long as it stays so, in every window. */
  key: string;
  /** The project root of the worktree. */
  root: string;
  message: string;
}

/** What has come to be so since the fleet was read before; nothing of what a window finds when it opens. */
export function newsOf(before: FleetData | undefined, now: FleetData, wanted: NewsWanted): News[] {
  if (before === undefined || wanted === 'none') return [];
  const known = new Set(standing(before, wanted).map(({ key }) => key));
  return standing(now, wanted).filter(({ key }) => !known.has(key));
}

function standing({ projects }: FleetData, wanted: NewsWanted): News[] {
  return projects.flatMap(({ name, worktrees }) =>
    worktrees.flatMap((one) => [...needs(one, name), ...(wanted === 'all' ? progress(one, name) : [])]),
  );
}

const where = (one: FleetWorktree, project: string) => `${nameOf(one)} (${project})`;
const titled = (title: string | undefined) => (title === undefined ? '' : `, in “${title}”`);

function needs(one: FleetWorktree, project: string): News[] {
  const { path, root, sessions, needs_attention: why = [] } = one;
  const asking = sessions.flatMap(({ client, id, title, needs_attention: reason }) =>
    reason === undefined
      ? []
      : [
          {
            key: JSON.stringify([path, client, id, reason]),
            root,
            reason,
            message: `${where(one, project)}: ${client}: ${reasonWords(reason)}${titled(title)}.`,
          },
        ],
  );
  const said = new Set(asking.map(({ reason }) => reason));
  return [
    ...asking.map(({ key, root: at, message }) => ({ key, root: at, message })),
    ...why
      .filter((reason) => !said.has(reason))
      .map((reason) => ({
        key: JSON.stringify([path, reason, one.last_run?.at]),
        root,
        message: `${where(one, project)}: ${reasonWords(reason)}.`,
      })),
  ];
}

function progress(one: FleetWorktree, project: string): News[] {
  const { path, root, sessions, proof, commit } = one;
  const over = sessions.filter(({ state }) => state === 'idle' || state === 'ended');
  return [
    ...(proof === 'valid'
      ? [
          {
            key: JSON.stringify([path, 'proved', commit]),
            root,
            message: `${where(one, project)} is proved.`,
          },
        ]
      : []),
    ...over.map(({ client, id, state, title }) => ({
      key: JSON.stringify([path, client, id, 'over']),
      root,
      message: `${where(one, project)}: ${client} ${state === 'idle' ? 'has finished its turn' : 'has ended'}${titled(title)}.`,
    })),
  ];
}
