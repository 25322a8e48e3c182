import * as z from 'zod';

/** A checkout a caller may name as `path`. */
export const ProjectRow = z.strictObject({
  path: z.string().describe('The project root in that checkout: what to pass as `path`.'),
  name: z.string().describe('The project’s name; every checkout of a project has the same.'),
  branch: z.string().nullable().describe('The branch checked out there; null on a detached HEAD.'),
  location: z.enum(['main', 'worktree']),
});
export type ProjectRow = z.infer<typeof ProjectRow>;

export const ProjectsData = z.strictObject({ projects: z.array(ProjectRow) });
export type ProjectsData = z.infer<typeof ProjectsData>;

/**
 * The one tool that is no verb: how a caller with nothing in hand learns a path, on a server that holds no root (contract §9).
 * Where there is a held root, `status` says all of this and more.
 */
export const projectsTool = {
  title: 'List the projects',
  description:
    'List the projects this server was started for and each of their checkouts: path, name, branch, and whether it is the main checkout or a worktree. Takes nothing. Call it first: most other tools need one of these paths. Changes nothing.',
  args: z.strictObject({}),
  data: ProjectsData,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
};
