// The packages that went into a build, and what their licences ask to be said of them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The packages whose code is in the given builds (esbuild metafiles), by name and version: `dir`, `name`, `version` and
 * `license`. A file that was looked at and left out whole does not count.
 */
export function bundledPackages(metafiles) {
  const dirs = new Set();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
        if (found && bytesInOutput > 0) dirs.add(found[1]);
      }
    }
  }
  return [...dirs]
    .map((dir) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'));
      return { dir, name, version, license };
    })
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** Writes the licences of bundled packages, each text once, and the packages as JSON beside `outdir`'s programs. */
export function writeNotices(outdir, packages) {
  const said = packages.map(({ dir, name, version, license }) => {
    const file = readdirSync(join(root, dir)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file ? readFileSync(join(root, dir, file), 'utf8').trim() : `Licence: ${license}`;
    return `${name} ${version}\n\n${text}\n`;
  });
  const head = 'Discern includes code of these packages.\n';
  writeFileSync(join(outdir, 'THIRD_PARTY_NOTICES.txt'), [head, ...said].join(`\n${'-'.repeat(72)}\n\n`));
}
