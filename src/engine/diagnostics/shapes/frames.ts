import { type Finding, type LineShape, Match, type Note, type Place, severityOf } from '../finding.ts';
import { placeAtEnd } from '../place.ts';

const worded =
  /^\s{0,4}(error|warning|info|note|help|fatal|advice)(?:\[([\w:@./ -]{1,100})\])?(?: (TS\d{1,6}))?: (.*)$/i;
const denoError = /^(?:(?:error|Check file):? )?(TS\d{1,6}) \[(ERROR|WARN)\]: (.*)$/;
const coded = /^([A-Z]{1,6}\d{2,5}|invalid-syntax)(?: \[\*\]|:)? (?:\[\*\] )?(\S.*)$/;
const named = /^([a-z][a-z\d]{1,20}(?:-[a-z\d]{1,30}){1,8})(?: \[\*\])? (\S.*)$/;
const marked = /^\s{1,4}(×|x|⚠|!|ℹ|☞)\s{1,3}(?:([\w-]{1,60}(?:\([\w@/-]{1,100}\))?): )?(\S.*)$/;
const arrow = /^\s{0,12}(?:-->|╭─+\[|,-+\[|┌─|╭▸) ?(\S.{0,1200}?) ?\]?$/;
const shouted = /^\[([A-Z][A-Z_]{2,40})\] (?:Error: )?(.*)$/;
const aside = /^\s{0,12}::: (\S.{0,1200})$/;
const lint = /`#\[(?:warn|deny|forbid)\(([\w:]{1,100})\)\]`|`-[DWF] ([\w:-]{1,100})` implied/;
const address = /(?:see|visit|docs|info|help)?:?\s*<?(https:\/\/[^\s>)]{1,300})>?\s*$/i;
const rustCode = /^E\d{4}$/;

/** How far below its head the place stands: the message may take several lines. */
const maxToPlace = 8;
const maxBlock = 200;

interface Head {
  severity: string;
  rule: string | undefined;
  message: string;
  /** The rule is certain to be one: the head alone is a finding of a tool. */
  kind: 'worded' | 'coded' | 'marked';
}

/**
 * What rustc prints and many after it: a head, `--> file:1:2` or `╭─[file:1:2]`, the source with carets. rustc, clippy,
 * ruff, ty, deno, oxlint, solc and taplo among them. A `note:` with a place is a related place of what stands above it.
 */
export const frames: LineShape = (lines) => {
  const match = new Match();
  let last: Finding | undefined;
  for (let at = 0; at < lines.length; at++) {
    const head = headOf(lines[at] ?? '');
    if (head === undefined) continue;
    const read = readBlock(lines, at, head);
    if (read === undefined) continue;
    const { to, place, notes, message } = read;
    const isNote = /^(?:note|help)$/i.test(head.severity);
    if (isNote) {
      if (last === undefined || place === undefined) continue;
      last.related = [...(last.related ?? []), { message: head.message, ...place }, ...notes];
    } else {
      const rule = ruleOf(head, lines.slice(at + 1, to));
      last = {
        at,
        severity: severityOf(head.severity),
        message,
        tool: toolOf({ ...head, rule }, place),
        ...place,
        rule,
        ruleUrl: urlIn(lines.slice(at + 1, to)),
        related: notes.length > 0 ? notes : undefined,
      };
      match.add(last);
    }
    match.take(at, to);
    at = to - 1;
  }
  return match;
};

function headOf(line: string): Head | undefined {
  if (line.length < 4) return undefined;
  const deno = denoError.exec(line);
  if (deno !== null)
    return { severity: deno[2] ?? 'error', rule: deno[1], message: deno[3] ?? '', kind: 'worded' };
  const [, severity, rule, code, message] = worded.exec(line) ?? [];
  if (severity !== undefined && message !== undefined)
    return { severity, rule: rule ?? code, message, kind: 'worded' };
  const [, mark, name, text] = marked.exec(line) ?? [];
  if (mark !== undefined && text !== undefined)
    return {
      severity: mark === '×' || mark === 'x' ? 'error' : mark,
      rule: name,
      message: text,
      kind: 'marked',
    };
  const [, cry, words] = shouted.exec(line) ?? [];
  if (cry !== undefined && words !== undefined)
    return { severity: 'error', rule: cry, message: words, kind: 'marked' };
  const [, known, said] = coded.exec(line) ?? named.exec(line) ?? [];
  return known === undefined || said === undefined
    ? undefined
    : { severity: 'error', rule: known, message: said, kind: 'coded' };
}

