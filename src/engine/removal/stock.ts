import { holdings, type Inspection, inspect } from '../worktree/inspect.ts';
import { type Leaving, lookInto, type Obstacle } from './look.ts';

/** Everything that goes with a worktree: its files, what git is doing there, and what nothing can keep. */
export interface Stock extends Inspection {
  obstacles: Obstacle[];
}

/** Looks at all of a worktree that is to be removed. Changes nothing. */
export async function takeStock(leaving: Leaving): Promise<Stock> {
  const [found, obstacles] = await Promise.all([inspect(leaving.at, leaving.gitDir), lookInto(leaving)]);
  return { ...found, obstacles };
}

/** What stands in a removal’s way, and what to do about it, as one clause; `undefined` when nothing does. */
export function inTheWay(obstacles: readonly Obstacle[], most = 3): string | undefined {
  if (obstacles.length === 0) return undefined;
  const told = obstacles.slice(0, most).map(({ what, next }) => `${what}: ${next}`);
  const more = obstacles.length - told.length;
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Accepts a checkout that is clean and at `commit` (empty: before the first); says what is in the way otherwise. */
export function cleanAt(commit: string, path: string) {
  return (found: Stock): string | undefined => {
    const held = holdings(found);
    if (held !== undefined)
      return `${path} was edited meanwhile: it holds ${held}, and all of it is still there`;
    if ((found.status.commit ?? '') !== commit)
      return `${path} got new commits meanwhile, and they are still there`;
    return inTheWay(found.obstacles);
  };
}
