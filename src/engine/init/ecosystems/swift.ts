import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/** Package.swift. */
export async function swift(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.text('Package.swift');
  if (manifest === undefined) return undefined;
  const lint = files.first('.swiftlint.yml', '.swiftlint.yaml');
  const [, name] = /Package\(\s*name:\s*"([^"\n]{1,80})"/.exec(manifest) ?? [];
  return {
    name: 'swift',
    project: name,
    offers: [
      ...(files.has('.swift-format')
        ? [known('format', 'swift format --in-place --recursive .', '.swift-format')]
        : []),
      known('build', 'swift build', 'Package.swift'),
      ...(lint === undefined ? [] : [known('lint', 'swiftlint lint --strict', lint)]),
      ...(/\.testTarget\(/.test(manifest) ? [known('test', 'swift test', 'Package.swift testTarget')] : []),
    ],
    setup: [],
    notes: [],
    files: ['Package.swift', 'Package.resolved'].filter((one) => files.has(one)),
  };
}
