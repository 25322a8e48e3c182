import type { JobStage } from '../../../contract/config.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { Ecosystem, Offer } from '../proposal.ts';

const wanted: [string, JobStage, string[]][] = [
  ['format', 'fix', ['format', 'fmt']],
  ['build', 'build', ['build']],
  ['lint', 'check', ['lint']],
  ['typecheck', 'check', ['typecheck', 'type-check', 'types']],
  // What GNU projects call their tests (GNU Coding Standards, "Standard Targets for Users").
  ['test', 'test', ['test', 'tests', 'check']],
  ['smoke', 'test', ['smoke']],
];

/** The targets a makefile has rules for. Assignments, recipes, special targets and patterns are none. */
export function targetsOf(text: string): Set<string> {
  const targets = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const [, left] = /^([A-Za-z0-9_][A-Za-z0-9_.\- ]*?)\s*::?(?![:=])/.exec(line) ?? [];
    for (const name of (left ?? '').split(/\s+/)) if (name) targets.add(name);
  }
  return targets;
}

/** Recipes of a justfile that need no argument (just manual, "Recipe Parameters"). */
export function recipesOf(text: string): Set<string> {
  const recipes = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const [, name, parameters = ''] = /^@?([A-Za-z_][\w-]*)((?:\s+[^:]*?)?)\s*:(?!=)/.exec(line) ?? [];
    if (name === undefined || ['alias', 'export', 'set', 'import', 'mod'].includes(name)) continue;
    const needed = parameters
      .split(/\s+/)
      .filter((one) => one !== '' && !one.includes('=') && !one.startsWith('*'));
    if (needed.length === 0) recipes.add(name);
  }
  return recipes;
}

/** The tasks of a Taskfile: the keys right below `tasks`. */
export function tasksOf(text: string): Set<string> {
  const tasks = new Set<string>();
  const lines = text.split(/\r?\n/);
  const from = lines.findIndex((line) => /^tasks:\s*(?:#.*)?$/.test(line));
  if (from === -1) return tasks;
  let indent: string | undefined;
  for (const line of lines.slice(from + 1)) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, before = '', name] = /^(\s+)(?:['"]?)([A-Za-z_][\w:.-]*?)(?:['"]?):(?:\s|$)/.exec(line) ?? [];
    if (/^\S/.test(line)) break;
    indent ??= before;
    if (name !== undefined && before === indent) tasks.add(name);
  }
  return tasks;
}

const kinds: {
  name: string;
  files: string[];
  read: (text: string) => Set<string>;
  command: string;
}[] = [
  { name: 'make', files: ['GNUmakefile', 'makefile', 'Makefile'], read: targetsOf, command: 'make' },
  { name: 'just', files: ['justfile', 'Justfile', '.justfile'], read: recipesOf, command: 'just' },
  {
    name: 'task',
    files: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
    read: tasksOf,
    command: 'task',
  },
];

/** What makefiles, justfiles and Taskfiles can do, by known names. They fill what manifests leave open, since most often they call the same. */
export async function runners(files: ProjectFiles): Promise<Ecosystem[]> {
  const found: Ecosystem[] = [];
  for (const { name, files: names, read, command } of kinds) {
    const file = files.first(...names);
    const text = file === undefined ? undefined : await files.text(file);
    if (file === undefined || text === undefined) continue;
    const targets = read(text);
    const offers: Offer[] = wanted.flatMap(([job, stage, wantedNames]) => {
      const target = wantedNames.find((one) => targets.has(one));
      return target === undefined
        ? []
        : [{ job, stage, command: `${command} ${target}`, from: `${file} ${target}` }];
    });
    found.push({ name, offers, setup: [], notes: [], files: [file] });
  }
  return found;
}
