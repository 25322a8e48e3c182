import type { Block } from './block.ts';

/** Blocks that tools of JavaScript and style sheets print. */
export const webBlocks: readonly Block[] = [
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
];
