import { type LineShape, Match, position } from '../finding.ts';
import { isPath, isSourceFile } from '../place.ts';

const line = /^((?:[A-Za-z]:(?=[\\/]))?[^:\s][^:]{0,500}):(\d{1,9})(?::(\d{1,9}))?:(.*)$/;
const aloud = /^(?:> |\$ |\+ )|^(?:make|npm|pnpm|yarn|bun)\b|^(?:Found|Total|\d+) /;
const searches = /(?:^|[\s;&|(!])(?:git\s+grep|[efz]?grep|rg|ag|ack|ripgrep)\b/;

/** A file's name on a line of its own, as `gofmt -l`, `prettier -l` and `grep -l` list them. */
function isName(text: string): boolean {
  return (
    !/\s/.test(text) && (isSourceFile(text) || (/\//.test(text) && isPath(text) && /\.\w{1,8}$/.test(text)))
  );
}

/**
 * Lines that begin with a place and are a search's: `grep -n` in a job that is such a check. Taken where the command is a
 * search, or where all that was printed is such lines or names of files; a log whose lines begin with a place has a blank behind it.
 */
export function plainLines(command: string): LineShape {
  return (lines) => {
    const match = new Match();
    let others = 0;
    let tight = false;
    let named = 0;
    for (const [at, text] of lines.entries()) {
      if (text === '' || aloud.test(text)) continue;
      if (isName(text)) {
        named++;
        match.add({ at, severity: 'error', message: 'The job names this file.', file: text, doubtful: true });
        match.take(at);
        continue;
      }
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
    const only = others === 0 && (tight || named > 0);
    return only || searches.test(command) ? match : new Match();
  };
}
