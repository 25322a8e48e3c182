import { type FileHandle, open } from 'node:fs/promises';

/** A file up to this many bytes is parsed whole. */
const wholeBytes = 8 * 1024 * 1024;
/** Of a larger one, this much of its end; findings are searched for in all of it (`parts.ts`). */
const tailBytes = 256 * 1024;

const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/** What a job's output file holds. */
export interface Window {
  /** Newline-terminated lines of the whole file, and one for a last line without its newline. */
  lines: number;
  /** The whole text, or the end of a large file in whole lines; '' unless asked for. */
  text: string;
  /** Whether `text` is all there is. */
  whole: boolean;
  /** Bytes of the file when it was opened. */
  size: number;
  /** Why the file could not be read, as a system error code; its lines are then those counted so far. */
  unreadable?: string;
}

/**
 * Counts the lines of the whole file and, where `parse` is set, reads all of a small one and the end of a large one.
 * Streams, so memory is bounded whatever the size; what is appended meanwhile is not waited for.
 * Rejects only with the signal's reason.
 */
export async function readWindow(path: string, parse: boolean, signal?: AbortSignal): Promise<Window> {
  const window: Window = { lines: 0, text: '', whole: true, size: 0 };
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      window.size = size;
      window.whole = size <= wholeBytes;
      window.lines = await countLines(file, size, signal);
      if (parse) window.text = await readText(file, size);
    } finally {
      await file.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    window.unreadable = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
  return window;
}

async function countLines(file: FileHandle, size: number, signal?: AbortSignal): Promise<number> {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size));
  let lines = 0;
  let last = newline;
  for (let offset = 0; offset < size; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - offset), offset);
    if (bytesRead === 0) break;
    for (let i = 0; i < bytesRead; i++) if (chunk[i] === newline) lines++;
    last = chunk[bytesRead - 1] ?? newline;
    offset += bytesRead;
  }
  return last === newline ? lines : lines + 1;
}

async function readText(file: FileHandle, size: number): Promise<string> {
  return size <= wholeBytes
    ? withoutMark(await readPart(file, 0, size))
    : wholeLines(await readPart(file, size - tailBytes, tailBytes));
}

async function readPart(file: FileHandle, offset: number, length: number): Promise<string> {
  const part = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(part, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return part.toString('utf8', 0, filled);
}

/** Without the line that the window's edge cut through, unless the part is but one enormous line. */
function wholeLines(part: string): string {
  const start = part.indexOf('\n');
  // Of a line of megabytes its end tells more than some point in its midst.
  return start === -1 || start === part.length - 1 ? part.slice(-2000) : part.slice(start + 1);
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
