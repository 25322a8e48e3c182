import { type LineShape, Match, position } from '../finding.ts';
import { isPath } from '../place.ts';

const line = /^((?:[A-Za-z]:(?=[\\/]))?[^:\s][^:]{0,500}):(\d{1,9})(?::(\d{1,9}))?:(.*)$/;
const aloud = /^(?:> |\$ |\+ )|^(?:make|npm|pnpm|yarn|bun)\b|^(?:Found|Total|\d+) /;
const searches = /(?:^|[\s;&|(!])(?:git\s+grep|[efz]?grep|rg|ag|ack|ripgrep)\b/;

/**
 * Lines that begin with a place and are a search's: `grep -n` in a job that is such a check. Taken where the command is a
 * search, or where all that was printed is such lines; a log whose lines begin with a place has a blank behind it.
 */
export function plainLines(command: string): LineShape {
  return (lines) => {
    const match = new Match();
    let others = 0;
    let tight = false;
    for (const [at, text] of lines.entries()) {
      if (text === '' || aloud.test(text)) continue;
      const [, file, row, column, said] = line.exec(text) ?? [];
      if (file === undefined || said === undefined || said.trim() === '' || !isPath(file)) {
        others++;
        continue;
      }
      tight ||= column !== undefined || /^\S/.test(said);
      match.add({
        at,
        severity: 'error',
        message: said.trim(),
        file,
        line: position(row),
        column: position(column),
        doubtful: true,
      });
      match.take(at);
    }
    const only = others === 0 && tight;
    return only || searches.test(command) ? match : new Match();
  };
}
