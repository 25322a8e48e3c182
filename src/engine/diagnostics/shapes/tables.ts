import { type Finding, type LineShape, Match, position, severityOf } from '../finding.ts';
import { isPath } from '../place.ts';

const phpstanHead = /^ {2}Line {3,}(\S.{0,500}?)\s*$/;
const phpstanRow = /^ {2}:?(\d{1,9}) {2,}(\S.*)$/;
const phpcsHead = /^FILE: (\S.{0,500})$/;
const phpcsRow = /^\s{1,6}(\d{1,9}) \| (ERROR|WARNING) +\| (?:\[.\] )?(\S.*)$/;
const sqlHead = /^== \[(\S.{0,500}?)\] FAIL$/;
const sqlRow = /^L:\s{0,6}(\d{1,9}) \| P:\s{0,6}(\d{1,9}) \|\s{0,6}(\w{2,8}) \| (.*)$/;
const htmlHead = /^ {2,4}(\S{1,500}\.\w{1,8})$/;
const htmlRow = /^\s{4,}L(\d{1,9}) \|.*$/;
const htmlSaid = /^\s{4,}\^ (.*) \(([\w-]{1,60})\)$/;
const shellHead = /^In (\S.{0,500}) line (\d{1,9}):$/;
const shellSaid = /^(\s*)(\^-*\^?)(?:--)? (SC\d{4})(?: \((\w{1,10})\))?: (.*)$/;

/** Tables under the name of a file: PHPStan, PHP_CodeSniffer, SQLFluff, HTMLHint, and ShellCheck's terminal form. */
export const tables: LineShape = (lines) => {
  const match = new Match();
  let file: string | undefined;
  let kind: 'phpstan' | 'phpcs' | 'sqlfluff' | 'htmlhint' | 'shellcheck' | undefined;
  let row: number | undefined;
  let last: Finding | undefined;
  const begin = (tool: typeof kind, name: string | undefined, at: number) => {
    kind = tool;
    file = name;
    last = undefined;
    match.take(at);
  };
  const add = (at: number, finding: Finding) => {
    last = finding;
    match.add(finding);
    match.take(at);
  };
  for (const [at, line] of lines.entries()) {
    const [, url, linked] = shellLink.exec(line) ?? [];
    if (linked !== undefined) {
      for (const one of match.findings) if (one.rule === linked) one.ruleUrl = url;
      match.take(at);
      continue;
    }
    const [, stan] = phpstanHead.exec(line) ?? [];
    if (stan !== undefined && isPath(stan)) begin('phpstan', stan.replace(/ \(in context of .*$/, ''), at);
    const [, sniffed] = phpcsHead.exec(line) ?? [];
    if (sniffed !== undefined) begin('phpcs', sniffed, at);
    const [, sql] = sqlHead.exec(line) ?? [];
    if (sql !== undefined) begin('sqlfluff', sql, at);
    const [, html] = htmlHead.exec(line) ?? [];
    if (html !== undefined && htmlRow.test(lines[at + 1] ?? '')) begin('htmlhint', html, at);
    const [, shell, shellRow] = shellHead.exec(line) ?? [];
    if (shell !== undefined) {
      begin('shellcheck', shell, at);
      row = position(shellRow);
    }
    if (file === undefined) continue;
    if (kind === 'phpstan') {
      const [, digits, message] = phpstanRow.exec(line) ?? [];
      const more = /^ {9,}(\S.*)$/.exec(line)?.[1];
      if (message !== undefined)
        add(at, { at, severity: 'error', message, tool: 'phpstan', file, line: position(digits) });
      else if (more !== undefined && last !== undefined && !/^[-\s]+$/.test(line)) {
        const rule = /^🪪 {1,2}(\S{1,100})$/u.exec(more)?.[1];
        if (rule !== undefined) last.rule = rule;
        else if (!/^(?:💡|✏️)/u.test(more)) last.message += ` ${more}`;
        match.take(at);
      } else if (line === '') file = undefined;
    } else if (kind === 'phpcs') {
      const [, digits, word, message] = phpcsRow.exec(line) ?? [];
      const more = /^\s{2,8}\|\s{2,10}\|\s{1,8}(\S.*)$/.exec(line)?.[1];
      if (message !== undefined)
        add(at, { at, severity: severityOf(word), message, tool: 'phpcs', file, line: position(digits) });
      else if (more !== undefined && last !== undefined) {
        last.message += ` ${more}`;
        match.take(at);
      } else if (line === '') file = undefined;
    } else if (kind === 'sqlfluff') {
      const [, digits, column, rule, message] = sqlRow.exec(line) ?? [];
      if (message !== undefined)
        add(at, {
          at,
          severity: 'error',
          message,
          tool: 'sqlfluff',
          file,
          line: position(digits),
          column: position(column),
          rule,
        });
    } else if (kind === 'htmlhint') {
      row = position(htmlRow.exec(line)?.[1]) ?? row;
      const [, message, rule] = htmlSaid.exec(line) ?? [];
      if (message !== undefined)
        add(at, { at, severity: 'error', message, tool: 'htmlhint', file, line: row, rule });
      else if (line === '') file = undefined;
    } else {
      const [, indent, carets, rule, word, message] = shellSaid.exec(line) ?? [];
      if (line === '') file = undefined;
      if (indent === undefined || message === undefined || file === undefined) continue;
      const column = indent.length + 1;
      const end =
        carets?.endsWith('^') && carets.length > 1 ? { endLine: row, endColumn: column + carets.length } : {};
      add(at, {
        at,
        severity: severityOf(word),
        message,
        tool: 'shellcheck',
        file,
        line: row,
        column,
        ...end,
        rule,
      });
    }
  }
  return match;
};

const shellLink = /^ {2}(https:\/\/www\.shellcheck\.net\/wiki\/(SC\d{4})) -- /;
