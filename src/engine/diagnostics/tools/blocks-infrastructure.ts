import type { Block } from './block.ts';

/** Blocks that tools of infrastructure and configuration print. */
export const infrastructureBlocks: readonly Block[] = [
  {
    tool: 'ansible',
    head: /^(?:\[?ERROR!?\]?:?) (?<message>.*)$/,
    place:
      /^The error appears to be in '(?<file>[^']{1,500})': line (?<line>\d{1,9}), column (?<column>\d{1,9})/,
    within: 4,
  },
  {
    tool: 'ansible-lint',
    head: /^(?<rule>[a-z][\w-]{1,60}(?:\[[\w-]{1,60}\])?): (?<message>.*)$/,
    place: /^(?<file>[^\s:]{1,500}\.ya?ml):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?(?: .*)?$/,
    within: 1,
  },
  {
    tool: 'nix',
    head: /^\s{0,4}error: (?<message>.*)$/,
    place: /^\s{1,8}at (?<file>\S{1,500}\.nix):(?<line>\d{1,9}):(?<column>\d{1,9}):$/,
    within: 3,
  },
  {
    tool: 'checkov',
    head: /^Check: (?<rule>\w{1,40}): "(?<message>.*)"$/,
    place: /^\tFile: \/?(?<file>[^\s:]{1,500}):(?<line>\d{1,9})-\d{1,9}$/,
    within: 3,
    stop: /^\tPASSED|^Check: /,
  },
  {
    tool: 'gitleaks',
    head: /^RuleID: {1,10}(?<rule>[\w-]{1,100})$/,
    place: /^File: {1,12}(?<file>\S.{0,500})$/,
    said: /^Line: {1,12}(?<line>\d{1,9})$/,
    message: 'A secret is in the file.',
    within: 5,
  },
  {
    tool: 'semgrep',
    head: /^ {4}(?<file>[^\s:]{1,500}\.\w{1,10})$/,
    said: /^ {11,}(?<line>\d{1,9})┆ /,
    message: 'A rule of semgrep matches here.',
    needsWords: true,
    within: 40,
    stop: /^ {4}[^\s:]{1,500}\.\w{1,10}$/,
  },
];
