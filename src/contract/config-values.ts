import * as z from 'zod';

/** The values the tables of `discern.toml` are made of. */
export const Text = z.string().regex(/^[^\x00]*$/, { error: 'holds a NUL character' });
export const Filled = Text.regex(/\S/, { error: 'is empty' });
/** Neither absolute, nor with a part that leads out, nor with one that is a repository's own, however a file system spells that. */
export const InsideProject = Filled.regex(
  /^(?![/~\\]|[A-Za-z]:)(?!(?:[\s\S]*[/\\])?(?:\.\.|\.[gG][iI][tT])(?:[/\\]|$))/,
  {
    error: 'must be a file inside the project',
  },
);
export const Command = Filled.describe('A shell command, run in the project root.');
export const Commands = z
  .union([Command, z.array(Command).min(1)], { error: 'a command or a list of commands' })
  .describe('One command, or a list run one after another.');
export const CommandList = z.array(Command);
export const Globs = z.array(Filled);
export const Timeout = z.number().min(0).describe('Seconds, in place of [gate].timeout; 0 means no limit.');

/** What marks a key or table as the older spelling of another. */
export const older = (now: string) => ({ deprecated: true, description: `Older spelling of ${now}.` });

/** What names a command of another table: `jobs.<name>`, `scopes.<name>.gate` or `standards.<name>`. */
export const selectorPattern =
  /^(?:jobs\.[A-Za-z0-9_-]+|scopes\.[A-Za-z0-9_-]+\.gate|standards\.[A-Za-z0-9_-]+)$/;
export const Selector = z
  .string()
  .regex(selectorPattern, { error: 'must be jobs.<name>, scopes.<name>.gate or standards.<name>' });

/** What a job, a scope gate or a standard says of what it reads and leaves, so that a result can be reused. */
export const evidence = {
  inputs: Globs.min(1)
    .exactOptional()
    .describe('Globs of every file the command reads, so that an earlier result can be reused.'),
  needs: z
    .array(Selector)
    .exactOptional()
    .describe('What must pass first: `jobs.<name>`, `scopes.<name>.gate`, `standards.<name>`.'),
  artifacts: z
    .array(InsideProject)
    .exactOptional()
    .describe('Files it makes, by their paths; a copy of them is kept.'),
  environment: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of a variable' }))
    .exactOptional()
    .describe('Variables its result depends on. Naming one does not set it.'),
  toolchain: z
    .array(InsideProject)
    .exactOptional()
    .describe('Files that pin the versions of its tools, as a lockfile does.'),
};

/** The same, as the engine reads it. */
export interface Evidence {
  inputs?: string[];
  needs?: string[];
  artifacts?: string[];
  environment?: string[];
  toolchain?: string[];
}
