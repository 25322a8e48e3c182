// `npm run release`: everything a release publishes, in release/: the npm package, the VSIX, what they are made of (SBOM), and
// the checksums of all. Publishes nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { productBundles } from '../esbuild.mjs';
import { bundledPackages } from './bundled.mjs';
import { packageExtension } from './package.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const release = join(root, 'release');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const npm = (...args) =>
  execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: 64 << 20,
    shell: process.platform === 'win32',
  });

/** The packages whose code is in what we ship, as CycloneDX: npm's own list of what is installed, less what only builds it. */
async function billOfMaterials() {
  const built = await Promise.all(
    productBundles(join(root, 'dist'), false).map((options) => build({ ...options, write: false })),
  );
  const inside = new Set(
    bundledPackages(built.map(({ metafile }) => metafile)).map((one) => `${one.name}@${one.version}`),
  );
  const all = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx'));
  // npm says a scope in "group" or in the name, as its versions differ; the name with version is in every reference.
  const kept = all.components.filter((component) => inside.has(component['bom-ref'].split('|').at(-1)));
  if (kept.length < inside.size) {
    const known = new Set(kept.map((component) => component['bom-ref'].split('|').at(-1)));
    const lost = [...inside].filter((one) => !known.has(one));
    if (lost.length > 0) throw new Error(`npm sbom does not know ${lost.join(', ')}.`);
  }
  const refs = new Set([all.metadata.component['bom-ref'], ...kept.map((component) => component['bom-ref'])]);
  // npm takes the folder's name for the package's.
  const component = { ...all.metadata.component, name };
  return {
    ...all,
    metadata: { ...all.metadata, component },
    components: kept.map((component) => ({ ...component, scope: 'required' })),
    dependencies: all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}

rmSync(release, { recursive: true, force: true });
mkdirSync(release);
// Builds first, by the package's own prepack.
npm('pack', '--pack-destination', release);
packageExtension(join(release, `${name}-${version}.vsix`));
writeFileSync(
  join(release, `${name}-${version}.cdx.json`),
  `${JSON.stringify(await billOfMaterials(), null, 2)}\n`,
);
const sums = readdirSync(release)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(release, file)))
        .digest('hex')}  ${file}\n`,
  );
writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));
