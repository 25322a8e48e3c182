import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';
import { at, stringsAt, textAt } from '../toml-values.ts';

/** Cargo.toml. clippy is no part of every toolchain, so it is proposed where the project speaks of it. */
export async function rust(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.toml('Cargo.toml');
  if (!manifest) return undefined;
  const workspace = at(manifest, 'workspace') ? ' --workspace' : '';
  const locked = (await files.nearest(['Cargo.lock'])).length > 0 ? ' --locked' : '';
  const scope = `${workspace}${locked}`;
  const toolchain = await files.toml('rust-toolchain.toml');
  const linted =
    files.first('clippy.toml', '.clippy.toml') ??
    (at(manifest, 'lints', 'clippy') || at(manifest, 'workspace', 'lints', 'clippy')
      ? 'Cargo.toml lints.clippy'
      : stringsAt(toolchain, 'toolchain', 'components').includes('clippy')
        ? 'rust-toolchain.toml'
        : undefined);
  return {
    name: 'rust',
    project: textAt(manifest, 'package', 'name'),
    offers: [
      known('format', 'cargo fmt --all', 'Cargo.toml'),
      linted === undefined
        ? known('typecheck', `cargo check --all-targets${scope}`, 'Cargo.toml')
        : known('lint', `cargo clippy --all-targets${scope}`, linted),
      known('test', `cargo test${scope}`, 'Cargo.toml'),
    ],
    setup: [],
    notes: locked ? [] : ['There is no Cargo.lock: commit one, or ignore it, since building makes it.'],
    files: ['Cargo.toml', ...(files.has('Cargo.lock') ? ['Cargo.lock'] : [])],
  };
}