function readBlock(lines: readonly string[], at: number, head: Head) {
  const arrowAt = arrowBelow(lines, at, head);
  if (arrowAt === undefined) {
    // rustc names the code of an error that has no place.
    if (head.kind !== 'worded' || !rustCode.test(head.rule ?? '')) return undefined;
    return { to: blockEnd(lines, at + 1, false), place: undefined, notes: [], message: head.message };
  }
  const printed = placeAtEnd((arrow.exec(lines[arrowAt] ?? '')?.[1] ?? '').replace(/:$/, ''));
  if (printed === undefined) return undefined;
  const boxed = !/^\s*-->/.test(lines[arrowAt] ?? '');
  const to = blockEnd(lines, arrowAt + 1, boxed);
  const block = lines.slice(arrowAt + 1, to);
  const between = lines.slice(at + 1, arrowAt).map((line) => line.replace(/^\s*[│|]/, '').trim());
  const { place, notes } = within(block, printed);
  return { to, place, notes, message: [head.message, ...between].filter((part) => part !== '').join(' ') };
}

function arrowBelow(lines: readonly string[], at: number, head: Head): number | undefined {
  // Of words that are no sure sign, the place must stand right below.
  const far = head.kind === 'coded' ? 3 : maxToPlace;
  for (let below = at + 1; below <= at + far && below < lines.length; below++) {
    const line = lines[below] ?? '';
    if (arrow.test(line)) return below;
    if (line === '' || headOf(line)?.kind === 'worded') return undefined;
  }
  return undefined;
}

/** Index after the block: an empty line ends it, or the corner that closes a box. */
function blockEnd(lines: readonly string[], from: number, boxed: boolean): number {
  let to = from;
  while (to < lines.length && to < from + maxBlock) {
    const line = lines[to] ?? '';
    if (line === '') break;
    if (to > from && /^(?:error|warning)(?:\[|: )/.test(line)) break;
    to++;
    if (boxed && /^\s*(?:╰|`-|─+╯)/.test(line)) {
      while (/^\s{1,6}(?:help|note): |^\s{4,}\S/.test(lines[to] ?? '')) to++;
      break;
    }
  }
  return to;
}

/** Where the place ends as the first carets tell, and the other places the block names. */
function within(block: readonly string[], start: Place): { place: Place; notes: Note[] } {
  const notes: Note[] = [];
  let endColumn: number | undefined;
  for (const [index, line] of block.entries()) {
    const length = /^\s*(?:\d{1,6} )?[|│·]\s*(?:[|_]\s*)?(\^+)(?![_])/.exec(line)?.[1]?.length;
    if (length !== undefined && endColumn === undefined && start.column !== undefined && index <= 4)
      endColumn = start.column + length;
    const note = /^\s{0,12}(?:= )?(?:note|help): (.*)$/.exec(line)?.[1];
    const below = note === undefined ? undefined : arrow.exec(block[index + 1] ?? '')?.[1];
    const noted = below === undefined ? undefined : placeAtEnd(below);
    if (note !== undefined && noted !== undefined) notes.push({ message: note, ...noted });
    const other = aside.exec(line)?.[1];
    const beside = other === undefined ? undefined : placeAtEnd(other);
    if (beside !== undefined) notes.push({ message: labelBelow(block, index), ...beside });
  }
  return { place: endColumn === undefined ? start : { ...start, endLine: start.line, endColumn }, notes };
}

function labelBelow(block: readonly string[], from: number): string {
  for (const line of block.slice(from + 1, from + 6)) {
    const label = /[-^]{1,200} (\S.*)$/.exec(line)?.[1];
    if (label !== undefined && /^\s*[|│]/.test(line)) return label;
  }
  return 'See here.';
}

function ruleOf({ rule }: Head, block: readonly string[]): string | undefined {
  if (rule !== undefined) return rule;
  for (const line of block) {
    const found = lint.exec(line);
    if (found !== null) return found[1] ?? found[2];
  }
  return undefined;
}

function urlIn(block: readonly string[]): string | undefined {
  for (const line of block) {
    if (!line.includes('https://')) continue;
    if (/^\s*(?:= )?(?:help|info|docs|note)\b/.test(line)) return address.exec(line)?.[1];
  }
  return undefined;
}

function toolOf({ rule, kind }: Head, place: Place | undefined): string | undefined {
  const file = place?.file ?? '';
  if (rule?.startsWith('clippy::')) return 'clippy';
  if (
    file.endsWith('.rs') ||
    file.endsWith('Cargo.toml') ||
    (place === undefined && rustCode.test(rule ?? ''))
  )
    return 'rustc';
  if (/\.(?:py|pyi|ipynb)$/.test(file)) return kind === 'coded' ? 'ruff' : 'ty';
  if (file.endsWith('.sol')) return 'solc';
  if (kind === 'marked')
    return /^(?:eslint|typescript|oxc|unicorn|react|import|jest|vitest|jsx-a11y|nextjs|promise|node)/.test(
      rule ?? '',
    )
      ? 'oxlint'
      : undefined;
  if (/\.[cm]?[jt]sx?$/.test(file)) return 'deno';
  return file.endsWith('.toml') ? 'taplo' : undefined;
}
