import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/**
 * go.mod, or the modules of go.work. There is no build job: `go vet` compiles every package, and `go build` of a single program
 * leaves it behind.
 */
export async function go(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.text('go.mod');
  const work = await files.text('go.work');
  const modules = work === undefined ? [] : usesOf(work);
  if (manifest === undefined && modules.length === 0) return undefined;
  if (manifest !== undefined && !/^module\s+\S/m.test(manifest)) {
    files.notes.push('go.mod names no module, so nothing was taken from it.');
    return undefined;
  }
  const source = modules.length > 0 ? 'go.work' : 'go.mod';
  // `./...` ends where another module begins, and means nothing where there is none.
  const all = modules.length > 0 ? modules.map((dir) => `${dir}/...`).join(' ') : './...';
  const config = files.matching(/^\.golangci\.(?:ya?ml|toml|json)$/)[0];
  return {
    name: 'go',
    offers: [
      known('format', `go fmt ${all}`, source),
      config === undefined || modules.length > 0
        ? known('lint', `go vet ${all}`, source)
        : known('lint', 'golangci-lint run', config),
      known('test', `go test ${all}`, source),
    ],
    setup: [],
    notes: [],
    files: [
      ...(manifest === undefined ? [] : ['go.mod']),
      ...(work === undefined ? [] : ['go.work']),
      ...(config === undefined ? [] : [config]),
    ],
  };
}

/** The directories go.work uses, as a shell takes them (go.dev/ref/mod, "use directive"). */
export function usesOf(text: string): string[] {
  const lines = text.replace(/\/\/.*$/gm, '');
  const blocks = [...lines.matchAll(/^use\s*\(([^)]*)\)/gm)].flatMap(([, block = '']) => block.split('\n'));
  const single = [...lines.matchAll(/^use\s+([^(\s]\S*)\s*$/gm)].map(([, dir = '']) => dir);
  return [...blocks, ...single]
    .map((dir) =>
      dir
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .replace(/\/+$/, ''),
    )
    .filter((dir) => /^\.(?:\/[\w.-]+)*$/.test(dir) && !dir.split('/').includes('..'));
}
