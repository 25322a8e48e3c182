import { fields, git } from './core.ts';

/**
 * What a merge is computed with, whatever the user's settings say (git-config(1), "merge", "diff"): git's own defaults, so that
 * the same two commits make the same tree for everybody.
 */
const always: readonly [string, string][] = [
  ['merge.renames', 'true'],
  ['merge.directoryRenames', 'conflict'],
  ['merge.renameLimit', '7000'],
  ['merge.conflictStyle', 'merge'],
  ['merge.renormalize', 'false'],
  ['merge.default', 'text'],
  ['diff.algorithm', 'histogram'],
];

/** A driver's command that does what git does by itself (git-merge-file(1)): merges line by line, and conflicts where that fails. */
const BY_LINE = 'git merge-file --quiet --marker-size=%L %A %O %B';

/**
 * The variables that hold a merge to {@link always}. A merge driver is a program that a setting names: each that a `.gitattributes`
 * may ask for merges by line instead, and what only the program could merge conflicts, and is told.
 */
export async function mergeSettings(cwd: string): Promise<Record<string, string>> {
  const asking = ['config', '--null', '--name-only', '--get-regexp', '^merge\\..*\\.(driver|recursive)$'];
  const { stdout } = await git(cwd, asking, { ok: [0, 1] });
  const keys = new Set(fields(stdout).map((key) => key.toString('utf8')));
  const drivers = [...keys].map((key): [string, string] => [key, key.endsWith('.driver') ? BY_LINE : 'text']);
  const settings = [...always, ...drivers];
  const numbered = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}
