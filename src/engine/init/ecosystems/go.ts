import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/** go.mod. There is no build job: `go vet` compiles every package, and `go build` of a single program leaves it behind. */
export async function go(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.text('go.mod');
  if (manifest === undefined) return undefined;
  if (!/^module\s+\S/m.test(manifest)) {
    files.notes.push('go.mod names no module, so nothing was taken from it.');
    return undefined;
  }
  const config = files.matching(/^\.golangci\.(?:ya?ml|toml|json)$/)[0];
  return {
    name: 'go',
    offers: [
      known('format', 'go fmt ./...', 'go.mod'),
      config === undefined
        ? known('lint', 'go vet ./...', 'go.mod')
        : known('lint', 'golangci-lint run', config),
      known('test', 'go test ./...', 'go.mod'),
    ],
    setup: [],
    notes: [],
    files: ['go.mod', ...(config === undefined ? [] : [config])],
  };
}
