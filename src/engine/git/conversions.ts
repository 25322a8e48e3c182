import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { indexInfo } from './compare.ts';
import { fields, git } from './core.ts';
import { hasOwnAttributes, makeBareDir } from './own-attributes.ts';
import { type Checkout, type OwnEntry, pathOf } from './own-index.ts';

/** How many bytes are written aside at once to be compared. */
const BATCH = 64 * 1024 * 1024;

/** The attributes that decide how a file is converted (gitattributes(5)). */
const deciding = ['text', 'crlf', 'eol', 'ident', 'filter', 'working-tree-encoding'];

/** What decides how git converts the files of one commit on their way into a checkout. */
export interface Conversions {
  digest: string;
  /** True where git converts nothing at all. */
  none: boolean;
}

/** The commit's own files of attributes; no other counts, since it would be a user's. */
export const attributeFiles = (entries: readonly OwnEntry[]): OwnEntry[] =>
  entries.filter(({ key, mode }) => /(^|\/)\.gitattributes$/.test(key) && mode.startsWith('100'));

export async function readConversions(
  { top, env }: Checkout,
  attributes: readonly OwnEntry[],
): Promise<Conversions> {
  const asking = ['config', '--null', '--get-regexp', '^(core\\.(autocrlf|eol)|filter\\..*)$'];
  const { stdout } = await git(top, asking, { ok: [0, 1], ...(env && { env }) });
  const own = attributes.map(({ key, id }) => `${key}\0${id}\0`).join('');
  const lines = fields(stdout).some((one) => /^core\.autocrlf\n(?!false$)/.test(one.toString('utf8')));
  return {
    digest: createHash('sha256').update(stdout).update('\0').update(own, 'latin1').digest('hex'),
    none: attributes.length === 0 && !lines,
  };
}

/**
 * Of files with other bytes than the commit has, those that are not what a checkout of the commit writes here either, and back:
 * git writes each anew into an empty directory, by the commit's own attributes, and the bytes are compared; then it has to find
 * them to be the commit's. So neither way of a filter makes another file look like the commit's, and `info/attributes` none at all.
 */
