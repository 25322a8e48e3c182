import type { TableNode } from '../../config/tree.ts';
import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known, type Offer, type SetupOffer } from '../proposal.ts';
import { offersOf, type Scripts } from '../scripts.ts';
import { at, namesAt, stringsAt, textAt } from '../toml-values.ts';

/** How the project's tools are run, and its dependencies installed. */
interface Environment {
  prefix: string;
  setup: SetupOffer[];
}

/** The bare, normalised name at the start of a requirement (PEP 508, PEP 503). */
function nameOf(requirement: string): string {
  const [name = ''] = /^[A-Za-z0-9][A-Za-z0-9._-]*/.exec(requirement.trim()) ?? [];
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** An extra or a group whose name a shell takes as it is. */
const isPlain = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name);

/** pyproject.toml or requirements files: the tools that are declared as dependencies there. */
export async function python(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const manifest = await files.toml('pyproject.toml');
  const requirements = files.matching(/^(?:dev-|test-)?requirements(?:[-_.]\w+)?\.txt$/).filter(isPlain);
  const pipfile = await files.toml('Pipfile');
  if (!manifest && !pipfile && requirements.length === 0) return undefined;
  const declared = new Map<string, string>();
  const add = (from: string, names: readonly string[]) => {
    for (const name of names.map(nameOf)) if (name && !declared.has(name)) declared.set(name, from);
  };
  for (const [table, names] of declaredIn(manifest)) add(`pyproject.toml ${table}`, names);
  for (const table of ['packages', 'dev-packages']) add(`Pipfile ${table}`, namesAt(pipfile, table));
  for (const name of requirements) add(name, ((await files.text(name)) ?? '').split('\n'));
  const hatch = hatchScripts(manifest);
  const { prefix, setup } = hatch
    ? { prefix: 'hatch run ', setup: [] }
    : environment(files, manifest, pipfile, requirements, declared);
  const scripted = hatch ? offersOf(hatch) : { offers: [], notes: [] };
  const found = await tools(files, manifest, declared, prefix);
  const has = ({ job }: Offer) => scripted.offers.some((one) => one.job.startsWith(job));
  const offers = [...scripted.offers, ...found.offers.filter((one) => !has(one))];
  const notes = [...scripted.notes, ...found.notes];
  const read = ['pyproject.toml', 'Pipfile', 'uv.lock', 'poetry.lock', 'pdm.lock', ...requirements];
  return {
    name: 'python',
    project: textAt(manifest, 'project', 'name') ?? textAt(manifest, 'tool', 'poetry', 'name'),
    offers,
    setup,
    notes,
    files: read.filter((name) => files.has(name)),
  };
}

/** Hatch's scripts, which make their own environment when they are first run (hatch.pypa.io, "Environment configuration"). */
function hatchScripts(manifest: TableNode | undefined): Scripts | undefined {
  const bodies = new Map<string, string>();
  const environments = new Map<string, string>();
  for (const environment of namesAt(manifest, 'tool', 'hatch', 'envs').filter(isPlain)) {
    const path = ['tool', 'hatch', 'envs', environment, 'scripts'];
    for (const name of namesAt(manifest, ...path).filter(isPlain)) {
      if (bodies.has(name) && environment !== 'default') continue;
      const list = stringsAt(manifest, ...path, name);
      bodies.set(name, textAt(manifest, ...path, name) ?? list.join('\n'));
      environments.set(name, environment);
    }
  }
  if (bodies.size === 0) return undefined;
  const command = (name: string) => {
    const environment = environments.get(name) ?? 'default';
    return `hatch run ${environment === 'default' ? '' : `${environment}:`}${name}`;
  };
  return { where: 'pyproject.toml hatch scripts', bodies, command };
}

/** Every table of pyproject.toml that declares dependencies, and the names in it. */
function* declaredIn(manifest: TableNode | undefined): Generator<[string, string[]]> {
  yield ['dependencies', stringsAt(manifest, 'project', 'dependencies')];
  for (const [...path] of [
    ['project', 'optional-dependencies'],
    ['dependency-groups'],
    ['tool', 'pdm', 'dev-dependencies'],
  ]) {
    for (const group of namesAt(manifest, ...path)) {
      yield [`${path.at(-1)}.${group}`, stringsAt(manifest, ...path, group)];
    }
  }
  for (const environment of namesAt(manifest, 'tool', 'hatch', 'envs')) {
    const path = ['tool', 'hatch', 'envs', environment];
    for (const table of ['dependencies', 'extra-dependencies'])
      yield [`tool.hatch.envs.${environment}`, stringsAt(manifest, ...path, table)];
  }
  yield ['tool.uv.dev-dependencies', stringsAt(manifest, 'tool', 'uv', 'dev-dependencies')];
  yield ['tool.poetry.dependencies', namesAt(manifest, 'tool', 'poetry', 'dependencies')];
  yield ['tool.poetry.dev-dependencies', namesAt(manifest, 'tool', 'poetry', 'dev-dependencies')];
  for (const group of namesAt(manifest, 'tool', 'poetry', 'group')) {
    const names = namesAt(manifest, 'tool', 'poetry', 'group', group, 'dependencies');
    yield [`tool.poetry.group.${group}`, names];
  }
}

