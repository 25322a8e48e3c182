import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { isObject, messageOf } from '../../contract/values.ts';
import { parseTree, type TableNode } from '../config/tree.ts';
import { readBounded } from '../files/bounded-file.ts';

/** The most bytes of a manifest that are read; a TOML parser is slower than JSON's. */
const limits = { text: 1024 * 1024, toml: 256 * 1024 };

/** A JSON object's members; whatever they are called, they are only looked up as its own. */
export type Members = Record<string, unknown>;

/** The files of one directory, as far as a proposal needs them. What is wrong with one is gathered in `notes`. */
export class ProjectFiles {
  readonly root: string;
  readonly #top: string;
  readonly #names: ReadonlySet<string>;
  readonly #texts = new Map<string, Promise<string | undefined>>();
  /** One sentence a file that is there and could not be used. */
  readonly notes: string[] = [];

  /** `top` is the git top: nothing above it is looked at. `names` are the files of `root` that count. */
  constructor(root: string, top: string, names: readonly string[]) {
    this.root = root;
    this.#top = top;
    this.#names = new Set(names);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The first of these names that is there. */
  first(...names: string[]): string | undefined {
    return names.find((name) => this.#names.has(name));
  }

  /** The names that fit a pattern, sorted. */
  matching(pattern: RegExp): string[] {
    return [...this.#names].filter((name) => pattern.test(name)).sort();
  }

  /** The files of a directory below this one; nothing where it is none, or lies behind a link. */
  async below(path: string): Promise<ProjectFiles | undefined> {
    let root = this.root;
    for (const part of path.split('/')) {
      root = join(root, part);
      const found = await lstat(root).catch(() => undefined);
      if (!found?.isDirectory()) return undefined;
    }
    return new ProjectFiles(root, this.#top, await readdir(root));
  }

  /** True where a file may be run as a command. Windows asks no mode. */
  async runs(name: string): Promise<boolean> {
    if (process.platform === 'win32') return true;
    const found = await stat(join(this.root, name)).catch(() => undefined);
    return found !== undefined && (found.mode & 0o111) !== 0;
  }

  /**
   * The names that are there in the nearest directory that has any of them, this one first and not above the git top: a
   * package of a workspace has its lock file further up.
   */
  async nearest(names: readonly string[]): Promise<string[]> {
    for (let dir = this.root; ; dir = dirname(dir)) {
      const here = dir === this.root ? this.#names : new Set(await readdir(dir));
      const found = names.filter((name) => here.has(name));
      if (found.length > 0 || dir === this.#top || dirname(dir) === dir) return found;
    }
  }

  /** A file's text; nothing when it is not there or cannot be read. */
  text(name: string, limit = limits.text): Promise<string | undefined> {
    if (!this.has(name)) return Promise.resolve(undefined);
    const reading = this.#texts.get(name) ?? this.#read(name, limit);
    this.#texts.set(name, reading);
    return reading;
  }

  async #read(name: string, limit: number): Promise<string | undefined> {
    const read = await readBounded(join(this.root, name), limit);
    if (read === undefined || 'text' in read) return read?.text;
    this.#unused(name, read.problem);
    return undefined;
  }

  #unused(name: string, why: string): void {
    this.notes.push(`${name} ${why}, so nothing was taken from it.`);
  }

  /** A strict JSON file that holds an object. */
  async json(name: string): Promise<Members | undefined> {
    const text = await this.text(name);
    if (text === undefined) return undefined;
    try {
      return this.#object(name, JSON.parse(text));
    } catch (error) {
      this.#unused(name, `is not valid JSON (${firstLine(error)})`);
      return undefined;
    }
  }

  /** A JSON file in which comments and trailing commas are allowed. */
  async jsonc(name: string): Promise<Members | undefined> {
    const text = await this.text(name);
    return text === undefined ? undefined : this.#object(name, parseJsonc(text), true);
  }

  #object(name: string, value: unknown, orBroken = false): Members | undefined {
    const members = membersOf(value);
    if (!members) this.#unused(name, orBroken ? 'is not a valid JSON object' : 'holds no JSON object');
    return members;
  }

  /** A TOML file, as a tree that is safe to walk whatever its keys are called. */
  async toml(name: string): Promise<TableNode | undefined> {
    const text = await this.text(name, limits.toml);
    if (text === undefined) return undefined;
    const tree = parseTree(text);
    if ('root' in tree) return tree.root;
    this.#unused(name, `cannot be read (line ${tree.at.line}: ${tree.message})`);
    return undefined;
  }
}

/** The value of a JSON text with comments; nothing when it is broken. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    return errors.length > 0 ? undefined : value;
  } catch (error) {
    // The parser recurses, and a file may be nested deeper than the stack is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** An object's members; `undefined` for everything else. */
export function membersOf(value: unknown): Members | undefined {
  return isObject(value) ? value : undefined;
}

/** A member of its own, never one that every object has. */
export function member(of: unknown, name: string): unknown {
  const members = membersOf(of);
  return members && Object.hasOwn(members, name) ? members[name] : undefined;
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The members that are strings. */
export function strings(value: unknown): Map<string, string> {
  const members = Object.entries(membersOf(value) ?? {});
  return new Map(members.filter((one): one is [string, string] => typeof one[1] === 'string'));
}

function firstLine(error: unknown): string {
  const said = messageOf(error);
  return said.replace(/[\s\u0000-\u001f]+/g, ' ').slice(0, 160);
}
