import { file, place, type Row, row } from '../shapes/rows.ts';

const byLetter = (rule: string) =>
  /^[CRW]/.test(rule) ? 'warning' : rule.startsWith('I') ? 'info' : 'error';
const reformat = 'The file would be reformatted.';

/** Tools of Python. */
export const python: readonly Row[] = [
  row('pylint', `^${place}: (?<rule>[CRWEFI]\\d{4}): (?<message>.*)$`, { base: 1, graded: byLetter }),
  row(
    'pylint',
    `^${file}:(?<line>\\d{1,9}): \\[(?<rule>[CRWEFI]\\d{4})(?:\\([^)]{1,80}\\))?(?:, [^\\]]{0,200})?\\] (?<message>.*)$`,
    { graded: byLetter },
  ),
  row('ruff', '^Would reformat: (?<file>\\S.{0,500})$', { message: reformat, weak: true }),
  row('black', '^would reformat (?<file>\\S.{0,500})$', { message: reformat, weak: true }),
  row(
    'black',
    `^error: cannot format ${file}: (?<message>Cannot parse.*?): (?<line>\\d{1,9}):(?<column>\\d{1,9}): .*$`,
    { base: 1 },
  ),
  row('isort', '^ERROR: (?<file>\\S.{0,500}\\.pyi?) (?<message>Imports are incorrectly sorted.*)$'),
  row('vulture', `^${file}:(?<line>\\d{1,9}): (?<message>unused .*) \\(\\d{1,3}% confidence.*\\)$`),
  row('dmypy', `^${file}:(?<line>\\d{1,9}): (?<severity>error): (?<message>INTERNAL ERROR.*)$`),
];
