// `npm run package`: the VSIX, from what is built.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const file = join(root, `${name}-${version}.vsix`);

execFileSync(
  process.execPath,
  [
    join(root, 'node_modules', '@vscode', 'vsce', 'vsce'),
    ...[
      'package',
      '--no-dependencies',
      '--skip-license',
      '--allow-missing-repository',
      '--no-rewrite-relative-links',
      '--out',
      file,
    ],
  ],
  { cwd: root, stdio: 'inherit' },
);
process.stdout.write(`${file}: ${(statSync(file).size / 1024).toFixed(0)} kB\n`);
