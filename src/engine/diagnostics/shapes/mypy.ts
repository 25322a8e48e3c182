import { type Finding, type LineShape, Match, position, severityOf } from '../finding.ts';
import { placeAtEnd } from '../place.ts';

const mypyHead =
  /^((?:[A-Za-z]:(?=[\\/]))?[^:\s][^:]{0,500}\.pyi?):(\d{1,9})(?::(\d{1,9}))?(?::(\d{1,9}):(\d{1,9}))?: (error|warning|note): (.*)$/;
const mypyRule = /(?:^| {1,2})\[([a-z][\w-]{1,60})\]$/;

/** mypy, `--pretty` with its wrapped messages and quoted source included; its notes are related places of what they follow. */
export const mypy: LineShape = (lines) => {
  const match = new Match();
  let last: Finding | undefined;
  for (let at = 0; at < lines.length; at++) {
    const [, file, row, column, endRow, endColumn, word, text] = mypyHead.exec(lines[at] ?? '') ?? [];
    if (file === undefined || text === undefined) continue;
    let message = text;
    let to = at + 1;
    for (; !mypyRule.test(message) && to < at + 8; to++) {
      const line = lines[to] ?? '';
      if (
        !/^\S/.test(line) ||
        mypyHead.test(line) ||
        /^(?:Found \d|Success:)/.test(line) ||
        placeAtEnd(line) !== undefined
      )
        break;
      if (!wraps(lines, to)) break;
      message += ` ${line}`;
    }
    const place = { file, line: position(row), column: position(column) };
    const rule = mypyRule.exec(message)?.[1];
    const said = rule === undefined ? message : message.slice(0, -rule.length - 3);
    while (to < lines.length && /^ {4}\s*\S/.test(lines[to] ?? '')) to++;
    if (word === 'note') {
      if (last !== undefined) last.related = [...(last.related ?? []), { message: said.trim(), ...place }];
    } else {
      last = {
        at,
        severity: severityOf(word),
        message: said.trim(),
        tool: 'mypy',
        ...place,
        endLine: position(endRow),
        endColumn: endColumn === undefined ? undefined : Number(endColumn) + 1,
        rule,
      };
      match.add(last);
    }
    match.take(at, to);
    at = to - 1;
  }
  return match;
};

/** Whether a line goes on with a wrapped message: it, or one soon below, ends in the rule or is followed by quoted source. */
function wraps(lines: readonly string[], from: number): boolean {
  for (let at = from; at < from + 6; at++) {
    const line = lines[at] ?? '';
    if (mypyRule.test(line)) return true;
    if (/^ {4}\s*\S/.test(line)) return at > from;
    if (!/^\S/.test(line) || mypyHead.test(line)) return false;
  }
  return false;
}
