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

/** A makefile's targets of known names. It fills what other manifests leave open, since most often it calls the same. */
export async function make(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const name = files.first('GNUmakefile', 'makefile', 'Makefile');
  const text = name === undefined ? undefined : await files.text(name);
  if (name === undefined || text === undefined) return undefined;
  const targets = targetsOf(text);
  const offers: Offer[] = wanted.flatMap(([job, stage, names]) => {
    const target = names.find((one) => targets.has(one));
    return target === undefined ? [] : [{ job, stage, command: `make ${target}`, from: `${name} ${target}` }];
  });
  return { name: 'make', offers, setup: [], notes: [], files: [name] };
}
