import type { Block } from './block.ts';

const drive = '(?:[A-Za-z]:(?=[\\\\/]))?';

/** Blocks that compilers, checkers and test runners of other languages print. */
export const languageBlocks: readonly Block[] = [
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
  {
    tool: 'dart',
    head: /^\d\d:\d\d \+\d{1,6}(?: ~\d{1,6})?(?: -\d{1,6})?: (?<message>.*) \[E\]$/,
    place: /^ {2}(?<file>(?!package:)\S{1,500}\.dart) (?<line>\d{1,9}):(?<column>\d{1,9}) {2,}\S/,
    within: 40,
    stop: /^\d\d:\d\d \+\d/,
  },
  {
    tool: 'flutter',
    head: /^══╡ (?<message>EXCEPTION CAUGHT BY FLUTTER TEST FRAMEWORK) ╞═+$/,
    place: /^#\d{1,3} +.{1,300} \(file:\/\/(?<file>\/\S{1,500}\.dart):(?<line>\d{1,9}):(?<column>\d{1,9})\)$/,
    said: /^ {2}(?<message>\S.*)$/,
    within: 60,
    stop: /^═{20,}$/,
  },
  {
    tool: 'zig',
    head: /^\d{1,6}\/\d{1,6} (?<message>.*?)\.\.\. ?FAIL \((?<rule>\w{1,80})\)$/,
    place:
      /^(?<file>[^\s:]{1,500}\.zig):(?<line>\d{1,9}):(?<column>\d{1,9}): 0x[\da-f]{1,16} in (?:test|decltest)\b/,
    within: 60,
    stop: /^\d{1,6}\/\d{1,6} /,
  },
];
