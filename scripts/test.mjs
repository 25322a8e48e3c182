// Runs the tests. `node scripts/test.mjs fast` checks format, lint and types and runs everything but a real VS Code;
// `all` runs everything, and walks further at random; `clients` runs real agent clients under a scripted model, and nothing else. Names behind it (`test/server/headline.test.ts`, or a part of one) choose test files.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProduct, buildSuite, buildTests } from '../esbuild.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [mode, ...chosen] = process.argv.slice(2);

function run(command, args) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', command), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      DISCERN_PROPERTY_STEPS: mode === 'all' ? '2000' : '400',
      ...process.env,
      NODE_OPTIONS: '--enable-source-maps',
    },
  });
  if (status !== 0) process.exit(status ?? 1);
}

const files = readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  // Real clients take a run of their own.
  .filter((file) => file.startsWith('test/clients/') === (mode === 'clients'))
  .filter((file) => chosen.length === 0 || chosen.some((name) => file.includes(name)))
  .sort();

if (mode === 'clients') {
  const { provision } = await import('./clients/provision.mjs');
  const { checkVersions } = await import('./clients/launch-model.mjs');
  checkVersions();
  provision();
} else if (chosen.length === 0) {
  run('@biomejs/biome/bin/biome', ['check', '.']);
  run('typescript/bin/tsc', ['--noEmit']);
  run('typescript/bin/tsc', ['--noEmit', '-p', 'src/webview']);
}
rmSync(join(root, 'out'), { recursive: true, force: true });
await buildProduct();
await buildTests(files);
run('mocha/bin/mocha.js', [
  '--timeout',
  mode === 'clients' ? '240000' : '60000',
  '--forbid-only',
  '--forbid-pending',
  // Many tests race real processes; on a machine that is busy with others one may lose once, and says so.
  ...(process.env.CI ? ['--retries', '1'] : []),
  '--parallel',
  // Tests wait for processes more than they compute.
  ...['--jobs', String(Math.max(3, cpus().length))],
  ...files.map((file) => join('out', file.replace(/\.ts$/, '.mjs'))),
]);

if (mode === 'all' && chosen.length === 0) {
  const { testInVSCode } = await import('./vscode/test.mjs');
  await buildSuite();
  if (!(await testInVSCode())) process.exit(1);
}
