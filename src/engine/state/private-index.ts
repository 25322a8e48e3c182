import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { madeOwnDir } from './own-dir.ts';
import { removeOwnFile } from './remove.ts';

/** Who works with an index of its own. */
const makers = ['recover', 'pin', 'generated', 'taken'] as const;

const named = new RegExp(`^(?:${makers.join('|')})-[0-9a-f]{8}\\.index(?:\\.lock)?$`);

/** True of the name of an index that {@link withPrivateIndex} made, and of the lock git has on it while it writes. */
export const isPrivateIndex = (name: string): boolean => named.test(name);

/**
 * Gives `work` an index of its own, in our directory under the git common dir, so that no checkout's index is touched. It is
 * gone afterwards; what a killed process leaves of it `prune` finds by its name.
 */
export async function withPrivateIndex<Value>(
  stateDirectory: string,
  maker: (typeof makers)[number],
  work: (env: Record<string, string>) => Promise<Value>,
): Promise<Value> {
  await madeOwnDir(stateDirectory);
  const index = join(stateDirectory, `${maker}-${randomBytes(4).toString('hex')}.index`);
  try {
    return await work({ GIT_INDEX_FILE: index });
  } finally {
    await removeOwnFile(index);
    await removeOwnFile(`${index}.lock`);
  }
}
