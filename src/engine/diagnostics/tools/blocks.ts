import type { Finding } from '../finding.ts';

/** A finding whose place and words stand on lines of their own. */
export interface Block {
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
export const blocks: readonly Block[] = [
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
