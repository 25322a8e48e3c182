import { type Members, member, membersOf, type ProjectFiles, strings, textOf } from '../project-files.ts';
import { type Ecosystem, known, type Offer, type SetupOffer } from '../proposal.ts';
import { judged, offersOf, scriptNames } from '../scripts.ts';
import { membersIn, type WorkspaceMember } from './node-members.ts';

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
  const workspace = await workspaceOffers(files, manifest, runner, offers, bodies);
  offers.push(...workspace.offers);
  const chosen = offers.map(({ from }) => bodies.get(from.replace('package.json scripts.', '')) ?? '');
  offers.push(...(await toolOffers(files, manifest, runner, offers, chosen)));
  return {
    name: 'node',
    project: textOf(member(manifest, 'name')),
    offers,
    setup: setup(files, manifest, runner),
    notes: [...runner.notes, ...notes, ...workspace.notes],
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

/** What runs the members' scripts from the workspace's root. */
const runsMembers =
  /(?:^|\s)(?:-ws|-w|--workspaces?|-r|--recursive|--filter|-F)(?=[\s=]|$)|(?:^|[\s/])(?:turbo|nx|lerna|wireit|moon|lage|rush|ultra|wsrun)(?=\s|$)|\bworkspaces? (?:run|foreach)\b/;
/** What looks at every file below the root by itself. */
const looksBelow =
  /(?:^|[\s/])(?:vitest|jest|eslint|biome|prettier|oxlint|tsc (?:.*\s)?(?:-b|--build)|xo|standard|stylelint)(?=\s|$)/;

const jobsOfMembers = ['format', 'build', 'lint', 'typecheck', 'test', 'smoke'] as const;

/**
 * Jobs that run the members' own scripts, for what no script of the workspace's root does: a gate that never judges the
 * packages proves nothing of them. Through Turborepo or Nx where the workspace uses one.
 */
async function workspaceOffers(
  files: ProjectFiles,
  manifest: Members,
  { manager, berry }: Runner,
  offers: readonly Offer[],
  bodies: ReadonlyMap<string, string>,
): Promise<{ offers: Offer[]; notes: string[] }> {
  const members = await membersIn(files, manifest);
  const found: Offer[] = [];
  const notes: string[] = [];
  const tool = await taskRunner(files, manifest, manager);
  for (const job of members.length === 0 && !tool ? [] : jobsOfMembers) {
    const taken = offers.find((one) => one.job === job || one.job === `${job}-fix`);
    const root = scriptNames(job).map((name) => bodies.get(name) ?? '');
    if (taken) {
      const called = root.join('\n');
      if (
        job === 'test' &&
        !runsMembers.test(called) &&
        !looksBelow.test(called) &&
        !namesOne(called, members)
      ) {
        const left = members.filter(({ scripts }) => scripts.has('test') && !judged(scripts, 'test').against);
        if (left.length > 0)
          notes.push(
            `${taken.from} does not run the tests of ${some(left)}: call them in it, or add a job that does.`,
          );
      }
      continue;
    }
    const task = tool?.task(job);
    if (tool && task !== undefined) {
      found.push(known(job, tool.command(task), tool.from));
      continue;
    }
    const name = bestName(job, members);
    if (name === undefined) continue;
    const having = members.filter(({ scripts }) => scripts.has(name));
    const fit = having.filter(({ scripts }) => {
      const { against, fixes } = judged(scripts, name);
      return against === undefined && (job === 'format' || !fixes);
    });
    if (having.length > fit.length)
      notes.push(
        `The ${name} script of ${some(having.filter((one) => !fit.includes(one)))} is not taken as a job: it watches, fixes or only prints.`,
      );
    if (fit.length === 0) continue;
    const whom = having.length === fit.length ? undefined : fit;
    found.push(
      known(
        job,
        memberCommand(manager, berry, name, whom),
        `${name} of ${fit.length === 1 ? fit[0]?.path : `${fit.length} packages`}`,
      ),
    );
  }
  return { offers: found, notes };
}

const some = (members: readonly WorkspaceMember[]) =>
  members
    .slice(0, 5)
    .map(({ path }) => path)
    .join(', ') + (members.length > 5 ? ` and ${members.length - 5} more` : '');

const namesOne = (text: string, members: readonly WorkspaceMember[]) =>
  members.some(({ path }) => text.includes(path));

/** The name most members have a job's script by. */
function bestName(job: string, members: readonly WorkspaceMember[]): string | undefined {
  const count = (name: string) => members.filter(({ scripts }) => scripts.has(name)).length;
  const names = scriptNames(job).filter((name) => count(name) > 0);
  return names.sort((a, b) => count(b) - count(a))[0];
}

/** How a script of members is run from the root; of all that have it where `whom` names none. */
function memberCommand(
  manager: Manager,
  berry: boolean,
  name: string,
  whom: readonly WorkspaceMember[] | undefined,
): string {
  const plain = whom?.every(({ path }) => /^[\w./-]+$/.test(path)) ? whom : undefined;
  const each = (option: string) => (plain ?? []).map(({ path }) => ` ${option}${path}`).join('');
  if (manager === 'pnpm') return `pnpm${plain ? each('--filter ./') : ' -r'} run --if-present ${name}`;
  if (manager === 'bun') return `bun run ${plain ? each('--filter ./').trimStart() : '--filter "*"'} ${name}`;
  // yarn 2 and later pass by a member without the script; yarn 1 fails there, and npm reads the same workspaces.
  if (manager === 'yarn' && berry && !plain)
    return `yarn workspaces foreach --all${name === 'build' ? ' --topological' : ''} run ${name}`;
  const where = plain ? each('--workspace=') : ' --workspaces --if-present';
  return `npm ${name === 'test' ? 'test' : `run ${name}`}${where}`;
}

/** Turborepo or Nx, where the workspace declares and configures it. */
async function taskRunner(files: ProjectFiles, manifest: Members, manager: Manager) {
  const declares = (name: string) =>
    dependencyTables.some((table) => strings(member(manifest, table)).has(name));
  const turbo = declares('turbo') ? await files.jsonc('turbo.json') : undefined;
  const nx = !turbo && declares('nx') ? await files.jsonc('nx.json') : undefined;
  const [config, tool] = turbo ? [turbo, 'turbo'] : nx ? [nx, 'nx'] : [undefined, ''];
  if (!config) return undefined;
  const tables = turbo ? ['tasks', 'pipeline'] : ['targetDefaults'];
  const names = new Set(
    tables
      .flatMap((table) => Object.keys(membersOf(member(config, table)) ?? {}))
      .filter((name) => /^[\w:-]+$/.test(name)),
  );
  return {
    from: `${tool}.json`,
    task: (job: string) => scriptNames(job).find((name) => names.has(name)),
    command: (name: string) =>
      `${execs[manager]} ${turbo ? `turbo run ${name}` : `nx run-many --target=${name}`}`,
  };
}

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
  const own = strings(member(manifest, 'scripts'));
  // A test script that only watches says which runner is used, and nothing of a gate.
  if (lacks('test') && (!own.has('test') || judged(own, 'test').against?.startsWith('watches'))) {
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
