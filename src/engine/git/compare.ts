import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fields, git } from './core.ts';
import type { TreeEntry } from './diff.ts';
import { refreshIndex } from './read-tree.ts';

export interface NamedEntry extends TreeEntry {
  path: Buffer;
}

/** A path's bytes as a key, one character a byte. */
export const keyOf = (path: Buffer) => path.toString('latin1');

/** The mode of a tree entry that names a commit of another repository. */
export const submodule = '160000';

/**
 * Some of a checkout's files against what git stores for them, in an index of their own: so git compares and writes by
 * its own rules (filters, line ends, modes, symlinks), and the checkout's index is left alone. Submodules are left out:
 * they are no files of this repository.
 */
export class FileSet {
  readonly #checkout: string;
  readonly #dir: string;
  readonly #env: Record<string, string>;

  private constructor(checkout: string, dir: string, env: Record<string, string>) {
    this.#checkout = checkout;
    this.#dir = dir;
    this.#env = { ...env, GIT_INDEX_FILE: join(dir, 'index') };
  }

  static async open(
    checkout: string,
    entries: readonly NamedEntry[],
    env: Record<string, string> = {},
  ): Promise<FileSet> {
    const set = new FileSet(checkout, await mkdtemp(join(tmpdir(), 'discern-index-')), env);
    const files = entries.filter(({ mode }) => mode !== submodule);
    await git(checkout, ['update-index', '-z', '--add', '--index-info'], {
      env: set.#env,
      stdin: Buffer.concat(files.map(indexInfo)),
    });
    return set;
  }

  /**
   * The entries whose file is not what git stores: `absent` where there is no file (a directory in its place counts as
   * none), else `changed`.
   */
  async differing(): Promise<Map<string, 'absent' | 'changed'>> {
    await refreshIndex(this.#checkout, this.#env);
    const { stdout } = await git(
      this.#checkout,
      ['diff-files', '-z', '--name-status', '--no-renames', '--no-ext-diff'],
      { env: this.#env },
    );
    const parts = fields(stdout);
    const found = new Map<string, 'absent' | 'changed'>();
    for (let i = 0; i + 1 < parts.length; i += 2) {
      const absent = (parts[i] as Buffer).toString('latin1') === 'D';
      found.set(keyOf(parts[i + 1] as Buffer), absent ? 'absent' : 'changed');
    }
    return found;
  }

  /**
   * Writes the files of `paths`; what stands where one goes is overwritten only with `overwrite`. Resolves with what git said of
   * those it could not write.
   */
  async write(paths: readonly Buffer[], options: { overwrite: boolean }): Promise<string> {
    if (paths.length === 0) return '';
    const force = options.overwrite ? ['-f'] : ['-q'];
    const { stderr } = await git(this.#checkout, ['checkout-index', ...force, '-z', '--stdin'], {
      env: this.#env,
      stdin: Buffer.concat(paths.flatMap((path) => [path, Buffer.of(0)])),
      ok: [0, 1, 128],
    });
    return stderr;
  }

  async close(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true });
  }
}

/** A line of `git update-index -z --index-info`; mode 0 removes the path from the index. */
export function indexInfo(entry: NamedEntry): Buffer {
  return Buffer.concat([Buffer.from(`${entry.mode} ${entry.id}\t`), entry.path, Buffer.of(0)]);
}
