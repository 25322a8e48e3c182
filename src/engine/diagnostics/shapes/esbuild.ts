import { type LineShape, Match } from '../finding.ts';
import { placeAtEnd } from '../place.ts';

const head = /^(?:✘|▲|X|>) \[(ERROR|WARNING)\] (.*)$/;

/** esbuild's frames (vite and tsup print them too): `✘ [ERROR] message`, then the place, indented. */
export const esbuild: LineShape = (lines) => {
  const match = new Match();
  for (const [at, line] of lines.entries()) {
    const [, level, message] = head.exec(line) ?? [];
    if (message === undefined) continue;
    const below = lines.slice(at + 1, at + 4).find((next) => next !== '');
    const place = below?.startsWith('    ') ? placeAtEnd(below.trim()) : undefined;
    match.add({
      at,
      severity: level === 'ERROR' ? 'error' : 'warning',
      message,
      tool: 'esbuild',
      file: place?.file,
      line: place?.line,
      // esbuild counts columns from 0.
      column: place === undefined ? undefined : columnFromZero(below ?? ''),
    });
    match.take(at, at + 3);
  }
  return match;
};

function columnFromZero(printed: string): number | undefined {
  const [, digits] = /:(\d{1,9}):?$/.exec(printed) ?? [];
  return digits === undefined ? undefined : Number(digits) + 1;
}
