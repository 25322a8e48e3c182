import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from './project.ts';

/**
 * A resource of a test project is a directory of its handle's name beside the checkouts, which lie beside each other too, so
 * that `..` is the same place from each. Whatever runs leaves a line in the log there; a file `no-<action>-<name>` there makes
 * the action fail.
 */
const act = (action: string, name: string, effect: string) =>
  JSON.stringify(
    `echo ${action}-${name} >> ../log; test ! -e ../no-${action}-${name} || { echo cannot ${action}; exit 4; }; ${effect}`,
  );

/** The `[worktree.resources.<name>]` table; `more` are further lines of it. */
export const resource = (name: string, more = '') =>
  `[worktree.resources.${name}]
create = ${act('create', name, 'mkdir ../@resource@')}
destroy = ${act('destroy', name, 'rm -rf ../@resource@')}
ensure = ${act('ensure', name, 'test -d ../@resource@')}
${more}
`;

/** A `discern.toml` with these tables. */
export const withTables = (...tables: string[]) =>
  `[project]\nslug = "shop"\n[worktree]\nroot = ".."\n${tables.join('\n')}`;

/** The resources that are there, as `<id>-<name>`. */
export async function there({ home }: Pick<Project, 'home'>): Promise<string[]> {
  const names = await readdir(home);
  return names.filter((name) => name.startsWith('shop-')).map((name) => name.slice('shop-'.length));
}

/** The names of resources that are written down, by the id of their worktree. */
export async function writtenDown({ root }: Pick<Project, 'root'>): Promise<Record<string, string[]>> {
  const dir = join(root, '.git/discern-vscode/resources');
  const found: Record<string, string[]> = {};
  for (const file of await readdir(dir).catch(() => [])) {
    const { id, resources } = JSON.parse(await readFile(join(dir, file), 'utf8'));
    found[id] = resources.map(({ name }: { name: string }) => name);
  }
  return found;
}

/** Makes an action of a resource fail from now on. */
export const forbid = ({ home }: Pick<Project, 'home'>, what: string) =>
  writeFile(join(home, `no-${what}`), '');
