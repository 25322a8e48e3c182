import { type LineShape, Match } from '../finding.ts';
import { isPath, placeAtEnd } from '../place.ts';

const ruler = '━━━';
const severities = {
  '×': 'error',
  '✖': 'error',
  x: 'error',
  '!': 'warning',
  '⚠': 'warning',
  i: 'info',
  ℹ: 'info',
} as const;
const verdict = /^ {2}([×✖x!⚠iℹ]) (.*)$/;

/** Biome's frames: `file:1:2 lint/group/rule ━━━`, then `  × message`. Its closing summary names no file. */
export const biome: LineShape = (lines) => {
  const match = new Match();
  for (const [at, line] of lines.entries()) {
    if (!line.endsWith(ruler) && !/ ━{3,}\S*$/.test(line)) continue;
    const words = line
      .slice(0, line.indexOf(ruler))
      .replace(/ FIXABLE /, ' ')
      .trim();
    const space = words.lastIndexOf(' ');
    if (space === -1) continue;
    const printed = words.slice(0, space).trim();
    const place = placeAtEnd(printed) ?? { file: printed, line: undefined, column: undefined };
    const [, mark, message] = verdict.exec(lines[at + 2] ?? '') ?? [];
    if (!isPath(place.file) || message === undefined) continue;
    match.add({
      at,
      severity: severities[mark as keyof typeof severities],
      message,
      tool: 'biome',
      file: place.file,
      line: place.line,
      column: place.column,
      rule: words.slice(space + 1),
    });
    match.take(at, at + 3);
  }
  return match;
};
