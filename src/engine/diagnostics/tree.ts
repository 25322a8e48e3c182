import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, posix, sep } from 'node:path';

/** Most files and folders a tree is searched for, and how deep. */
const maxEntries = 100_000;
const maxDepth = 16;
const maxManifests = 2000;
const maxKnown = 50_000;

/** Folders whose files are no one's own. */
const passedOver = new Set(
  [
    'node_modules',
    '.git',
    '.hg',
    '.svn',
    '.venv',
    'venv',
    '__pycache__',
    '.gradle',
    '.tox',
    '.mypy_cache',
  ].concat(['.pnpm-store', '.yarn', 'site-packages']),
);

type Kind = 'file' | 'directory' | 'none';

interface Index {
  files: ReadonlyMap<string, readonly string[]>;
  directories: ReadonlyMap<string, readonly string[]>;
}

/** The files of a job's root, asked for what a printed path may mean. Reads no more than it is asked for. */
export class Tree {
  readonly root: string;
  readonly #kinds = new Map<string, Promise<Kind>>();
  #index: Promise<Index> | undefined;
  #packages: Promise<ReadonlyMap<string, string>> | undefined;
  #modules: Promise<readonly { module: string; directory: string }[]> | undefined;

  constructor(root: string) {
    this.root = root;
  }

  /** False where the root itself is no directory: nothing is then known of any path. */
  async known(): Promise<boolean> {
    return (await this.#kind(this.root)) === 'directory';
  }

  /** Whether a path, absolute or relative to the root, is a file. */
  async hasFile(path: string): Promise<boolean> {
    return (await this.#kind(this.#absolute(path))) === 'file';
  }

  async hasDirectory(path: string): Promise<boolean> {
    return (await this.#kind(this.#absolute(path))) === 'directory';
  }

  /** The path relative to the root of an existing file or directory, links resolved; undefined where it lies outside. */
  async within(path: string): Promise<string | undefined> {
    try {
      const real = await realpath(path);
      return real.startsWith(this.root + sep)
        ? real
            .slice(this.root.length + 1)
            .split(sep)
            .join('/')
        : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** The files of the tree whose path ends in this one. */
  async ending(path: string): Promise<readonly string[]> {
    const { files } = await this.#all();
    return endingIn(files, path);
  }

  /** The directories of the tree whose path ends in this one. */
  async directoriesEnding(path: string): Promise<readonly string[]> {
    const { directories } = await this.#all();
    return endingIn(directories, path);
  }

  /** The directory of the workspace member a runner calls `label`: a path, its package's name, or its directory's. */
  async member(label: string): Promise<string | undefined> {
    if (!/^[@\w.][\w@./+-]{0,200}$/.test(label)) return undefined;
    if (label === '.') return '';
    const named = await this.packageNamed(label);
    if (named !== undefined) return named;
    if (!label.startsWith('@') && (await this.hasDirectory(label))) return posix.normalize(label);
    const found = await this.directoriesEnding(label.replace(/^@[^/]*\//, ''));
    return found.length === 1 ? found[0] : undefined;
  }

  /** The directory of the package.json that declares this name; '' for the root. */
  async packageNamed(name: string): Promise<string | undefined> {
    this.#packages ??= this.#readPackages();
    return (await this.#packages).get(name);
  }

  /** Go's modules in the tree, those deepest in their import path first. */
  modules(): Promise<readonly { module: string; directory: string }[]> {
    this.#modules ??= this.#readModules();
    return this.#modules;
  }

  #absolute(path: string): string {
    return isAbsolute(path) ? path : join(this.root, path);
  }

  #kind(path: string): Promise<Kind> {
    const known = this.#kinds.get(path);
    if (known !== undefined) return known;
    const kind = kindOf(path);
    if (this.#kinds.size < maxKnown) this.#kinds.set(path, kind);
    return kind;
  }

  async #readPackages(): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for (const [file, text] of await this.#manifests('package.json')) {
      const name = /"name"\s{0,10}:\s{0,10}"([^"]{1,200})"/.exec(text)?.[1];
      if (name !== undefined && !names.has(name)) names.set(name, directoryOf(file));
    }
    return names;
  }

  async #readModules() {
    const modules: { module: string; directory: string }[] = [];
    for (const [file, text] of await this.#manifests('go.mod')) {
      const module = /^module[ \t]+"?([^\s"]{1,500})/m.exec(text)?.[1];
      if (module !== undefined) modules.push({ module, directory: directoryOf(file) });
    }
    return modules.sort((a, b) => b.module.length - a.module.length);
  }

  /** The texts of the files of this name, the shallowest first. */
  async #manifests(name: string): Promise<[string, string][]> {
    const files = [...((await this.#all()).files.get(name) ?? [])].sort((a, b) => a.length - b.length);
    const read: [string, string][] = [];
    for (const file of files.slice(0, maxManifests)) {
      const text = await textOf(join(this.root, file));
      if (text !== undefined) read.push([file, text]);
    }
    return read;
  }

  #all(): Promise<Index> {
    this.#index ??= walk(this.root);
    return this.#index;
  }
}

function directoryOf(file: string): string {
  const directory = posix.dirname(file);
  return directory === '.' ? '' : directory;
}

function endingIn(index: ReadonlyMap<string, readonly string[]>, path: string): readonly string[] {
  const end = posix
    .normalize(path.replaceAll('\\', '/'))
    .replace(/^(?:\.{1,2}\/)+/, '')
    .replace(/\/$/, '');
  const named = index.get(basename(end)) ?? [];
  return named.filter((known) => known === end || known.endsWith(`/${end}`));
}

async function walk(root: string): Promise<Index> {
  const files = new Map<string, string[]>();
  const directories = new Map<string, string[]>();
  let entries = 0;
  // Breadth first, so that of a tree too large to know the deepest part is unknown.
  const waiting = [''];
  for (const directory of waiting) {
    if (entries >= maxEntries) break;
    for (const entry of await entriesOf(join(root, directory))) {
      if (++entries > maxEntries) break;
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      const kept = entry.isDirectory() ? directories : entry.isFile() ? files : undefined;
      if (kept === undefined || (kept === directories && passedOver.has(entry.name))) continue;
      const same = kept.get(entry.name);
      if (same === undefined) kept.set(entry.name, [path]);
      else same.push(path);
      if (kept === directories && path.split('/').length < maxDepth) waiting.push(path);
    }
  }
  return { files, directories };
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    // A job may have removed it meanwhile, or closed it to us: what is in it is then not known.
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function kindOf(path: string): Promise<Kind> {
  if (path.includes('\0') || path.length > 4096) return 'none';
  try {
    const found = await stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'none';
  } catch (error) {
    if (isAbsent(error)) return 'none';
    throw error;
  }
}

const absent = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'ELOOP',
  'ENAMETOOLONG',
  'EINVAL',
  'EIO',
  'UNKNOWN',
]);

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && absent.has(String(error.code));
}
