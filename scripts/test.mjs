// Runs the tests, by tier (scripts/tiers.mjs):
//   unit     the pure ones, in process; `--watch` runs them again on every change
//   fast     these, and the fast ones on real git
//   all      format, lint and types, every test, and the suite inside a real VS Code
//   clients  real agent clients under a scripted model, and nothing else
//   faults   the fault matrix with every way to go on from every point, and nothing else
//   walks    20,000 steps of the random walks, and nothing else
//   landings forty landings through one remote, some of them killed, and nothing else
// Names behind it (`test/server/headline.test.ts`, or a part of one) choose files of any tier instead.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProduct, buildSuite, buildTests, watchTests } from '../esbuild.mjs';
import { testFiles, tierOf } from './tiers.mjs';

const began = Date.now();
const root = fileURLToPath(new URL('..', import.meta.url));
const [mode, ...rest] = process.argv.slice(2);
const watching = rest.includes('--watch');
const chosen = rest.filter((name) => name !== '--watch');

/** What each mode runs. Real clients take a run of their own. */
const tiers = { unit: ['unit'], fast: ['unit', 'fast'], all: ['unit', 'fast', 'full'], clients: ['clients'] };

/** The long runs: the files of each, and what makes them long. */
const long = {
  faults: { files: /^test\/faults\/matrix-/, env: { DISCERN_FAULTS: 'all' } },
  walks: { files: /^test\/faults\/property-/, env: { DISCERN_PROPERTY_STEPS: '20000' } },
  landings: { files: /^test\/faults\/remote-crowd/, env: { DISCERN_LANDINGS: '40' } },
};
const modes = { ...tiers, ...long };
if (!Object.hasOwn(modes, mode)) {
  process.stderr.write(`usage: node scripts/test.mjs ${Object.keys(modes).join('|')} [--watch] [name...]\n`);
  process.exit(2);
}

const ofAnyTier = mode === 'clients' ? ['clients'] : tiers.all;
const ofMode = (file) => long[mode]?.files.test(file) ?? tiers[mode].includes(tierOf(file));
const files = testFiles(root).filter((file) =>
  chosen.length === 0
    ? ofMode(file)
    : ofAnyTier.includes(tierOf(file)) && chosen.some((name) => file.includes(name)),
);
const pure = files.filter((file) => tierOf(file) === 'unit');
const others = files.filter((file) => tierOf(file) !== 'unit');

/** Runs a program of a package. Returns its exit code. */
function status(command, args) {
  const ended = spawnSync(process.execPath, [join(root, 'node_modules', command), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      DISCERN_PROPERTY_STEPS: mode === 'all' ? '500' : '400',
      ...long[mode]?.env,
      ...process.env,
      // What tests meet is no project of whoever runs them.
      XDG_STATE_HOME: join(root, 'out/state'),
      NODE_OPTIONS: '--enable-source-maps',
    },
  });
  return ended.status ?? 1;
}

function run(command, args) {
  const code = status(command, args);
  if (code !== 0) process.exit(code);
}

const guard = 'test/support/no-process.ts';
// Folders of their own, so that a watch and another run do not build over each other.
const outFor = { pure: watching ? 'out/watch' : 'out/unit', others: 'out/tests' };

/** mocha's arguments for test files built into `outdir`. */
const mochaArgs = (outdir, built) => [
  '--timeout',
  mode === 'clients' ? '240000' : '60000',
  '--forbid-only',
  '--forbid-pending',
  '--parallel',
  ...built.map((file) => join(outdir, file.replace(/\.ts$/, '.mjs'))),
];

const pureArgs = () => [
  ...['--require', `./${outFor.pure}/${guard.replace(/\.ts$/, '.mjs')}`],
  ...['--jobs', String(Math.max(2, cpus().length))],
  ...mochaArgs(outFor.pure, pure),
];

/** The unit tests, in processes that can start no other. */
async function testPure() {
  rmSync(join(root, outFor.pure), { recursive: true, force: true });
  if (watching)
    return watchTests([...pure, guard], outFor.pure, () => status('mocha/bin/mocha.js', pureArgs()));
  await buildTests([...pure, guard], outFor.pure);
  run('mocha/bin/mocha.js', pureArgs());
}

async function testOthers() {
  for (const made of [outFor.others, 'out/state']) rmSync(join(root, made), { recursive: true, force: true });
  await Promise.all([buildProduct(undefined, { faults: true }), buildTests(others, outFor.others)]);
  run('mocha/bin/mocha.js', [
    ...['--require', './test/support/own-slots.mjs'],
    // Tests wait for processes more than they compute.
    ...['--jobs', String(Math.max(3, cpus().length))],
    ...mochaArgs(outFor.others, others),
  ]);
}

if (files.length === 0) {
  process.stderr.write(`No test file has ${chosen.join(' or ')} in its name.\n`);
  process.exit(1);
}
if (watching && others.length > 0) {
  process.stderr.write('Only unit tests are watched: npm run test:unit -- --watch\n');
  process.exit(2);
}
if (mode === 'clients') {
  const { provision } = await import('./clients/provision.mjs');
  const { checkVersions } = await import('./clients/launch-model.mjs');
  checkVersions();
  provision();
} else if (mode === 'all' && chosen.length === 0) {
  run('@biomejs/biome/bin/biome', ['check', '.']);
  run('typescript/bin/tsc', ['--noEmit']);
  run('typescript/bin/tsc', ['--noEmit', '-p', 'src/webview']);
}
if (pure.length > 0) await testPure();
if (others.length > 0) await testOthers();

if (mode === 'all' && chosen.length === 0) {
  const { testInVSCode } = await import('./vscode/test.mjs');
  await buildSuite();
  if (!(await testInVSCode())) process.exit(1);
}
if (!watching) {
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(
    `test:${mode} took ${Math.floor(seconds / 60)} min ${seconds % 60} s on ${cpus().length} cores.\n`,
  );
}
