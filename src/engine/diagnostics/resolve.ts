import { isAbsolute, posix, win32 } from 'node:path';
import { commandDirectories } from './directories.ts';
import type { Finding, Note } from './finding.ts';
import { fromFileUri, locate } from './locate.ts';
import { isOwn } from './place.ts';
import type { Tree } from './tree.ts';

/** Where a relative path may begin, each relative to the root. */
interface Bases {
  /** The tool ran in the first of these that has the file. */
  near: string[];
  /** It may have run in any of these. */
  perhaps: string[];
}

/** Turns printed paths into files of the tree, and leaves what is none of them without a place. */
export class Resolver {
  readonly #tree: Tree;
  readonly #command: string;
  readonly #directories = new Map<string, Promise<string | undefined>>();
  readonly #bases = new Map<string, Promise<Bases>>();
  readonly #files = new Map<string, Promise<string | undefined>>();

  constructor(tree: Tree, command: string) {
    this.#tree = tree;
    this.#command = command;
  }

  /**
   * The findings with their files relative to the root. A file is looked for in the directory that make or a script
   * entered, in the member whose line it is, in the directory the command changes to, in the root; then it is the only
   * file of the tree that ends so. What is none of these gives no place: a doubtful finding then does not count, and
   * another keeps the path in its message. Where the root is no directory, paths stay as printed.
   */
  async place(findings: readonly Finding[]): Promise<Finding[]> {
    if (!(await this.#tree.known())) return findings.map((finding) => asPrinted(finding, this.#tree.root));
    const placed: Finding[] = [];
    for (const finding of findings) {
      const one = await this.#placeOne(finding);
      if (one !== undefined) placed.push(one);
    }
    return placed;
  }

  async #placeOne(finding: Finding): Promise<Finding | undefined> {
    const { file, frames = [], doubtful, related } = finding;
    const bases = await this.#basesOf(finding);
    const notes = related === undefined ? undefined : await this.#notes(related, bases);
    const rest = { ...finding, ...(notes && { related: notes }), frames: undefined };
    if (file !== undefined) {
      const found = await this.#fileOf(file, bases, finding.importPath);
      if (found !== undefined) return { ...rest, file: found };
    }
    for (const frame of frames) {
      if (!isOwn(frame.file)) continue;
      const found = await this.#fileOf(frame.file, bases, finding.importPath);
      if (found === undefined || !isOwn(found)) continue;
      return { ...rest, ...frame, file: found };
    }
    if (doubtful) return undefined;
    return { ...rest, ...nowhere, message: file === undefined ? finding.message : withPath(finding) };
  }

  async #notes(notes: readonly Note[], bases: Bases): Promise<Note[]> {
    const placed: Note[] = [];
    for (const note of notes) {
      const file = note.file === undefined ? undefined : await this.#fileOf(note.file, bases, undefined);
      placed.push(
        file === undefined
          ? { message: note.file === undefined ? note.message : withPath(note) }
          : { ...note, file },
      );
    }
    return placed;
  }

