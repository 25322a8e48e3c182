import {
  type Finding,
  firstOf,
  type LineShape,
  Match,
  matchEach,
  type Place,
  position,
  severityOf,
} from '../finding.ts';
import { isPath, placeAtEnd } from '../place.ts';

/** A finding whose place and words stand on lines of their own. */
interface Block {
  tool: string;
  /** Groups as of a row; `message` may be missing. */
  head: RegExp;
  /** Below the head: the place, where the head has none. The lines between may be many. */
  place?: RegExp;
  /** How far below it stands. */
  within?: number;
  /** Below the place: the words, group `message` and perhaps `rule` and `severity`. */
  said?: RegExp;
  /** Lines that belong to it, and go on with its message where `join` says so. */
  body?: RegExp;
  join?: RegExp;
  /** Stops the search for the place and the words. */
  stop?: RegExp;
  base?: number;
  severity?: Finding['severity'];
  message?: string;
  /** Only where the words were found. */
  needsWords?: boolean;
}

const drive = '(?:[A-Za-z]:(?=[\\\\/]))?';
const blocks: readonly Block[] = [
  {
    tool: 'ghc',
    head: new RegExp(
      `^(?<file>${drive}[^:\\s]{1,500}\\.(?:l?hs|hsc|x|y)):(?:(?<line>\\d{1,9}):(?<column>\\d{1,9})(?:-(?<endColumn>\\d{1,9}))?|\\((?<line2>\\d{1,9}),(?<column2>\\d{1,9})\\)-\\((?<endLine2>\\d{1,9}),(?<endColumn2>\\d{1,9})\\)): (?<severity>error|warning):?(?: \\[(?<rule>GHC-\\d{1,6}|-W[\\w-]{1,60}|[\\w -]{1,60})\\])?(?: \\[[^\\]]{1,100}\\])*:?(?: (?<message>.*))?$`,
    ),
    join: /^ {4,}(?:• )?(?![|•])\S/,
    body: /^ {2,}\S|^\s*\d{0,6} ?\|/,
  },
  {
    tool: 'ocaml',
    head: /^File "(?<file>[^"]{1,500}\.(?:ml[iyl]?|re|rei))", lines? (?<line>\d{1,9})(?:-\d{1,9})?, characters (?<column>\d{1,9})-(?<endColumn>\d{1,9}):$/,
    said: /^(?<severity>Error|Warning)(?: (?<rule>\d{1,4}(?: \[[\w-]{1,60}\])?|\([^)]{1,80}\)))?: (?<message>.*)$/,
    join: /^ {7,}\S/,
    base: 1,
  },
  {
    tool: 'gfortran',
    head: /^(?<file>[^:\s]{1,500}\.(?:f|for|f77|f90|f95|f03|f08)):(?<line>\d{1,9}):(?<column>\d{1,9}):$/i,
    said: /^(?<severity>Error|Fatal Error|Warning): (?<message>.*)$/,
    within: 8,
    needsWords: true,
  },
  {
    tool: 'terraform',
    head: /^(?:│ |╷ )?\s{0,2}(?<severity>Error|Warning): (?<message>.*)$/,
    place:
      /^(?:│ )?\s{2}on (?<file>\S{1,500}\.(?:tf|tfvars|hcl|tf\.json)) line (?<line>\d{1,9})(?:, in .*)?:?$/,
    within: 3,
    stop: /^╵/,
  },
  {
    tool: 'tflint',
    head: /^(?<severity>Error|Warning|Notice): (?<message>.*) \((?<rule>\w{1,100})\)$/,
    place: /^ {2}on (?<file>\S{1,500}) line (?<line>\d{1,9}):$/,
    within: 3,
  },
  {
    tool: 'cmake',
    head: /^CMake (?<severity>Error|Warning|Deprecation Warning)(?: \(dev\))? (?:at|in) (?<file>[^:\s]{1,500}):(?<line>\d{1,9}) \((?<rule>\w{1,80})\):$/,
    join: /^ {2}\S/,
    body: /^ {2}\S|^Call Stack/,
    message: '',
  },
  {
    tool: 'cmake',
    head: /^CMake (?<severity>Error)(?: at| in) (?<file>[^:\s]{1,500}):(?<line>\d{1,9}):$/,
    join: /^ {2}\S/,
    body: /^ {2}\S/,
    message: '',
  },
  {
    tool: 'elixir',
    head: /^\s{0,4}(?<severity>error|warning): (?<message>.*)$/,
    place: /^\s*(?:└─ )(?<file>[^\s:]{1,500}\.exs?):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?(?::.*)?$/,
    within: 12,
    stop: /^$|^\s{0,4}(?:error|warning): /,
  },
  {
    tool: 'elixir',
    head: /^(?<severity>warning): (?<message>.*)$/,
    place: /^ {2}(?<file>[^\s:]{1,500}\.exs?):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?(?::.*)?$/,
    within: 6,
    stop: /^$/,
  },
  {
    tool: 'elixir',
    head: /^(?:\*\* \((?<rule>\w{1,60}Error)\) |== Compilation error in file \S{1,500} ==\s*)(?:.{0,100} )?(?<file>[^\s:]{1,500}\.exs?):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?: (?<message>.*)$/,
  },
  {
    tool: 'credo',
    head: /^┃ \[(?<severity>[A-Z])\] \S (?<message>.*)$/,
    place: /^┃ {7}(?<file>[^\s:]{1,500}\.exs?):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?(?: #\(.*)?$/,
    within: 2,
    severity: 'warning',
  },
  {
    tool: 'purescript',
    head: /^at (?<file>[^\s:]{1,500}\.purs):(?<line>\d{1,9}):(?<column>\d{1,9}) - (?<endLine>\d{1,9}):(?<endColumn>\d{1,9}) \(line .*$/,
    join: /^ {2}\S/,
    message: '',
    within: 3,
  },
  {
    tool: 'elm',
    head: /^-- (?<message>[A-Z][A-Z ]{2,60}) -{3,} (?<file>\S{1,500}\.elm)$/,
    said: /^(?<line>\d{1,9})(?:\|>?| *│) .*$/,
    within: 12,
  },
  {
    tool: 'rescript',
    head: /^ {2}(?<file>(?:\/|[A-Za-z]:|\.{0,2}\w)[^:\s]{0,500}\.resi?):(?<line>\d{1,9}):(?<column>\d{1,9})(?:-(?<endLine>\d{1,9}:)?(?<endColumn>\d{1,9}))?$/,
    said: /^ {2}(?! *\d{1,6} [┆│]|[┆│])(?<message>\S.*)$/,
    within: 14,
    needsWords: true,
  },
  {
    tool: 'sass',
    head: /^Error: (?<message>.*)$/,
    place: /^ {2}(?<file>\S{1,500}\.s[ac]ss) (?<line>\d{1,9}):(?<column>\d{1,9}) {2}/,
    within: 16,
    stop: /^$/,
  },
  {
    tool: 'webpack',
    head: /^(?:\[tsl\] )?(?<severity>ERROR|WARNING) in (?:\.\/)?(?<file>[^\s:(]{1,500}\.\w{1,8}) (?<line>\d{1,9}):(?<column>\d{1,9})(?:-(?:\d{1,9}:)?(?<endColumn>\d{1,9}))?$/,
    join: /^(?! @ |> ?\d| {0,4}[|\d])\S/,
    base: 1,
    message: '',
  },
  {
    tool: 'tsc',
    head: /^(?:\[tsl\] )?(?<severity>ERROR|WARNING) in (?<file>[^:(]{1,500})\((?<line>\d{1,9}),(?<column>\d{1,9})\)$/,
    said: /^\s{4,}(?<rule>TS\d{1,6}): (?<message>.*)$/,
    within: 2,
  },
  {
    tool: 'tsc',
    head: /^(?<severity>ERROR|WARNING) in (?:\.\/)?(?<file>[^\s:(]{1,500}):(?<line>\d{1,9}):(?<column>\d{1,9})$/,
    said: /^(?<rule>TS\d{1,6}): (?<message>.*)$/,
    within: 2,
  },
  {
    tool: 'webpack',
    head: /^(?:\[tsl\] )?(?<severity>ERROR|WARNING) in (?:\.\/)?(?<file>[^\s:(]{1,500}\.\w{1,8})$/,
    said: /^(?<message>(?:Module (?:parse failed|not found|build failed|Error|Warning)\b|\w{0,40}Error: ).*?)(?: \((?<line>\d{1,9}):(?<column>\d{1,9})\))?$/,
    within: 3,
    base: 1,
    needsWords: true,
  },
  {
    tool: 'next',
    head: /^\.\/(?<file>[^\s:]{1,500}\.\w{1,8})(?::(?<line>\d{1,9}):(?<column>\d{1,9}))?$/,
    said: /^(?:(?<line>\d{1,9}):(?<column>\d{1,9}) {1,4})?(?<severity>Type error|Error|Warning|Parsing ecmascript source code failed|Module not found|Syntax Error|\w{1,40}Error)(?:: (?<message>.*)|(?<message2>))$/,
    within: 2,
    needsWords: true,
  },
  {
    tool: 'svelte-check',
    head: /^(?<file>(?:\/|[A-Za-z]:|\.{0,2}\w)[^:]{1,500}\.(?:svelte|ts|js)):(?<line>\d{1,9}):(?<column>\d{1,9})$/,
    said: /^(?<severity>Error|Warn|Warning|Hint): (?<message>.*)$/,
    within: 1,
    needsWords: true,
  },
  {
    tool: 'rollup',
    head: /^(?:\[!\] |error during build:\s*|x Build failed.*|✗ Build failed.*)?(?:\([^)]{1,80}\) |\[[^\]]{1,80}\] )?(?:\w{0,40}Error): (?<message>.*)$/,
    place:
      /^(?:file: )?(?<file>[^\s:(]{1,500}\.\w{1,8})(?: \((?<line>\d{1,9}):(?<column>\d{1,9})\)|:(?<line2>\d{1,9}):(?<column2>\d{1,9}))$/,
    within: 4,
    base: 1,
    stop: /^\s+at /,
  },
  {
    tool: 'pydocstyle',
    head: /^(?<file>[^:\s]{1,500}\.py):(?<line>\d{1,9}) (?:at module level|in .{1,200}):$/,
    said: /^\s{4,}(?<rule>D\d{3}): (?<message>.*)$/,
    within: 1,
    needsWords: true,
  },
  {
    tool: 'bandit',
    head: /^>> Issue: \[(?<rule>B\d{3}):[\w-]{1,80}\] (?<message>.*)$/,
    place: /^\s{3}Location: (?<file>[^:]{1,500}):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?$/,
    within: 5,
    base: 1,
    severity: 'warning',
  },
  {
    tool: 'perl',
    head: /^#\s{1,8}Failed test(?: '(?<message>.*)')?$/,
    place: /^#\s{1,8}at (?<file>\S{1,500}) line (?<line>\d{1,9})\.$/,
    within: 2,
    message: 'A test failed.',
  },
  {
    tool: 'perl',
    head: /^#\s{1,8}Failed test (?:'(?<message>.*)' )?at (?<file>\S{1,500}) line (?<line>\d{1,9})\.$/,
    message: 'A test failed.',
  },
  {
    tool: 'bats',
    head: /^\s*#?\s*\((?:.{1,300} )?in (?:test )?file (?<file>\S[^,]{0,500}), line (?<line>\d{1,9})[,)].*$/,
    said: /^\s*#?\s*(?<message>`.*(?:failed|failed with status \d{1,3}))$/,
    within: 3,
  },
  {
    tool: 'bun',
    head: /^(?<severity>error|warn): (?<message>.*)$/,
    place: /^ {4}at (?<file>[^\s:]{1,500}):(?<line>\d{1,9}):(?<column>\d{1,9})$/,
    within: 1,
  },
  {
    tool: 'deno',
    head: /^(?:error: )?(?<rule>TS\d{1,6}) \[(?<severity>ERROR|WARN)\]: (?<message>.*)$/,
    place: /^ {4}at (?<file>file:\/\/\S{1,500}?):(?<line>\d{1,9}):(?<column>\d{1,9})$/,
    within: 16,
    stop: /^$|^TS\d{1,6} \[/,
  },
  {
    tool: 'crystal',
    head: /^In (?<file>[^\s:]{1,500}\.cr):(?<line>\d{1,9}):(?<column>\d{1,9})$/,
    said: /^(?<severity>Error): (?<message>.*)$/,
    within: 6,
    needsWords: true,
  },
  {
    tool: 'gradle',
    head: /^\* Where:$/,
    place: /^(?:Build|Settings|Script) file '(?<file>[^']{1,500})' line: (?<line>\d{1,9})$/,
    said: /^(?!\* What went wrong:|$)(?:> )?(?<message>\S.*)$/,
    within: 5,
  },
];

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
