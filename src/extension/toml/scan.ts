/** A part of a TOML text that stands for something, or a gap where something may be typed. Offsets are UTF-16 units. */
export interface Zone {
  /** `header`: a name between the brackets of a table's header. `key`: a name before `=`. `value`: a scalar, or a part of a list. */
  kind: 'header' | 'key' | 'value';
  start: number;
  end: number;
  /** For a name, the table it is in, dotted names before it included; for a value, the whole path of its key. */
  path: readonly string[];
  /** The name, or the value as it is written; empty in a gap. */
  text: string;
  /** Nothing is written here. */
  gap: boolean;
  /** For a key: it has its `=`. For a header: it is closed. */
  complete: boolean;
  /** The value stands in a list. */
  inList: boolean;
  /** The key stands in braces. */
  inline: boolean;
  /** A statement begins with this key. */
  begins: boolean;
}

const blank = /[ \t]*/y;
const bare = /[A-Za-z0-9_-]+/y;
const scalar = /[^\s,[\]{}#"'=]+/y;
/** In a list, a line that can only be the next statement: the list above it was never closed. */
const nextStatement =
  /(?:\[\[?[ \t]*(?!(?:true|false|inf|nan)\b)[A-Za-z_][\w-]*(?:[ \t]*\.[ \t]*[\w"' -]+)*[ \t]*\]\]?[ \t]*(?:#[^\n]*)?\r?(?:\n|$))|[A-Za-z0-9_-]+(?:[ \t]*\.[ \t]*[\w-]+)*[ \t]*=/y;
/** Deeper nesting than this is read flat, so that no text exhausts the stack. */
const deepest = 16;

/**
 * Reads a TOML text as it is being typed: never refuses, and goes on at the next line where a line is not finished. A
 * parser would give up at the very place the cursor is.
 */
export function scan(text: string): Zone[] {
  return new Scanner(text).zones();
}

/** The zone a cursor is in or touches: what is written there, else the gap there. */
export function zoneAt(zones: readonly Zone[], offset: number): Zone | undefined {
  const touching = zones.filter(({ start, end }) => start <= offset && offset <= end);
  return touching.find(({ gap }) => !gap) ?? touching[0];
}

/** The names a text gives in the table at `path`, the one at `except` aside. */
export function namesIn(zones: readonly Zone[], path: readonly string[], except?: Zone): Set<string> {
  const same = (other: readonly string[]) =>
    other.length === path.length && other.every((name, index) => name === path[index]);
  return new Set(
    zones
      .filter((zone) => zone !== except && zone.kind !== 'value' && !zone.gap && same(zone.path))
      .map(({ text }) => text),
  );
}

class Scanner {
  readonly #text: string;
  readonly #zones: Zone[] = [];
  #at = 0;
  #table: readonly string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  zones(): Zone[] {
    for (;;) {
      this.#statement();
      this.#restOfLine();
      if (this.#at >= this.#text.length) return this.#zones;
      this.#at++;
      if (this.#at === this.#text.length) {
        this.#gap('key', this.#at, this.#table, { begins: true });
        return this.#zones;
      }
    }
  }

  #statement(): void {
    const start = this.#at;
    this.#take(blank);
    this.#gap('key', start, this.#table, { begins: true });
    const here = this.#text[this.#at];
    if (here === '[') this.#header();
    else if (here !== undefined && here !== '\n' && here !== '\r' && here !== '#')
      this.#pair(this.#table, 0, false);
  }

  #header(): void {
    this.#at++;
    if (this.#text[this.#at] === '[') this.#at++;
    const first = this.#zones.length;
    this.#table = this.#names('header', [], false);
    if (this.#text[this.#at] !== ']') return;
    for (const zone of this.#zones.slice(first)) zone.complete = true;
    while (this.#text[this.#at] === ']') this.#at++;
  }

  /** A dotted name; answers the path it leads to from `base`. */
  #names(kind: 'header' | 'key', base: readonly string[], inline: boolean): readonly string[] {
    let path = base;
    for (;;) {
      const before = this.#at;
      this.#take(blank);
      const start = this.#at;
      const name = this.#name();
      const zone = this.#push(kind, start, path, name, inline);
      zone.gap = this.#at === start;
      zone.begins = kind === 'key' && path === base && !inline;
      if (zone.gap) zone.start = before;
      else path = [...path, name];
      const end = this.#at;
      this.#take(blank);
      if (this.#text[this.#at] !== '.') {
        if (this.#text[this.#at] !== '=' && this.#text[this.#at] !== ']') this.#at = end;
        return path;
      }
      this.#at++;
    }
  }

  #name(): string {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return this.#take(bare);
    const start = this.#at;
    this.#string(quote);
    const closed = this.#at - start > 1 && this.#text[this.#at - 1] === quote;
    const inner = this.#text.slice(start + 1, closed ? this.#at - 1 : this.#at);
    return quote === '"' ? unescaped(inner) : inner;
  }

  #pair(base: readonly string[], depth: number, inline: boolean): void {
    const first = this.#zones.length;
    const path = this.#names('key', base, inline);
    if (this.#text[this.#at] !== '=') return;
    for (const zone of this.#zones.slice(first)) zone.complete = true;
    this.#at++;
    this.#value(path, depth, false);
  }

  #value(path: readonly string[], depth: number, inList: boolean): void {
    const before = this.#at;
    this.#take(blank);
    const start = this.#at;
    const here = this.#text[start];
    if ((here === '[' || here === '{') && depth < deepest) {
      if (start > before) this.#gap('value', before, path, { inList });
      this.#at++;
      if (here === '[') this.#list(path, depth + 1);
      else this.#braces(path, depth + 1);
      return;
    }
    if (here === '"' || here === "'") this.#string(here);
    else this.#take(scalar);
    const zone = this.#push('value', start, path, this.#text.slice(start, this.#at), false);
    zone.inList = inList;
    zone.gap = this.#at === start;
    if (zone.gap) zone.start = before;
  }

  #list(path: readonly string[], depth: number): void {
    for (;;) {
      const start = this.#at;
      if (this.#space()) return;
      this.#gap('value', start, path, { inList: true });
      const here = this.#text[this.#at];
      if (here === undefined) return;
      if (here === ']') {
        this.#at++;
        return;
      }
      const from = this.#at;
      if (here !== ',') this.#value(path, depth, true);
      if (this.#at === from) this.#at++;
    }
  }

  /** An inline table. It ends with its line, as TOML 1.0 has it. */
  #braces(path: readonly string[], depth: number): void {
    for (;;) {
      const start = this.#at;
      this.#take(blank);
      this.#gap('key', start, path, { inline: true });
      const here = this.#text[this.#at];
      if (here === undefined || here === '\n' || here === '\r' || here === '#') return;
      if (here === '}') {
        this.#at++;
        return;
      }
      const from = this.#at;
      if (here !== ',') this.#pair(path, depth, true);
      if (this.#at === from) this.#at++;
    }
  }

  /** Blanks, line ends and comments in a list; true where the next statement begins instead. */
  #space(): boolean {
    for (;;) {
      this.#take(blank);
      const here = this.#text[this.#at];
      if (here === '#') this.#restOfLine();
      else if (here === '\n' || here === '\r') {
        const line = this.#at;
        this.#at++;
        this.#take(blank);
        nextStatement.lastIndex = this.#at;
        if (nextStatement.test(this.#text)) {
          this.#at = line;
          return true;
        }
      } else return false;
    }
  }

  /** A string, to its closing quotes; an open one to the end of its line, or of the text if it has three quotes. */
  #string(quote: '"' | "'"): void {
    const three = this.#text.startsWith(quote.repeat(3), this.#at);
    const end = three ? quote.repeat(3) : quote;
    this.#at += end.length;
    while (this.#at < this.#text.length) {
      const here = this.#text[this.#at];
      if (!three && (here === '\n' || here === '\r')) return;
      if (here === '\\' && quote === '"') {
        const next = this.#text[this.#at + 1];
        this.#at += three || (next !== '\n' && next !== '\r') ? 2 : 1;
      } else if (this.#text.startsWith(end, this.#at)) {
        this.#at += end.length;
        // Up to two quotes may stand before the closing three.
        while (three && this.#text[this.#at] === quote) this.#at++;
        return;
      } else this.#at++;
    }
    this.#at = this.#text.length;
  }

  #restOfLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #push(kind: Zone['kind'], start: number, path: readonly string[], text: string, inline: boolean): Zone {
    const flags = { gap: false, complete: false, inList: false, begins: false };
    const zone: Zone = { kind, start, end: this.#at, path, text, inline, ...flags };
    this.#zones.push(zone);
    return zone;
  }

  #gap(kind: Zone['kind'], start: number, path: readonly string[], more: Partial<Zone> = {}): void {
    Object.assign(this.#push(kind, start, path, '', false), more, { gap: true });
  }
}

/** What a basic string says, as far as names need it; what is not finished stays as it is. */
function unescaped(inner: string): string {
  return inner.replace(
    /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([btnfr"\\]))/g,
    (whole, short?: string, long?: string, letter?: string) => {
      if (letter !== undefined) return { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' }[letter] ?? letter;
      const code = Number.parseInt(short ?? long ?? '', 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
