import { parse as parseJsonc } from 'jsonc-parser';
import { isObject } from '../../../contract/values.ts';

/*
 * What says which ignored files a new worktree wants, as lists of gitignore(5) patterns. Each list is one of its own: a `!` of one
 * takes nothing back from another.
 */

/** The patterns of a `.worktreeinclude`, read as git reads a `.gitignore`: without comments, empty lines, and blanks at the end. */
export function fromInclude(text: string): string[] {
  return text.split('\n').flatMap((raw) => {
    const line = raw.replace(/\r$/, '').replace(/(?<!\\)((?:\\\\)*) +$/, '$1');
    return line === '' || line.startsWith('#') ? [] : [line];
  });
}

/** Makes of a path the pattern that matches it alone. */
const exactly = (path: string) => `/${path.replace(/[\\*?[\] ]/g, '\\$&')}`;

/**
 * The patterns of `git.worktreeIncludeFiles` in VS Code's settings: its globs begin at the folder, and one for all in a directory
 * means that directory. A text without the setting has none; one that is no JSON with comments is a problem.
 */
export function fromVscode(text: string): string[] | { problem: string } {
  const value = jsonOf(text);
  if (value === undefined) return { problem: 'is no JSON object' };
  const globs = value['git.worktreeIncludeFiles'] ?? [];
  if (!Array.isArray(globs) || !globs.every((one) => typeof one === 'string')) {
    return { problem: 'has a git.worktreeIncludeFiles that is not a list of texts' };
  }
  return globs.flatMap(alternatives).flatMap((glob) => {
    const whole = glob.replace(/^\.?\/+/, '').replace(/(?<=.)\/\*\*$/, '/');
    return whole === '' ? [] : [whole.startsWith('**/') ? whole : `/${whole}`];
  });
}

/** At most this many patterns come of one glob. */
const MOST_ALTERNATIVES = 64;

/** A glob with `{a,b}` as the globs it stands for; gitignore(5) has no such thing. */
function alternatives(glob: string): string[] {
  let open = [glob];
  for (;;) {
    const next = open.flatMap((one) => {
      const found = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(one);
      if (!found) return [one];
      const [, before = '', inside = '', after = ''] = found;
      return inside.split(',').map((choice) => `${before}${choice}${after}`);
    });
    if (next.length > MOST_ALTERNATIVES || next.every((one, index) => one === open[index])) return open;
    open = next;
  }
}

/** A copy from the checkout that has it into the same place here: `cp -r "$ROOT_WORKTREE_PATH/a/b" a/b`, or `.` for `a`. */
const copies =
  /^\s*cp\s+(?:-{1,2}[\w=-]+\s+)*\$(?:ROOT_WORKTREE_PATH|\{ROOT_WORKTREE_PATH\})\/([^\s`$;&|<>*?[\]]+)\s+([^\s`$;&|<>*?[\]]+)\s*$/;

/**
 * The patterns of a `.cursor/worktrees.json`: of its setup commands those that only copy one thing from the first checkout to the same
 * place. Whatever else it says are commands, and they are not run.
 */
export function fromCursor(text: string): string[] | { problem: string } {
  const value = jsonOf(text);
  if (value === undefined) return { problem: 'is no JSON object' };
  const os = process.platform === 'win32' ? 'setup-worktree-windows' : 'setup-worktree-unix';
  const setup = value[os] ?? value['setup-worktree'] ?? [];
  if (!Array.isArray(setup)) return [];
  return setup.flatMap((command) => {
    const found = typeof command === 'string' ? copies.exec(command.replaceAll(/["']/g, '')) : null;
    if (!found) return [];
    const from = plain(found[1] ?? '');
    const to = plain(found[2] ?? '');
    const beside = from.includes('/') ? from.slice(0, from.lastIndexOf('/')) : '';
    return from !== '' && !from.split('/').includes('..') && (to === from || to === beside)
      ? [exactly(from)]
      : [];
  });
}

/** A relative path without `.` and slashes that say nothing. */
const plain = (path: string) =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

function jsonOf(text: string): Record<string, unknown> | undefined {
  const value: unknown = parseJsonc(text, [], { allowTrailingComma: true });
  return isObject(value) ? value : undefined;
}

/** A pattern of a project below the git top, as one of the top: `prefix` is the project's directory, '' at the top. */
export function below(prefix: string, pattern: string): string {
  if (prefix === '') return pattern;
  const not = pattern.startsWith('!') ? '!' : '';
  const bare = pattern.slice(not.length);
  const anchored = bare.slice(0, -1).includes('/');
  return `${not}${exactly(prefix)}/${anchored ? bare.replace(/^\//, '') : `**/${bare}`}`;
}