export async function notAsConverted(
  checkout: Checkout,
  attributes: readonly OwnEntry[],
  suspects: readonly OwnEntry[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  const differing = new Set<string>();
  for (const batch of await inBatches(checkout, suspects)) {
    const dir = await mkdtemp(join(tmpdir(), 'discern-written-'));
    try {
      const written = new WrittenAside(checkout, dir, signal);
      for (const key of await written.differing(attributes, batch)) differing.add(key);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
  return differing;
}

async function inBatches({ top }: Checkout, entries: readonly OwnEntry[]): Promise<OwnEntry[][]> {
  const batches: OwnEntry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const found = await stat(Buffer.concat([Buffer.from(`${top}/`), pathOf(entry.key)])).catch(
      () => undefined,
    );
    room -= found?.size ?? 0;
    if (batches.length === 0 || room < 0) {
      batches.push([]);
      room = BATCH;
    }
    batches.at(-1)?.push(entry);
  }
  return batches;
}

class WrittenAside {
  readonly #checkout: Checkout;
  readonly #dir: string;
  readonly #tree: string;
  readonly #env: Record<string, string>;
  readonly #signal: AbortSignal | undefined;

  constructor(checkout: Checkout, dir: string, signal: AbortSignal | undefined) {
    this.#checkout = checkout;
    this.#dir = dir;
    this.#tree = join(dir, 'tree');
    this.#signal = signal;
    this.#env = {
      GIT_DIR: checkout.gitDir,
      GIT_WORK_TREE: this.#tree,
      GIT_INDEX_FILE: join(dir, 'index'),
    };
  }

  async differing(attributes: readonly OwnEntry[], suspects: readonly OwnEntry[]): Promise<string[]> {
    await mkdir(this.#tree);
    await this.#write(attributes);
    const local = await this.#convertedByUser(suspects);
    const rest = suspects.filter(({ key }) => !local.has(key));
    await this.#write(rest);
    const unlike = new Set<string>();
    for (const { key } of rest) if (!(await this.#isSame(key))) unlike.add(key);
    const back = await this.#notTheCommits();
    return suspects.map(({ key }) => key).filter((key) => local.has(key) || unlike.has(key) || back.has(key));
  }

  async #git(args: readonly string[], stdin?: Buffer, ok: readonly number[] = [0]): Promise<Buffer> {
    const options = { env: this.#env, signal: this.#signal, ok, ...(stdin && { stdin }) };
    // A shared part of this index would be written beside the user's own (git-update-index(1), "Split index").
    return (await git(this.#tree, ['-c', 'core.splitIndex=false', ...args], options)).stdout;
  }

  async #write(entries: readonly OwnEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const named = entries.map(({ key, mode, id }) => ({ path: pathOf(key), mode, id }));
    await this.#git(['update-index', '-z', '--add', '--index-info'], Buffer.concat(named.map(indexInfo)));
    const paths = Buffer.concat(named.flatMap(({ path }) => [path, Buffer.of(0)]));
    // A file that a filter could not write is not there, and so differs.
    await this.#git(['checkout-index', '-q', '-f', '-z', '--stdin'], paths, [0, 1, 128]);
  }

  async #isSame(key: string): Promise<boolean> {
    const at = (top: string) => Buffer.concat([Buffer.from(`${top}/`), pathOf(key)]);
    return sameBytes(at(this.#checkout.top), at(this.#tree));
  }

  async #notTheCommits(): Promise<Set<string>> {
    await this.#git(['update-index', '-q', '--refresh'], undefined, [0, 1]);
    const asking = ['diff-files', '-z', '--name-only', '--no-renames', '--no-ext-diff'];
    return new Set(fields(await this.#git(asking)).map((path) => path.toString('latin1')));
  }

  /** Files whose conversion the user's `info/attributes` decides, for which git has no switch. */
  async #convertedByUser(suspects: readonly OwnEntry[]): Promise<Set<string>> {
    if (!(await hasOwnAttributes(this.#checkout.commonDir))) return new Set();
    const alone = join(this.#dir, 'git');
    await makeBareDir(alone);
    const paths = Buffer.concat(suspects.flatMap(({ key }) => [pathOf(key), Buffer.of(0)]));
    const asking = ['check-attr', '-z', '--stdin', ...deciding];
    const all = fields(await this.#git(asking, paths));
    const { stdout } = await git(this.#tree, asking, {
      stdin: paths,
      signal: this.#signal,
      env: { GIT_DIR: alone, GIT_WORK_TREE: this.#tree },
    });
    const own = fields(stdout);
    // Path, attribute, value, over and over.
    return new Set(
      all.flatMap((path, at) =>
        at % 3 === 0 && !all[at + 2]?.equals(own[at + 2] ?? Buffer.alloc(0)) ? [path.toString('latin1')] : [],
      ),
    );
  }
}

const CHUNK = 1024 * 1024;

/** On Windows, line ends are a matter of the platform: git itself changes them there, and editors mix them. */
const anyLineEnds = process.platform === 'win32';

async function sameBytes(one: Buffer, other: Buffer): Promise<boolean> {
  if (anyLineEnds) {
    const [a, b] = await Promise.all(
      [one, other].map((path) => readFile(path, 'latin1').catch(() => undefined)),
    );
    return a !== undefined && a.replaceAll('\r\n', '\n') === b?.replaceAll('\r\n', '\n');
  }
  const files = await Promise.all([one, other].map((path) => open(path).catch(() => undefined)));
  try {
    const [a, b] = files;
    if (!a || !b || (await a.stat()).size !== (await b.stat()).size) return false;
    const [left, right] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
    for (;;) {
      const [l, r] = await Promise.all([a.read(left), b.read(right)]);
      if (l.bytesRead !== r.bytesRead) return false;
      if (!left.subarray(0, l.bytesRead).equals(right.subarray(0, r.bytesRead))) return false;
      if (l.bytesRead === 0) return true;
    }
  } finally {
    await Promise.all(files.map((file) => file?.close()));
  }
}
