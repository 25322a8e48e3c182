import { type Members, member, membersOf, type ProjectFiles, strings, textOf } from '../project-files.ts';
import { type Ecosystem, known, type Offer, type SetupOffer } from '../proposal.ts';
import { offersOf } from '../scripts.ts';

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** Which lock file is whose; the first that is there decides where package.json names no package manager. */
const locks: [string, Manager][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

const dependencyTables = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** How a package's own scripts and tools are run. */
interface Runner {
  manager: Manager;
  /** The lock file, wherever up to the git top it lies. */
  lock?: string;
  /** yarn 2 and later. */
  berry: boolean;
  notes: string[];
}

/** package.json: its scripts, and the tools it declares where it has no script for them. */
export async function node(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.json('package.json');
  if (!manifest) return undefined;
  const runner = await findRunner(files, manifest);
  const bodies = strings(member(manifest, 'scripts'));
  const { offers, notes } = offersOf({
    where: 'package.json scripts',
    bodies,
    command: (name, extra) => scriptCommand(runner.manager, name, extra),
  });
  const chosen = offers.map(({ from }) => bodies.get(from.replace('package.json scripts.', '')) ?? '');
  offers.push(...(await toolOffers(files, manifest, runner, offers, chosen)));
  return {
    name: 'node',
    project: textOf(member(manifest, 'name')),
    offers,
    setup: setup(files, manifest, runner),
    notes: [...runner.notes, ...notes],
    files: ['package.json', ...(runner.lock !== undefined && files.has(runner.lock) ? [runner.lock] : [])],
  };
}

async function findRunner(files: ProjectFiles, manifest: Members): Promise<Runner> {
  const found = await files.nearest(locks.map(([name]) => name));
  const named = /^(npm|pnpm|yarn|bun)@(\d+)?/.exec(String(member(manifest, 'packageManager') ?? ''));
  const byLock = locks.filter(([name]) => found.includes(name));
  const manager = (named?.[1] as Manager | undefined) ?? byLock[0]?.[1] ?? 'npm';
  const lock = byLock.find(([, owner]) => owner === manager)?.[0];
  const others = byLock.filter(([, owner]) => owner !== manager).map(([name]) => name);
  const berry =
    manager === 'yarn' && (Number(named?.[2] ?? 1) > 1 || (await files.nearest(['.yarnrc.yml'])).length > 0);
  return {
    manager,
    ...(lock !== undefined && { lock }),
    berry,
    notes:
      others.length > 0
        ? [
            `There is ${others.join(', ')} too; ${manager} was taken because of ${named ? 'packageManager in package.json' : lock}.`,
          ]
        : [],
  };
}

function scriptCommand(manager: Manager, name: string, extra: string | undefined): string {
  if (manager === 'npm') {
    return `npm ${name === 'test' ? 'test' : `run ${name}`}${extra === undefined ? '' : ` -- ${extra}`}`;
  }
  return `${manager} run ${name}${extra === undefined ? '' : ` ${extra}`}`;
}

const execs: Record<Manager, string> = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn run', bun: 'bunx' };

/** Jobs of tools that package.json declares and that have their own config here, for what no script does. */
async function toolOffers(
  files: ProjectFiles,
  manifest: Members,
  { manager }: Runner,
  offers: readonly Offer[],
  bodies: readonly string[],
): Promise<Offer[]> {
  const declared = (name: string) =>
    dependencyTables.some((table) => strings(member(manifest, table)).has(name));
  const lacks = (job: string) => !offers.some((one) => one.job === job || one.job === `${job}-fix`);
  const found: Offer[] = [];
  const offer = (job: 'lint' | 'typecheck' | 'test', tool: string, command: string) =>
    found.push(known(job, `${execs[manager]} ${command}`, `package.json declares ${tool}`));
  const eslintConfig = files.matching(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\..+)?)$/)[0];
  if (lacks('lint') && lacks('check')) {
    if (declared('eslint') && eslintConfig !== undefined) offer('lint', 'eslint', 'eslint .');
    else if (declared('@biomejs/biome') && files.first('biome.json', 'biome.jsonc')) {
      offer('lint', '@biomejs/biome', 'biome check');
    }
  }
  const compiled = bodies.some((body) => /(?:^|[\s/])(?:tsc|vue-tsc|svelte-check)(?=\s|$)/.test(body));
  if (lacks('typecheck') && !compiled && declared('typescript') && (await isOneProject(files))) {
    offer('typecheck', 'typescript', 'tsc --noEmit');
  }
  if (lacks('test') && !strings(member(manifest, 'scripts')).has('test')) {
    if (declared('vitest')) offer('test', 'vitest', 'vitest run');
    else if (declared('jest')) offer('test', 'jest', 'jest');
    else if (declared('mocha') && files.matching(/^\.mocharc\./).length > 0) offer('test', 'mocha', 'mocha');
  }
  return found;
}

/** True when `tsc --noEmit` checks what tsconfig.json is about: one that only names other projects checks nothing. */
async function isOneProject(files: ProjectFiles): Promise<boolean> {
  const config = await files.jsonc('tsconfig.json');
  if (!config) return false;
  const own = member(config, 'files');
  return !(Array.isArray(own) && own.length === 0);
}

/** How the dependencies get into a fresh worktree, without changing a lock file. */
function setup(files: ProjectFiles, manifest: Members, runner: Runner): SetupOffer[] {
  const needs =
    dependencyTables.some((table) => Object.keys(membersOf(member(manifest, table)) ?? {}).length > 0) ||
    member(manifest, 'workspaces') !== undefined ||
    files.has('pnpm-workspace.yaml');
  if (!needs) return [];
  const { manager, lock, berry } = runner;
  const locked = lock !== undefined;
  const commands: Record<Manager, string> = {
    npm: locked ? 'npm ci' : 'npm install --no-package-lock',
    pnpm: locked ? 'pnpm install --frozen-lockfile' : 'pnpm install --no-lockfile',
    yarn: berry
      ? `yarn install${locked ? ' --immutable' : ''}`
      : `yarn install ${locked ? '--frozen-lockfile' : '--no-lockfile'}`,
    bun: locked ? 'bun install --frozen-lockfile' : 'bun install --no-save',
  };
  return [{ command: commands[manager], from: lock ?? 'package.json' }];
}
