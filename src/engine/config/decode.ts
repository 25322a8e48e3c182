import { isUtf8 } from 'node:buffer';
import type { ConfigProblem } from './problems.ts';

const newline = 0x0a;

/** The text of UTF-8 bytes, or the place of the first byte that is none. */
export function decodeUtf8(bytes: Buffer): { text: string } | { problem: ConfigProblem } {
  if (isUtf8(bytes)) return { text: bytes.toString('utf8') };
  let line = 1;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(newline, start);
    const slice = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (end < 0 || !isUtf8(slice)) {
      const column = firstBroken(slice, line === 1);
      const at = { line, column, endLine: line, endColumn: column + 1 };
      return { problem: { message: 'not valid UTF-8; save the file as UTF-8', ...at, key: '' } };
    }
    start = end + 1;
    line++;
  }
}

/** The 1-based column of the first byte that stands for nothing; a BOM is not counted. */
function firstBroken(line: Buffer, first: boolean): number {
  let column = 1;
  let offset = 0;
  for (const character of line.toString('utf8')) {
    const size = Buffer.byteLength(character);
    if (!line.subarray(offset, offset + size).equals(Buffer.from(character))) break;
    if (!(first && offset === 0 && character === '\uFEFF')) column += character.length;
    offset += size;
  }
  return column;
}
