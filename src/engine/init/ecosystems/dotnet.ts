import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/** A .NET solution or project. `dotnet` wants the file named where there are several. */
export async function dotnet(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const solutions = files.matching(/\.slnx?$/i);
  const projects = files.matching(/\.(?:cs|fs|vb)proj$/i);
  const here = solutions.length > 0 ? solutions : projects;
  const candidates = here.length > 0 ? here : await solutionsBelow(files);
  const [file] = candidates;
  if (file === undefined) return undefined;
  const empty = { name: 'dotnet', offers: [], setup: [], files: candidates };
  if (candidates.length > 1) {
    return {
      ...empty,
      notes: [`There are ${candidates.slice(0, 5).join(', ')}: name the one to build in a job.`],
    };
  }
  if (!/^[\w./-]+$/.test(file)) {
    return {
      ...empty,
      notes: [`${file} needs quoting in a shell, so it is left to you to name it in a job.`],
    };
  }
  const text = here.length > 0 ? await files.text(file) : '';
  if (text === undefined) return { ...empty, notes: [] };
  const tested = /\.slnx?$/i.test(file) || text.includes('Microsoft.NET.Test.Sdk');
  const named = solutions.length + projects.length === 1 ? '' : ` ${file}`;
  return {
    name: 'dotnet',
    offers: [
      ...(files.has('.editorconfig') ? [known('format', `dotnet format${named}`, '.editorconfig')] : []),
      known('build', `dotnet build${named}`, file),
      ...(tested ? [known('test', `dotnet test${named} --no-build`, file)] : []),
    ],
    setup: [],
    notes: [],
    files: [file],
  };
}

/** Solutions in the directories below, as many projects keep them in `src`. */
async function solutionsBelow(files: ProjectFiles): Promise<string[]> {
  const found: string[] = [];
  for (const dir of ['src', 'source', 'Source', 'dotnet', 'backend', 'server']) {
    const below = files.has(dir) ? await files.below(dir) : undefined;
    found.push(...(below?.matching(/\.slnx?$/i) ?? []).map((name) => `${dir}/${name}`));
  }
  return found;
}
