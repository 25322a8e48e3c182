import { join } from 'node:path';
import { count } from '../../contract/count.ts';
import { type ProjectRow, type ProjectsData, projectsTool } from '../../contract/projects.ts';
import { messageOf } from '../../contract/values.ts';
import { checkArguments } from '../call/arguments.ts';
import type { Context } from '../call/context.ts';
import { exists } from '../files/files.ts';
import { branchOf } from '../git/worktree.ts';
import { isHomeEntry, openRepository, rootIn } from '../repository/repository.ts';
import { CONFIG_FILE } from '../repository/root.ts';
import { runVerb } from './run-verb.ts';

/** Roots to list the projects of, and in sentences what else was named. */
type Finding = () => Promise<{ roots: string[]; lost: string[] }>;

/**
 * Lists the projects a server was started for, each with its checkouts. It is no verb: it operates on no root, and exists for
 * callers who have none to name. A project that cannot be read is a hint, and does not hide the others.
 */
export function listProjects(find: Finding, args: unknown, ctx: Context) {
  return runVerb<'projects', ProjectsData>('projects', undefined, async () => {
    checkArguments('projects', projectsTool.args, args);
    const { roots, lost } = await find();
    const rows = new Map<string, ProjectRow>();
    const hints = [...lost];
    for (const root of roots) {
      try {
        for (const row of await checkouts(root, ctx)) rows.set(row.path, row);
      } catch (error) {
        hints.push(`${root}: ${messageOf(error)}`);
      }
    }
    const projects = [...rows.values()];
    const message =
      projects.length === 0
        ? 'This server was started for no project: whoever runs it names some with --root, or serves every one with --any-project.'
        : `${count(projects.length, 'checkout')}: pass one of these paths.`;
    return { ok: true, data: { projects }, hints, message };
  });
}

async function checkouts(root: string, ctx: Context): Promise<ProjectRow[]> {
  const repo = await openRepository(root, ctx.signal);
  const name = repo.config.config.project.name ?? root;
  const rows: ProjectRow[] = [];
  for (const entry of repo.worktrees) {
    const path = rootIn(repo, entry.path);
    if (entry.bare || entry.prunable !== undefined || !(await exists(join(path, CONFIG_FILE)))) continue;
    const location = isHomeEntry(repo, entry) ? 'main' : 'worktree';
    rows.push({ path, name, branch: branchOf(entry) ?? null, location });
  }
  return rows;
}
