/** A word of a command as the shell would pass it on; `undefined` where only the shell knows, as with a variable or a pattern. */
export type Word = string | undefined;

export interface Redirection {
  /** `>`, `>>`, `<`, `<<`, … */
  operator: string;
  target: Word;
}

/** One simple command, and what stands behind it: `&&`, `||`, `|`, `;`, `&`, or nothing. */
export interface SimpleCommand {
  words: Word[];
  redirections: Redirection[];
  behind: string;
}

/** Longer commands are scripts, which nobody reads in passing. */
const MOST_LENGTH = 64 * 1024;

/** Words that open what is no list of simple commands. */
const structure = new Set([
  ...['if', 'then', 'else', 'elif', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'select'],
  ...['function', 'coproc', 'time', '!', '{', '}', '[[', 'eval', 'exec', 'trap', 'alias', 'source', '.'],
]);

/**
 * Reads a list of simple commands as a POSIX shell would (XCU 2.3, 2.9): quotes, escapes, redirections, here-documents. `undefined`
 * for all else, such as loops, groups and substitutions: whoever judges by it must not guess.
 */
export function commandsIn(text: string): SimpleCommand[] | undefined {
  if (text.length > MOST_LENGTH || text.includes('\0')) return undefined;
  const lexer = new Lexer(text);
  return lexer.read() ? lexer.commands : undefined;
}

class Lexer {
  readonly commands: SimpleCommand[] = [];
  readonly #text: string;
  #at = 0;
  #now: SimpleCommand = { words: [], redirections: [], behind: '' };
  #documents: { end: string; tabs: boolean }[] = [];

  constructor(text: string) {
    this.#text = text.replace(/\\\r?\n/g, '');
  }

  read(): boolean {
    while (this.#at < this.#text.length) {
      if (!this.#step()) return false;
    }
    this.#end('');
    return this.#documents.length === 0;
  }

  /** Reads the next word or operator; false where it is none we know. */
  #step(): boolean {
    const rest = this.#text.slice(this.#at);
    const blank = /^[ \t]+/.exec(rest)?.[0] ?? /^#[^\n]*/.exec(rest)?.[0];
    if (blank !== undefined) return this.#skip(blank.length);
    const newline = /^\r?\n/.exec(rest)?.[0];
    if (newline !== undefined) {
      this.#end(';');
      return this.#skip(newline.length) && this.#passDocuments();
    }
    const redirection = /^(?:\d*|&)(>>|>\||>&|>|<<<|<<-|<<|<&|<>|<)/.exec(rest);
    if (redirection) return this.#skip(redirection[0].length) && this.#redirect(redirection);
    const separator = /^(?:&&|\|\||\|&|;;|[;|&])/.exec(rest)?.[0];
    if (separator !== undefined) {
      if (separator === ';;') return false;
      this.#end(separator === '|&' ? '|' : separator);
      return this.#skip(separator.length);
    }
    if (/^[()]/.test(rest)) return false;
    const word = this.#word();
    if (word === null) return false;
    const first = this.#now.words.length === 0;
    if (first && word !== undefined && structure.has(word)) return false;
    this.#now.words.push(word);
    return true;
  }

  #skip(length: number): true {
    this.#at += length;
    return true;
  }

  #end(behind: string): void {
    const { words, redirections } = this.#now;
    if (words.length > 0 || redirections.length > 0) this.commands.push({ words, redirections, behind });
    this.#now = { words: [], redirections: [], behind: '' };
  }

  #redirect([whole, operator = '']: RegExpExecArray): boolean {
    const blank = /^[ \t]*/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#skip(blank.length);
    const from = this.#at;
    const target = this.#word();
    // A process substitution, or nothing at all.
    if (target === null || this.#at === from) return false;
    if (operator === '<<' || operator === '<<-') {
      if (target === undefined) return false;
      this.#documents.push({ end: target, tabs: operator === '<<-' });
    }
    // `2>&1` names an open file, `&>file` and `>&file` a new one.
    const copies = operator.endsWith('&') && /^(?:\d+|-)$/.test(target ?? '');
    if (!copies) {
      const writes = whole.startsWith('&') ? operator : operator.replace(/^>&$/, '>');
      this.#now.redirections.push({ operator: writes, target });
    }
    return true;
  }

  /** Passes over the here-documents that begin with this line. */
  #passDocuments(): boolean {
    for (const { end, tabs } of this.#documents.splice(0)) {
      for (;;) {
        if (this.#at >= this.#text.length) return false;
        const newline = this.#text.indexOf('\n', this.#at);
        const stop = newline === -1 ? this.#text.length : newline;
        const line = this.#text.slice(this.#at, stop).replace(/\r$/, '');
        this.#at = stop + 1;
        if ((tabs ? line.replace(/^\t+/, '') : line) === end) break;
      }
    }
    return true;
  }

  /** A word from here on; `undefined` when only the shell knows it, `null` when it holds what we do not read. */
  #word(): Word | null {
    let value = '';
    let known = true;
    for (; this.#at < this.#text.length; ) {
      const char = this.#text.charAt(this.#at);
      if (/[\s;|&<>()]/.test(char)) {
        // `$(…)` and `<(…)` begin what has its own commands.
        if (char === '(') return null;
        break;
      }
      this.#at++;
      if (char === "'") {
        const end = this.#text.indexOf("'", this.#at);
        if (end === -1) return null;
        value += this.#text.slice(this.#at, end);
        this.#at = end + 1;
      } else if (char === '"') {
        const inner = this.#quoted();
        if (inner === null) return null;
        if (inner === undefined) known = false;
        else value += inner;
      } else if (char === '\\') {
        if (this.#at >= this.#text.length) return null;
        value += this.#text.charAt(this.#at++);
      } else if (char === '`') return null;
      else if (/[$*?[\]{}]/.test(char) || (char === '~' && value === '')) known = false;
      else value += char;
    }
    return known ? value : undefined;
  }

  /** What stands between double quotes. */
  #quoted(): Word | null {
    let value = '';
    let known = true;
    for (; this.#at < this.#text.length; ) {
      const char = this.#text.charAt(this.#at++);
      if (char === '"') return known ? value : undefined;
      if (char === '`') return null;
      if (char === '$') {
        if (this.#text.charAt(this.#at) === '(') return null;
        known = false;
      } else if (char === '\\' && /["\\$`]/.test(this.#text.charAt(this.#at))) {
        value += this.#text.charAt(this.#at++);
      } else value += char;
    }
    return null;
  }
}
