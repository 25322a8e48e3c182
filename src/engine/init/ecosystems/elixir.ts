import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/** mix.exs: Mix's own tasks, and those of the packages it depends on. */
export async function elixir(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.text('mix.exs');
  if (manifest === undefined) return undefined;
  const needs = (name: string) => new RegExp(`\\{\\s*:${name}\\b`).test(manifest);
  const [, app] = /\bapp:\s*:(\w+)/.exec(manifest) ?? [];
  return {
    name: 'elixir',
    project: app,
    offers: [
      ...(files.has('.formatter.exs') ? [known('format', 'mix format', '.formatter.exs')] : []),
      known('build', 'mix compile', 'mix.exs'),
      ...(needs('credo') ? [known('lint', 'mix credo', 'mix.exs declares credo')] : []),
      ...(needs('dialyxir') ? [known('typecheck', 'mix dialyzer', 'mix.exs declares dialyxir')] : []),
      known('test', 'mix test', 'mix.exs'),
    ],
    setup: /\{\s*:\w+\s*,/.test(manifest)
      ? [{ command: 'mix deps.get', from: files.first('mix.lock') ?? 'mix.exs' }]
      : [],
    notes: [],
    files: ['mix.exs', 'mix.lock'].filter((name) => files.has(name)),
  };
}
