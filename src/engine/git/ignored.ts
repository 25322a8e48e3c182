import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Patterns every matcher reads alike; what is dropped could only have ignored more. */
const plain = /^[\w.@/*+-]+$/;

/** What one file of patterns does: ignores some paths, or (`unclear`) may bring some back. */
type Rules = Ignore | 'unclear' | undefined;

/**
 * Says of untracked paths that a repository's own files ignore them (gitignore(5)), and never says so of one git would show:
 * where a `!` pattern may bring a path back it does not know, patterns that are not plain are passed over, and the user's own
 * `core.excludesFile`, which could only ignore more, is not read.
 */
export class IgnoreRules {
  readonly #top: string;
  readonly #common: Rules;
  readonly #files = new Map<string, Rules>();

  constructor(top: string, commonDir: string) {
    this.#top = top;
    this.#common = rulesIn(join(commonDir, 'info', 'exclude'));
  }

  /** `path` is relative to the git top, and ends with `/` when it is a directory. */
  ignores(path: string): boolean {
    const dirs = path.replace(/\/$/, '').split('/').slice(0, -1);
    const among = [
      { rules: this.#common, rest: path },
      ...[...dirs.keys(), dirs.length].map((depth) => {
        const dir = dirs
          .slice(0, depth)
          .map((name) => `${name}/`)
          .join('');
        return { rules: this.#in(dir), rest: path.slice(dir.length) };
      }),
    ];
    if (among.some(({ rules }) => rules === 'unclear')) return false;
    return among.some(({ rules, rest }) => (rules as Ignore | undefined)?.ignores(rest));
  }

  #in(dir: string): Rules {
    if (!this.#files.has(dir)) this.#files.set(dir, rulesIn(join(this.#top, dir, '.gitignore')));
    return this.#files.get(dir);
  }
}

function rulesIn(file: string): Rules {
  let text: string;
  try {
    // git does not follow a symlink here either.
    if (!lstatSync(file).isFile()) return undefined;
    text = readFileSync(file, 'utf8');
  } catch {
    // Not there, or not to be read: then it ignores nothing we know of.
    return undefined;
  }
  const lines = text.split(/\r?\n/);
  if (lines.some((line) => line.startsWith('!'))) return 'unclear';
  return ignore({ ignorecase: false }).add(lines.filter((line) => plain.test(line)));
}
