import {
  type Finding,
  firstOf,
  type LineShape,
  matchEach,
  type Place,
  position,
  severityOf,
} from '../finding.ts';
import { isPath } from '../place.ts';
import type { Block } from '../tools/block.ts';
import { blocks } from '../tools/blocks.ts';

const maxWords = 12;

/** The place that some put before the words as well. */
const prefixed = /^[^\s:()]{1,300}\.\w{1,8} \(\d{1,9}:\d{1,9}\): /;

/** The tools whose findings are blocks of a head, a place and words. */
export const blockShape: LineShape = (lines) =>
  matchEach(lines, (line, at) => {
    if (line.length < 6) return undefined;
    return firstOf(blocks, (block) => {
      const groups = block.head.exec(line)?.groups;
      return groups && readBlock(lines, at, block, groups);
    });
  });

function readBlock(lines: readonly string[], at: number, block: Block, groups: Record<string, string>) {
  let to = at + 1;
  let place = placeOf(groups, block);
  let words = groups.message;
  let { rule, severity } = groups;
  let said: Record<string, string> | undefined;
  const within = block.within ?? 4;
  for (
    let below = at + 1;
    (block.place !== undefined || block.said !== undefined) && below <= at + within && below < lines.length;
    below++
  ) {
    const line = lines[below] ?? '';
    if (block.stop?.test(line)) break;
    const located = place === undefined ? block.place?.exec(line)?.groups : undefined;
    if (located !== undefined) {
      place = placeOf(located, block);
      to = below + 1;
      if (block.said === undefined) break;
      continue;
    }
    const told = place === undefined ? undefined : block.said?.exec(line)?.groups;
    if (told === undefined) continue;
    said = told;
    to = below + 1;
    break;
  }
  if (place === undefined || !isPath(place.file) || (said === undefined && block.needsWords))
    return undefined;
  words = said?.message ?? (said?.message2 === undefined ? words : said.severity) ?? words;
  rule = said?.rule ?? rule;
  severity = said?.severity ?? severity;
  const exact =
    said?.line === undefined ? place : { ...place, ...placeOf({ ...said, file: place.file }, block) };
  const more: string[] = [];
  if (block.join !== undefined) {
    for (let seen = 0; to < lines.length && seen < maxWords; to++, seen++) {
      const line = lines[to] ?? '';
      if (!block.join.test(line) && !(block.message === '' && more.length === 0 && line === '')) break;
      if (line !== '') more.push(line.trim().replace(/^• /, ''));
    }
  }
  if (block.body !== undefined)
    while (to < lines.length && to < at + 40 && block.body.test(lines[to] ?? '')) to++;
  const text = [words ?? block.message ?? '', ...more].filter((part) => part !== '').join(' ');
  const finding: Finding = {
    at,
    severity: block.severity ?? severityOf(severity),
    message: text.replace(prefixed, ''),
    tool: block.tool,
    ...exact,
    rule,
  };
  return { finding, to };
}

function placeOf(groups: Record<string, string>, { base = 0 }: Block): Place | undefined {
  const { file } = groups;
  if (file === undefined) return undefined;
  const counted = (digits: string | undefined) =>
    digits === undefined ? undefined : position(String(Number(digits) + base));
  const line = position(groups.line ?? groups.line2);
  const endColumn = counted(groups.endColumn ?? groups.endColumn2);
  // ghc's last column is the last character's own.
  const behind = endColumn === undefined || !/\.l?hs$/.test(file) ? endColumn : endColumn + 1;
  return {
    file,
    line,
    column: counted(groups.column ?? groups.column2),
    endLine:
      position((groups.endLine ?? groups.endLine2)?.replace(/:$/, '')) ??
      (behind === undefined ? undefined : line),
    endColumn: behind,
  };
}
