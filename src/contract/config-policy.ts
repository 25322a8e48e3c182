import * as z from 'zod';
import { namePattern } from './config-names.ts';
import { Filled, Globs, InsideProject, Text } from './config-values.ts';

export const AcceptanceTable = z.strictObject({
  pre_authorized: z
    .array(z.string())
    .default([])
    .describe('Scopes whose changes may land without the owner’s word each time, as the trunk has them.'),
});

const Strings = z.array(Filled);
const flag = (what: string) => z.boolean().exactOptional().describe(what);
const least = (what: string) => z.int().min(1).exactOptional().describe(what);

/** A question the owner wants answered about some changes. Newer keys than these are left alone. */
export const CheckpointTable = z.looseObject({
  scope: z
    .string()
    .regex(namePattern, { error: 'must be the name of a scope' })
    .exactOptional()
    .describe('The scope it watches; else paths.'),
  paths: Globs.exactOptional().describe('Globs of the paths it watches; without scope and paths, all.'),
  include_generated: flag('Watch the files of generated groups too.'),
  exclude_paths: Globs.exactOptional().describe('Globs of paths it never looks at.'),
  unless_changed: Globs.exactOptional().describe('Quiet when one of these paths or scopes changed too.'),
  kinds: z
    .array(z.enum(['added', 'modified', 'deleted']))
    .min(1)
    .exactOptional()
    .describe('Only files changed in one of these ways.'),
  adds_matching: Strings.exactOptional().describe('Only files where an added line holds one of these.'),
  removes_matching: Strings.exactOptional().describe('Only files where a removed line holds one of these.'),
  new_directory: flag('Only files added in a directory that is new.'),
  binary: flag('Only binary files; false: only text files.'),
  min_changed_files: least('Only when at least this many watched files changed.'),
  min_changed_lines: least('Only when at least this many lines were added and removed.'),
  deletion_dominant: flag('Only when the change mostly removes lines.'),
  similar_new_file: flag('Only when a file is added that is named like one beside it.'),
  min_commits: least('Only when the branch has at least this many commits.'),
  when: Text.exactOptional().describe('A command that decides: 0 applies, 10 does not.'),
  mode: z
    .enum(['stop', 'advise'])
    .exactOptional()
    .describe('stop: to be answered before the work lands; advise: only said. stop if left out.'),
  question: Text.exactOptional().describe('What is asked.'),
  question_file: InsideProject.exactOptional().describe('A committed file that holds the question.'),
  teach: Text.exactOptional().describe('Why it matters, and what a good answer is.'),
  reference: Text.exactOptional().describe('Where there is more to read.'),
});