function environment(
  files: ProjectFiles,
  manifest: TableNode | undefined,
  pipfile: TableNode | undefined,
  requirements: readonly string[],
  declared: ReadonlyMap<string, string>,
): Environment {
  const used = [...declared.values()];
  const named = (table: string) =>
    [...new Set(used.flatMap((from) => from.split(`pyproject.toml ${table}.`)[1] ?? []))].filter(isPlain);
  const extras = named('optional-dependencies');
  if (files.has('uv.lock') || at(manifest, 'tool', 'uv')) {
    const groups = named('dependency-groups').filter((name) => name !== 'dev');
    const flags = [...extras.map((name) => `--extra ${name}`), ...groups.map((name) => `--group ${name}`)];
    const sync = ['uv sync', ...(files.has('uv.lock') ? ['--locked'] : []), ...flags].join(' ');
    return {
      prefix: 'uv run --no-sync ',
      setup: [{ command: sync, from: files.first('uv.lock') ?? 'pyproject.toml' }],
    };
  }
  if (files.has('poetry.lock') || at(manifest, 'tool', 'poetry')) {
    const flags = extras.map((name) => ` --extras ${name}`).join('');
    return {
      prefix: 'poetry run ',
      setup: [
        {
          command: `poetry install --no-interaction${flags}`,
          from: files.first('poetry.lock') ?? 'pyproject.toml',
        },
      ],
    };
  }
  if (files.has('pdm.lock') || at(manifest, 'tool', 'pdm')) {
    return {
      prefix: 'pdm run ',
      setup: [{ command: 'pdm install', from: files.first('pdm.lock') ?? 'pyproject.toml' }],
    };
  }
  if (pipfile) {
    const command = files.has('Pipfile.lock') ? 'pipenv sync --dev' : 'pipenv install --dev --skip-lock';
    return { prefix: 'pipenv run ', setup: [{ command, from: files.first('Pipfile.lock') ?? 'Pipfile' }] };
  }
  const own = at(manifest, 'project') ? [`-e ".${extras.length > 0 ? `[${extras.join(',')}]` : ''}"`] : [];
  const listed = requirements.map((name) => `-r ${name}`);
  const from = own.length > 0 ? 'pyproject.toml' : (requirements[0] ?? 'pyproject.toml');
  const groups = named('dependency-groups').map((name) => `--group ${name}`);
  return {
    prefix: '.venv/bin/python -m ',
    setup: [
      { command: 'python3 -m venv .venv', from },
      // Dependency groups are known to pip since 25.1 only.
      ...(groups.length > 0
        ? [{ command: '.venv/bin/python -m pip install --upgrade "pip>=25.1"', from }]
        : []),
      {
        command: ['.venv/bin/python -m pip install', ...listed, ...own, ...groups].join(' '),
        from,
      },
    ],
  };
}

async function tools(
  files: ProjectFiles,
  manifest: TableNode | undefined,
  declared: ReadonlyMap<string, string>,
  prefix: string,
): Promise<{ offers: Offer[]; notes: string[] }> {
  const offers: Offer[] = [];
  const offer = (job: 'format' | 'lint' | 'typecheck' | 'test', tool: string, command: string) => {
    const from = declared.get(tool);
    if (from !== undefined) offers.push(known(job, `${prefix}${command}`, `${from} declares ${tool}`));
    return from !== undefined;
  };
  const ruff = (await files.toml('ruff.toml')) ?? (await files.toml('.ruff.toml'));
  const formatted = at(ruff, 'format') ?? at(manifest, 'tool', 'ruff', 'format');
  if (!offer('format', 'black', 'black .') && formatted) offer('format', 'ruff', 'ruff format .');
  if (!offer('lint', 'ruff', 'ruff check .')) offer('lint', 'flake8', 'flake8');
  const chosen = at(manifest, 'tool', 'mypy', 'files') ?? at(manifest, 'tool', 'mypy', 'packages');
  if (!offer('typecheck', 'mypy', chosen ? 'mypy' : 'mypy .')) offer('typecheck', 'pyright', 'pyright');
  offer('test', 'pytest', 'pytest');
  const configured = ['pytest', 'ruff', 'mypy', 'black', 'pyright'].filter(
    (tool) => at(manifest, 'tool', tool) && !declared.has(tool),
  );
  const notes = configured.map(
    (tool) => `pyproject.toml configures ${tool} but declares it nowhere, so it is not taken as a job.`,
  );
  return { offers, notes };
}
