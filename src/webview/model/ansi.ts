import { plainText } from './output.ts';

/** Where a part of an output leads. */
export type Link =
  | { kind: 'url'; url: string }
  | { kind: 'place'; file: string; line: number; column: number | undefined };

/** A run of text that looks the same, and perhaps leads somewhere. */
export interface Piece {
  text: string;
  /** Of the sheet: `bold`, `red`, `on-blue` and so on. */
  classes: readonly string[];
  link?: Link;
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
const marks: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  9: 'struck',
};
const ends: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  29: ['struck'],
};

/** How text looks now: its marks, and the colour in front and behind. */
interface Look {
  marks: ReadonlySet<string>;
  front: string | undefined;
  behind: string | undefined;
}
const bare: Look = { marks: new Set(), front: undefined, behind: undefined };

/** Applies the parameters of one SGR sequence (ECMA-48, 8.3.117). What is not known is passed over. */
function after(look: Look, parameters: string): Look {
  let now = look;
  const codes = parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) now = bare;
    else if (marks[code]) now = { ...now, marks: new Set([...now.marks, marks[code]]) };
    else if (ends[code])
      now = { ...now, marks: new Set([...now.marks].filter((one) => !ends[code]?.includes(one))) };
    else if (code === 38 || code === 48) {
      const wide = codes[at + 1] === 2 ? 4 : 2;
      const colour = wide === 2 ? ofSixteen(codes[at + 2]) : undefined;
      now = code === 38 ? { ...now, front: colour } : { ...now, behind: colour };
      at += wide;
    } else if (code === 39) now = { ...now, front: undefined };
    else if (code === 49) now = { ...now, behind: undefined };
    else if (code >= 30 && code <= 37) now = { ...now, front: ofSixteen(code - 30) };
    else if (code >= 90 && code <= 97) now = { ...now, front: ofSixteen(code - 82) };
    else if (code >= 40 && code <= 47) now = { ...now, behind: ofSixteen(code - 40) };
    else if (code >= 100 && code <= 107) now = { ...now, behind: ofSixteen(code - 92) };
  }
  return now;
}

/** The terminal's colours; of the 256 only the first 16 are the theme's own, the others are left as they are. */
function ofSixteen(number: number | undefined): string | undefined {
  if (number === undefined || number < 0 || number > 15) return undefined;
  return `${number > 7 ? 'bright-' : ''}${colours[number % 8]}`;
}

const classesOf = ({ marks: on, front, behind }: Look): string[] => [
  ...on,
  ...(front ? [front] : []),
  ...(behind ? [`on-${behind}`] : []),
];

const sgr = /(?:\u001b\[|\u009b)([\d;:]{0,60})m/;

/** What a terminal would be left showing, in pieces of one look each, with links to places and pages. */
export function piecesOf(text: string): Piece[] {
  const drawn = text
    .replace(/\r+\n/g, '\n')
    .replace(/\r+$/gm, '')
    .replace(/[^\n]*\r/g, '');
  let look = bare;
  const spans: { text: string; classes: string[] }[] = [];
  for (const [at, part] of drawn.split(sgr).entries()) {
    if (at % 2 === 1) look = after(look, part);
    else if (part !== '') spans.push({ text: plainText(part), classes: classesOf(look) });
  }
  return linked(spans);
}

/** Cuts the spans where links begin and end: what is coloured in parts may be one link. */
function linked(spans: readonly { text: string; classes: string[] }[]): Piece[] {
  const links = linksIn(spans.map((span) => span.text).join(''));
  const pieces: Piece[] = [];
  let offset = 0;
  for (const { text, classes } of spans) {
    for (let from = 0; from < text.length; ) {
      while (links[0] && links[0].end <= offset + from) links.shift();
      const [next] = links;
      const inside = next !== undefined && next.start <= offset + from;
      const until = inside ? next.end - offset : next ? next.start - offset : text.length;
      const to = Math.min(text.length, until);
      pieces.push({ text: text.slice(from, to), classes, ...(inside && { link: next.link }) });
      from = to;
    }
    offset += text.length;
  }
  return pieces;
}

const linkable =
  /(?<url>https?:\/\/[^\s"'<>()[\]{}\u2018-\u201f]{1,500})|(?<file>(?:[A-Za-z]:[\\/]|[./~]{0,3})?[\w@+-][\w@+./\\-]{0,300}\.[A-Za-z]\w{0,9})(?::(?<line>\d{1,7})(?::(?<column>\d{1,6}))?|\((?<line2>\d{1,7})(?:,(?<column2>\d{1,6}))?\))/g;

function linksIn(text: string): { start: number; end: number; link: Link }[] {
  return [...text.matchAll(linkable)].map(({ 0: whole, index, groups = {} }) => {
    const { url, file = '', line, line2, column, column2 } = groups;
    const address = url?.replace(/[.,;:!?]+$/, '');
    const link: Link =
      address === undefined
        ? { kind: 'place', file, line: Number(line ?? line2), column: numberOf(column ?? column2) }
        : { kind: 'url', url: address };
    return { start: index, end: index + (address ?? whole).length, link };
  });
}

const numberOf = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
