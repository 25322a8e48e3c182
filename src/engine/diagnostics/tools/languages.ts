import { type Row, row } from '../shapes/rows.ts';

const named = (extension: string) => `(?<file>[^:\\s][^:]{0,500}\\.(?:${extension}))`;

/** Compilers and test runners of languages that few projects mix with others. */
export const languages: readonly Row[] = [
  row(
    'haxe',
    `^${named('hx')}:(?<line>\\d{1,9}): (?:characters? (?<column>\\d{1,9})(?:-(?<endColumn>\\d{1,9}))?|lines \\d{1,9}-\\d{1,9}) : (?:(?<severity>Warning) : )?(?<message>.*)$`,
  ),
  row('ponyc', `^${named('pony')}:(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?<message>.*)$`),
  row(
    'lean',
    `^(?:(?<severity>error|warning|info): )?${named('lean')}:(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?:(?:error|warning): )?(?<message>.*)$`,
  ),
  row(
    'julia',
    `^(?<message>.{1,300}: (?:Test Failed|Error During Test)) at ${named('jl')}:(?<line>\\d{1,9})$`,
  ),
  row(
    'testthat',
    `^── (?<severity>Failure|Error|Warning) \\((?<file>[^:)\\s]{1,500}\\.[Rr]):(?<line>\\d{1,9})(?::(?<column>\\d{1,9}))?\\)(?:: (?<message>.*?))? ─*$`,
  ),
  row('latex', `^${named('tex|sty|cls|dtx')}:(?<line>\\d{1,9}): (?<message>(?!\\d).*)$`, {
    quote: /^l\.\d{1,9} /,
  }),
  row(
    'robot',
    `^\\[ (?<severity>ERROR|WARN) \\] Error in file '(?<file>[^']{1,500})' on line (?<line>\\d{1,9}): (?<message>.*)$`,
  ),
  row('kubeconform', '^(?<file>[^:\\s]{1,500}\\.(?:ya?ml|json)) - (?<message>.{1,200} is invalid: .*)$'),
  row(
    'knip',
    '^(?<message>\\S{1,200} {2,200}(?:function|type|class|const|enum|interface|variable|unknown|namespace|member)) {2,200}(?<file>[^:\\s]{1,500}\\.[cm]?[jt]sx?):(?<line>\\d{1,9}):(?<column>\\d{1,9})\\s*$',
    { weak: true },
  ),
];
