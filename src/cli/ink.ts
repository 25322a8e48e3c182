import { createColors } from 'picocolors';
import type { Outcome } from '../contract/envelope.ts';

/** How text may be dressed for one stream. */
export interface Look {
  color: boolean;
  unicode: boolean;
}

type Environment = Record<string, string | undefined>;

/**
 * Whether a stream gets colours: what was asked for, else NO_COLOR (no-color.org: any value but an empty one), else
 * FORCE_COLOR (any value but `0` and `false`), else only a terminal that is not dumb.
 */
export function wantsColor(asked: boolean | undefined, env: Environment, isTerminal: boolean): boolean {
  if (asked !== undefined) return asked;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return !/^(?:0|false)$/i.test(env.FORCE_COLOR);
  return isTerminal && env.TERM !== 'dumb';
}

/**
 * Whether marks beyond ASCII can be shown: the locale says UTF-8 (LC_ALL, LC_CTYPE, LANG, the first that is set:
 * POSIX.1-2017, XBD 8.2) and the terminal is not dumb. macOS has no other encoding; on Windows only the newer terminals.
 */
export function wantsUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  if (env.TERM === 'dumb') return false;
  if (platform === 'win32') return env.WT_SESSION !== undefined || env.TERM_PROGRAM === 'vscode';
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale ? /utf-?8/i.test(locale) : platform === 'darwin';
}

const marks = {
  passed: ['✔', '+'],
  failed: ['✖', 'x'],
  timed_out: ['✖', 'x'],
  cancelled: ['○', 'o'],
  skipped: ['-', '-'],
  running: ['▸', '>'],
  bar: ['│', '|'],
} as const;
type Mark = keyof typeof marks;

/** Text for one stream: coloured where {@link Look} says so, else plain. */
export class Ink {
  readonly #look: Look;
  readonly #colors: ReturnType<typeof createColors>;

  constructor(look: Look) {
    this.#look = look;
    this.#colors = createColors(look.color);
  }

  /** Whether characters beyond ASCII can be shown. */
  get unicode(): boolean {
    return this.#look.unicode;
  }

  bold(text: string): string {
    return text && this.#colors.bold(text);
  }

  dim(text: string): string {
    return text && this.#colors.dim(text);
  }

  red(text: string): string {
    return text && this.#colors.red(text);
  }

  green(text: string): string {
    return text && this.#colors.green(text);
  }

  yellow(text: string): string {
    return text && this.#colors.yellow(text);
  }

  cyan(text: string): string {
    return text && this.#colors.cyan(text);
  }

  /** A mark without its colour. */
  plainMark(mark: Mark): string {
    return marks[mark][this.#look.unicode ? 0 : 1];
  }

  /** The mark of an outcome, in its colour. */
  mark(mark: Outcome | 'running'): string {
    const plain = this.plainMark(mark);
    if (mark === 'passed') return this.green(plain);
    if (mark === 'failed' || mark === 'timed_out') return this.red(plain);
    if (mark === 'cancelled') return this.yellow(plain);
    return mark === 'running' ? this.cyan(plain) : this.dim(plain);
  }
}
