import { basename, join } from 'node:path';
import type { Result } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { Args } from '../../contract/verbs.ts';
import type { ProjectRow } from '../../contract/verbs-fleet.ts';
import type { Context } from '../call/context.ts';
import { alsoLooking } from '../call/looking.ts';
import { exists } from '../files/files.ts';
import { knownProjects } from '../fleet/known-projects.ts';
import { openKnown } from '../fleet/project.ts';
import { branchOf } from '../git/worktree.ts';
import { isHomeEntry, type Repository, rootIn } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';

/**
 * Lists the projects that are known, each with its checkouts: those this user's servers and command lines have met, for a caller from
 * elsewhere those the server was started for. A project that cannot be read is a hint, and does not hide the others.
 */
export async function projects(
  root: string,
  _args: Args<'projects'>,
  ctx: Context,
): Promise<Result<'projects'>> {
  return alsoLooking(async () => {
    const { projects: known, lost } = await knownProjects(root, ctx);
    const hints = [...lost];
    const found = await Promise.all(
      known.map(async (project): Promise<ProjectRow[]> => {
        const opened = await openKnown(project, ctx);
        if ('repo' in opened) return checkouts(opened.repo);
        if (!opened.vanished) hints.push(`${project.root}: ${opened.problem}`);
        if (!opened.vanished) return [];
        const { root: path } = project;
        return [{ path, name: basename(path), branch: null, location: 'main', vanished: true }];
      }),
    );
    // Two roots of one repository may lie in each other's worktrees.
    const rows = [...new Map(found.flat().map((row) => [row.path, row])).values()];
    const message =
      rows.length === 0
        ? ctx.serves
          ? 'This server was started for no project: whoever runs it names some with --root, or serves every one with --any-project.'
          : 'No project is known yet: call discern_status with the path of one, or init to make one.'
        : `${count(rows.length, 'checkout')}: pass one of these paths.`;
    return { ok: true, data: { projects: rows }, ...(hints.length > 0 && { hints }), message };
  });
}

async function checkouts(repo: Repository): Promise<ProjectRow[]> {
  const name = repo.config.config.project.name ?? repo.root;
  const rows: ProjectRow[] = [];
  for (const entry of repo.worktrees) {
    const path = rootIn(repo, entry.path);
    if (entry.bare || entry.prunable !== undefined || !(await exists(join(path, CONFIG_FILE)))) continue;
    const location = isHomeEntry(repo, entry) ? 'main' : 'worktree';
    rows.push({ path, name, branch: branchOf(entry) ?? null, location });
  }
  const [only, other] = rows;
  return only && !other ? [{ ...only, empty: true }] : rows;
}
