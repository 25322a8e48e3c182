import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/** A .NET solution or project. `dotnet` wants the file named where there are several. */
export async function dotnet(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const solutions = files.matching(/\.slnx?$/i);
  const projects = files.matching(/\.(?:cs|fs|vb)proj$/i);
  const candidates = solutions.length > 0 ? solutions : projects;
  const [file] = candidates;
  if (file === undefined) return undefined;
  const empty = { name: 'dotnet', offers: [], setup: [], files: candidates };
  if (candidates.length > 1) {
    return {
      ...empty,
      notes: [`There are ${candidates.slice(0, 5).join(', ')}: name the one to build in a job.`],
    };
  }
  if (!/^[\w.-]+$/.test(file)) {
    return {
      ...empty,
      notes: [`${file} needs quoting in a shell, so it is left to you to name it in a job.`],
    };
  }
  const text = await files.text(file);
  if (text === undefined) return { ...empty, notes: [] };
  const tested = solutions.length > 0 || text.includes('Microsoft.NET.Test.Sdk');
  const named = solutions.length + projects.length > 1 ? ` ${file}` : '';
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
