import * as z from 'zod';
import { older } from './config-values.ts';

/**
 * A table of the published format that is for others. It is described, so that an editor can help with it, and whatever it
 * holds is left alone.
 */
const other = (description: string, keys: Record<string, { default: unknown; description: string }>) =>
  z.unknown().optional().meta({ description, properties: keys });

const key = (value: unknown, description: string) => ({ default: value, description });

/** The tables of the published format that say something to others, and the older spellings of them. */
export const otherTables = {
  map: other('Where the project’s map lies. Here only references to it are resolved.', {
    dir: key('discern/map', 'Its directory.'),
  }),
  instructions: other('What the instruction files of agents are compiled from. Not read here.', {
    sources: key(['discern/instructions.md'], 'Files, or globs of files.'),
  }),
  skills: other('The project’s own skills. Here only references to their directory are resolved.', {
    dir: key('discern/skills', 'Their directory.'),
    exclude: key([], 'Skills that are left out.'),
  }),
  scripts: other('The project’s scripts. Here only references to their directory are resolved.', {
    dir: key('discern/scripts', 'Their directory.'),
  }),
  setup: other('Known jobs the project does not have. Not read here: what [jobs] leaves out does not run.', {
    not_applicable: key([], 'The jobs it does not have.'),
  }),
  coupling: other('Files that usually change together. Not looked for here.', {
    report_in_gate: key(true, 'Say so at the end of a gate that passed.'),
    in_gate: { ...key(true, ''), ...older('report_in_gate') },
  }),
  meta: other('What the published tool writes down of itself. Not read here.', {}),
  docs: z.unknown().optional().meta(older('[map]')),
  guidance: z.unknown().optional().meta(older('[instructions]')),
  recipes: z.unknown().optional().meta(older('[scripts]')),
  assurance: z.unknown().optional().meta(older('[setup]')),
};

/** What each older name of such a table is now. */
export const olderTables: Record<string, string> = {
  docs: 'map',
  guidance: 'instructions',
  recipes: 'scripts',
  assurance: 'setup',
};

/**
 * The keys that are read and have no effect here, each with what holds instead. `*` stands for any name; a table stands for
 * all of its keys.
 */
export const tolerated: Record<string, string> = {
  'project.todo': 'only references to it are resolved',
  'project.agents': '`discern setup <client>` says which agents’ files are written here',
  'jobs.*.provides': 'it is a note for people',
  'generated.*.linguist_generated': 'no .gitattributes is written here: mark the files there',
  'gate.stream_output': 'a job’s output goes whole to a file, and what failed is shown from it',
  'worktree.track_ignored_drift':
    'accept names the ignored files that go with a worktree, whatever this says',
  coupling: 'files that usually change together are not looked for here',
  setup: 'only what [jobs] declares runs, here as there',
  instructions: 'no instruction file is compiled here',
  'skills.exclude': 'no skill is copied here',
  meta: 'the published tool writes it down for itself',
};
