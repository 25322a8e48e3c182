import { decodeUtf8 } from '../config/decode.ts';
import { largestConfig } from '../config/index.ts';
import { git } from '../git/core.ts';
import type { Repository, Trunk } from './repository.ts';

/**
 * The text of a file at the project's root as the trunk has it committed, for what no branch may decide about itself. `null` where
 * there is none; `undefined` where it is too large or no text.
 */
export async function trunkFile(
  { top, prefix }: Repository,
  trunk: Trunk,
  name: string,
): Promise<string | null | undefined> {
  const file = prefix ? `${prefix}/${name}` : name;
  const { stdout, code } = await git(top, ['cat-file', 'blob', `${trunk.commit}:${file}`], { ok: [0, 128] });
  if (code !== 0) return null;
  const decoded = stdout.length > largestConfig ? undefined : decodeUtf8(stdout);
  return decoded && 'text' in decoded ? decoded.text : undefined;
}
