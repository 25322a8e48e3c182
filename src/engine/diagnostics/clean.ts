import { stripVTControlCharacters } from 'node:util';

/** Longest line kept, in UTF-16 code units; the rest of a longer one is dropped. */
export const maxLine = 2000;

/** Most lines examined; of more, the first and the last are kept, since verdicts stand at either end. */
const maxHeadLines = 40_000;
const maxTailLines = 160_000;

/** Escape sequences are stripped before the cut to `maxLine`, so a coloured line is first cut to this. */
const maxRawLine = 4 * maxLine;

const toFirstColumn = /\u001b\[1?G/g;
const escapes = /[\u001b\u009b]/;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const surrogates = /[\ud800-\udfff]/;

/**
 * Text without terminal escapes, control characters (tab and newline stay) or lone surrogates, which
 * strict JSON readers refuse.
 */
export function plain(text: string): string {
  const stripped = escapes.test(text) ? stripVTControlCharacters(text) : text;
  const clean = stripped.replace(controls, '');
  return surrogates.test(clean) ? Buffer.from(clean, 'utf8').toString('utf8') : clean;
}

/** The first `length` code units of `text`, one fewer where that would halve a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** On one line, every run of white space a single space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function cleanLine(raw: string): string {
  const line = plain(cut(raw, maxRawLine));
  return cut(line, maxLine).trimEnd();
}

/**
 * The clean lines of what a job printed. CRLF and lone CR (a progress bar redrawing itself) end lines too.
 * Bounded: lines to 2000 characters, and to 200 000 lines, those in the middle being left out.
 */
export function toLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of middleCut(text.split('\n'))) {
    // A cursor sent back to the first column redraws the line too.
    const raw = line.includes('\u001b[') ? line.replace(toFirstColumn, '\r') : line;
    if (!raw.includes('\r')) {
      lines.push(cleanLine(raw));
      continue;
    }
    const parts = raw.split('\r').filter((part) => part !== '');
    if (parts.length === 0) lines.push('');
    for (const part of parts) lines.push(cleanLine(part));
  }
  return middleCut(lines);
}

function middleCut(lines: string[]): string[] {
  if (lines.length <= maxHeadLines + maxTailLines) return lines;
  return [...lines.slice(0, maxHeadLines), '', ...lines.slice(-maxTailLines)];
}
