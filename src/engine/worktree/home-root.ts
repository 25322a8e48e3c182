import { isHome, openRepository, rootIn } from '../repository/repository.ts';
import { findRoot } from '../repository/root.ts';
import { homeCheckout } from './place.ts';

/**
 * The project's root in the checkout that stands for the repository itself, from any directory of any checkout: from there worktrees
 * are started and dropped. Refuses what {@link findRoot} and {@link openRepository} refuse.
 */
export async function homeRoot(directory: string): Promise<string> {
  const root = await findRoot(directory);
  const repo = await openRepository(root);
  return isHome(repo) ? root : rootIn(repo, homeCheckout(repo));
}
