import { createReadStream } from 'node:fs';

/** Text of one part of a large output, in characters, and its lines: what the shapes see at once. */
const partChars = 4 * 1024 * 1024;
const partLines = 60_000;
/** Lines that a part has of the one before it, so that what goes over several lines is whole in one of the two. */
const sharedLines = 2000;
const sharedChars = 512 * 1024;
/** Lines kept about each that may tell of a finding. */
const around = 100;
/** The start and the end of an output are kept whole. */
const wholeBytes = 1024 * 1024;
/** Longest line that is kept whole, such as a report of one line; of a longer one its start. */
const maxLine = partChars;

/**
 * What a line may hold that belongs to a finding: a place, a word of failing, a piece of JSON or XML, or a directory entered. It may
 * be wrong about a line, at the cost of time, and must not be wrong the other way.
 */
const promising = new RegExp(
  [
    /\.\w{1,10}["']?[:([]\s?\d/,
    /^[\w./-]{0,200}[A-Za-z]:\d+:/,
    /\bline[ :]{0,2}\d/,
    /\[\d+, ?\d+\]/,
    /^\s*\d+[:,]\d+\s/,
    /(?:err(?:or|s)?|warn(?:ing)?|fail\w*|fatal|panic\w*|exception|traceback|assert\w*|expect\w*|undefined)\b/,
    /(?:cannot|could not|not ok|unused|missing|invalid|deprecated|syntax|offen[cs]es?|violations?|mismatch)\b/,
    /[✖✗✘×●❯➜⨯✕╭┌│^~]/,
    /^\s*(?:["{}<]|[[\]],?\s*$)/,
    /^TAP version|^\d+\.\.\d+\s*$|^=== |^--- |^@@ |(?:Entering|Leaving) directory|DISCERN_PROBLEMS/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/** A run of lines of a large output. */
export interface Part {
  text: string;
  /** Lines at its start, and at its end, in which a finding is the neighbour's to tell. */
  before: number;
  after: number;
}

/**
 * The parts of an output of any size, read in a row, in bounded memory: its first and last MiB whole, of what stands between only the
 * surroundings of lines that may tell of a finding. Reads up to `size` bytes. Rejects with what the file system says, or the
 * signal's reason.
 */
export async function* partsOf(path: string, size: number, signal?: AbortSignal): AsyncGenerator<Part> {
  const collector = new Collector();
  let offset = 0;
  for await (const { line, bytes } of linesOf(path, size, signal)) {
    const edge = offset < wholeBytes || offset > size - wholeBytes;
    offset += bytes;
    const part = collector.push(line.endsWith('\n') ? line.slice(0, -1) : line, edge);
    if (part !== undefined) yield part;
  }
  yield collector.end();
}

/** Lines of the file with the bytes they take; of one too long to keep, its start. */
async function* linesOf(path: string, size: number, signal?: AbortSignal) {
  const stream = createReadStream(path, { encoding: 'utf8', end: size - 1, highWaterMark: 256 * 1024 });
  let pieces: string[] = [];
  let chars = 0;
  let bytes = 0;
  const add = (piece: string) => {
    bytes += Buffer.byteLength(piece);
    if (chars < maxLine) pieces.push(piece.slice(0, maxLine - chars));
    chars += piece.length;
  };
  const take = () => {
    const line = { line: pieces.join(''), bytes };
    pieces = [];
    chars = 0;
    bytes = 0;
    return line;
  };
  for await (const chunk of stream as AsyncIterable<string>) {
    signal?.throwIfAborted();
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      add(chunk.slice(from, end + 1));
      from = end + 1;
      yield take();
    }
    add(chunk.slice(from));
  }
  if (chars > 0) yield take();
}

/** Puts lines together to parts. */
class Collector {
  #lines: string[] = [];
  #chars = 0;
  /** Of its first lines: how many the part before has too. */
  #shared = 0;
  /** The last lines that were left out, for the next that is kept. */
  #passed: string[] = [];
  #keep = 0;

  push(line: string, edge: boolean): Part | undefined {
    const counts = edge || promising.test(line.length > 2000 ? line.slice(0, 2000) : line);
    if (counts) {
      for (const one of this.#passed) this.#add(one);
      this.#passed = [];
      this.#keep = around;
    }
    if (counts || this.#keep > 0) {
      if (!counts) this.#keep--;
      this.#add(line);
    } else {
      this.#passed.push(line);
      if (this.#passed.length > around) {
        this.#passed.shift();
        // What stands on the other side of a gap is not its neighbour.
        if (this.#lines.at(-1) !== '') this.#add('');
      }
    }
    return this.#chars < partChars && this.#lines.length < partLines ? undefined : this.#next();
  }

  end(): Part {
    return { text: this.#lines.join('\n'), before: margin(this.#shared), after: 0 };
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length + 1;
  }

  #next(): Part {
    let shared = 0;
    for (let chars = 0; shared < Math.min(sharedLines, this.#lines.length / 2); shared++) {
      chars += this.#lines.at(-shared - 1)?.length ?? 0;
      if (chars > sharedChars) break;
    }
    const part = { text: this.#lines.join('\n'), before: margin(this.#shared), after: margin(shared) };
    const again = shared === 0 ? [] : this.#lines.slice(-shared);
    this.#lines = [...entered(this.#lines.slice(0, this.#lines.length - shared)), ...again];
    this.#shared = this.#lines.length;
    this.#chars = this.#lines.reduce((sum, line) => sum + line.length + 1, 0);
    return part;
  }
}

/** What make said of directories that it entered in these lines and has not left: the next part begins in them. */
function entered(lines: readonly string[]): string[] {
  const open: string[] = [];
  for (const line of lines) {
    const [, way, directory = ''] = /: (Entering|Leaving) directory (.{1,1000})$/.exec(line) ?? [];
    if (way === 'Entering') open.push(line);
    else if (way === 'Leaving')
      open.splice(
        Math.max(
          0,
          open.findLastIndex((one) => one.endsWith(directory)),
        ),
      );
  }
  return open;
}

/** Less than half of what is shared: a finding near the middle is told by both parts, rather than by none. */
const margin = (shared: number) => Math.floor(shared / 3);
