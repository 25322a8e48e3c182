import { join } from 'node:path';
import { loadSettings, settingsFile } from '../../config/index.ts';
import { readBounded } from '../../files/bounded-file.ts';
import type { Repository } from '../../repository/repository.ts';
import { below, fromCursor, fromInclude, fromVscode } from './patterns.ts';

/** Which ignored files one source says a new worktree wants. */
export interface Wanted {
  source: string;
  /** gitignore(5) patterns, from the git top on. */
  patterns: string[];
}

/** The most bytes a file of patterns, and the most patterns of one source, that are read. */
const MOST_BYTES = 256 * 1024;
const MOST_PATTERNS = 500;

/**
 * What says which ignored files come along, as it stands in a checkout. Refuses `config_error` when our own settings are wrong; of a
 * file that is another tool's a hint says what is wrong with it.
 */
export async function wantedOf({
  top,
  root,
  prefix,
}: Repository): Promise<{ wanted: Wanted[]; hints: string[] }> {
  const wanted: Wanted[] = [];
  const hints: string[] = [];
  const add = (source: string, patterns: string[], at = prefix) => {
    if (patterns.length > MOST_PATTERNS) {
      hints.push(`Of the ${patterns.length} patterns in ${source} the first ${MOST_PATTERNS} are used.`);
    }
    const used = patterns.slice(0, MOST_PATTERNS).map((pattern) => below(at, pattern));
    if (used.length > 0) wanted.push({ source, patterns: used });
  };
  const read = async (
    path: string,
    name: string,
    parse: (text: string) => string[] | { problem: string },
    at = prefix,
  ) => {
    const found = await readBounded(path, MOST_BYTES);
    if (!found) return;
    const parsed = 'text' in found ? parse(found.text) : found;
    if (Array.isArray(parsed)) add(name, parsed, at);
    else hints.push(`${name} ${parsed.problem}, so it brings nothing along.`);
  };
  await read(join(top, '.worktreeinclude'), '.worktreeinclude', fromInclude, '');
  if (prefix !== '') await read(join(root, '.worktreeinclude'), `${prefix}/.worktreeinclude`, fromInclude);
  await read(join(root, '.cursor', 'worktrees.json'), '.cursor/worktrees.json', fromCursor);
  await read(join(root, '.vscode', 'settings.json'), '.vscode/settings.json', fromVscode);
  add(settingsFile, (await loadSettings(root)).worktree.include);
  return { wanted, hints };
}