  #basesOf({ label, directories = [] }: Finding): Promise<Bases> {
    const key = JSON.stringify([label, directories]);
    const known = this.#bases.get(key);
    if (known !== undefined) return known;
    const bases = this.#readBases(label, directories);
    this.#bases.set(key, bases);
    return bases;
  }

  async #readBases(label: string | undefined, directories: readonly string[]): Promise<Bases> {
    const { all, some } = commandDirectories(this.#command);
    const [near, perhaps] = await Promise.all([
      this.#known([...directories, ...(label ? [label] : []), ...all]),
      this.#known(some),
    ]);
    return { near, perhaps };
  }

  async #known(printed: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const one of printed) {
      const known = this.#directories.get(one) ?? this.#directoryOf(one);
      this.#directories.set(one, known);
      const directory = await known;
      if (directory !== undefined && !found.includes(directory)) found.push(directory);
    }
    return found;
  }

  /** A printed directory relative to the root. */
  async #directoryOf(printed: string): Promise<string | undefined> {
    const path = printed.replaceAll('\\', '/').replace(/\/+$/, '') || '/';
    if (!isAbsolute(path)) {
      const inRoot = posix.normalize(path);
      if (!inRoot.startsWith('..') && (await this.#tree.hasDirectory(inRoot)))
        return inRoot === '.' ? '' : inRoot;
      return this.#tree.member(path);
    }
    if (path === this.#tree.root) return '';
    if (await this.#tree.hasDirectory(path)) return this.#tree.within(path);
    for (const rest of suffixes(path)) if (await this.#tree.hasDirectory(rest)) return rest;
    return undefined;
  }

  #fileOf(printed: string, bases: Bases, importPath: string | undefined): Promise<string | undefined> {
    const key = JSON.stringify([printed, bases, importPath]);
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const found = this.#lookUp(withoutOrigin(printed), bases, importPath);
    this.#files.set(key, found);
    return found;
  }

  async #lookUp(printed: string, bases: Bases, importPath: string | undefined): Promise<string | undefined> {
    if (printed === '' || printed.endsWith('/')) return undefined;
    const inPackage = importPath === undefined ? undefined : await this.#packageFile(printed, importPath);
    if (inPackage !== undefined) return inPackage;
    if (isAbsolute(printed)) return this.#absolute(printed, bases);
    const direct = await this.#relative(printed, bases);
    if (direct !== undefined || !printed.includes('\\')) return direct ?? undefined;
    const slashed = printed.replaceAll('\\', '/');
    return win32.isAbsolute(printed)
      ? this.#foreign(slashed.replace(/^[A-Za-z]:/, ''), bases)
      : this.#relative(slashed, bases);
  }

  async #absolute(path: string, bases: Bases): Promise<string | undefined> {
    if (await this.#tree.hasFile(path)) {
      const inRoot = locate(path, this.#tree.root);
      return isAbsolute(inRoot) ? this.#tree.within(path) : inRoot;
    }
    return path.startsWith(`${this.#tree.root}/`) ? undefined : this.#foreign(path, bases);
  }

  /** A path of another machine, such as the container the tool ran in: its longest end that is a file here. */
  async #foreign(path: string, bases: Bases): Promise<string | undefined> {
    for (const rest of suffixes(path)) {
      if (!rest.includes('/')) break;
      for (const base of [...bases.near, '']) {
        const file = posix.join(base, rest);
        if (await this.#tree.hasFile(file)) return file;
      }
      const found = await this.#tree.ending(rest);
      if (found.length > 0) return found.length === 1 ? found[0] : undefined;
    }
    const named = await this.#tree.ending(posix.basename(path));
    return named.length === 1 ? named[0] : undefined;
  }

  async #relative(printed: string, { near, perhaps }: Bases): Promise<string | undefined> {
    for (const base of near) {
      const file = await this.#inRoot(base, printed);
      if (file !== undefined) return file;
    }
    const candidates: string[] = [];
    for (const base of [...perhaps, '']) {
      const file = await this.#inRoot(base, printed);
      if (file !== undefined && !candidates.includes(file)) candidates.push(file);
    }
    // Two files it may mean equally well: naming one would be a guess.
    if (candidates.length > 0) return candidates.length === 1 ? candidates[0] : undefined;
    const found = await this.#tree.ending(printed);
    if (found.length === 1) return found[0];
    const nearby = found.filter((file) => near.some((base) => file.startsWith(`${base}/`)));
    if (nearby.length === 1) return nearby[0];
    if (found.length > 0) return undefined;
    for (const rest of suffixes(printed)) {
      if (!rest.includes('/')) break;
      if (await this.#tree.hasFile(rest)) return rest;
      const ending = await this.#tree.ending(rest);
      if (ending.length > 0) return ending.length === 1 ? ending[0] : undefined;
    }
    return undefined;
  }

  async #inRoot(base: string, printed: string): Promise<string | undefined> {
    const file = posix.join(base, printed);
    if (file.startsWith('..') || !(await this.#tree.hasFile(file))) return undefined;
    return file;
  }

  async #packageFile(file: string, importPath: string): Promise<string | undefined> {
    if (isAbsolute(file)) return undefined;
    for (const { module, directory } of await this.#tree.modules()) {
      if (importPath !== module && !importPath.startsWith(`${module}/`)) continue;
      const path = posix.join(directory, importPath.slice(module.length), file);
      if (await this.#tree.hasFile(path)) return path;
    }
    return undefined;
  }
}

const nowhere = {
  file: undefined,
  line: undefined,
  column: undefined,
  endLine: undefined,
  endColumn: undefined,
};

/** `/a/b/c` as `b/c` and `c`, or `a/b/c` the same. */
function* suffixes(path: string): Generator<string> {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  for (let from = path.startsWith('/') ? 0 : 1; from < parts.length; from++)
    yield parts.slice(from).join('/');
}

const origin =
  /^(?:webpack(?:-internal)?:\/{2,3}(?:[^/]{0,100}\/)?(?:\.\/)?|https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?\/(?:base\/|@fs(?=\/))?)/;

/** The path in what a bundler, a development server or a `file:` URI calls a file. */
function withoutOrigin(printed: string): string {
  const path = fromFileUri(printed);
  return origin.test(path) ? path.replace(origin, '').replace(/[?#].*$/, '') : path;
}

/** The message with the path that is no place of the tree, so that nothing the tool said is lost. */
function withPath({
  file,
  line,
  message,
}: {
  file?: string | undefined;
  line?: number | undefined;
  message: string;
}): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${message}`;
}

function asPrinted(finding: Finding, root: string): Finding {
  const { file, frames = [], related } = finding;
  const frame = file === undefined ? (frames.find((one) => isOwn(one.file)) ?? frames[0]) : undefined;
  const placed = { ...finding, ...frame, frames: undefined };
  const notes = related?.map((note) =>
    note.file === undefined ? note : { ...note, file: locate(note.file, root) },
  );
  return {
    ...placed,
    ...(placed.file !== undefined && { file: locate(placed.file, root) }),
    ...(notes && { related: notes }),
  };
}
