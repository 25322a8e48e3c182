import { file, place, type Row, row } from '../shapes/rows.ts';

const unformatted = 'The file is not formatted';

/** Tools of JavaScript, TypeScript, CSS and HTML. */
export const javascript: readonly Row[] = [
  row(
    'prettier',
    `^\\[error\\] ${file}: (?<message>\\w{0,30}Error: .*) \\((?<line>\\d{1,9}):(?<column>\\d{1,9})\\)$`,
    {
      quote: /^\[error\] [ >]/,
    },
  ),
  row('prettier', '^\\[(?:warn|error)\\] (?<file>[^:"]{1,500}\\.[\\w-]{1,20})$', {
    severity: 'error',
    message: `${unformatted} as prettier would.`,
    weak: true,
  }),
  row('pyright', `^\\s{0,8}${place} - (?<severity>error|warning|information): (?<message>.*)$`, {
    more: /^\s{4,}(?!\S{1,500}:\d{1,9}:\d{1,9} - )\S/,
    end: /^(?<message>.*) \((?<rule>report\w{1,80})\)$/,
  }),
  row(
    'stylelint',
    '^(?<file>[^:]{1,500}\\.(?:css|scss|sass|less|pcss|vue|html)): line (?<line>\\d{1,9}), col (?<column>\\d{1,9}), (?<severity>error|warning) - (?<message>.*?)(?: \\((?<rule>[\\w@/-]{1,100})\\))?$',
  ),
  row(
    'stylelint',
    `^${place}: (?<message>.*?)(?: \\((?<rule>[\\w@/-]{1,100})\\))? \\[(?<severity>error|warning)\\]$`,
  ),
  row(
    'eslint',
    `^${file}: line (?<line>\\d{1,9}), col (?<column>\\d{1,9}), (?<severity>Error|Warning) - (?<message>.*?)(?: \\((?<rule>[\\w@/-]{1,100})\\))?$`,
  ),
  row(
    'jshint',
    `^${file}: line (?<line>\\d{1,9}), col (?<column>\\d{1,9}), (?<message>.*?)(?: \\((?<rule>[EWI]\\d{3})\\))?$`,
    {
      graded: (rule) => (rule.startsWith('W') ? 'warning' : 'error'),
    },
  ),
  row(
    'eslint',
    `^${file}\\((?<line>\\d{1,9}),(?<column>\\d{1,9})\\): (?<severity>error|warning) (?<rule>[a-z@][\\w@/-]{2,100}) ?: (?<message>.*)$`,
  ),
  row('standard', `^\\s{2}${place}: (?<message>.*) \\((?<rule>[a-z@][\\w@/-]{1,100})\\)$`),
  row('standard', `^\\s{2}${place}: (?<message>Parsing error: .*) \\(null\\)$`),
  row('cspell', `^${place} - (?<message>Unknown word \\(.*)$`),
  row(
    'svelte-check',
    `^\\d{10,16} (?<severity>ERROR|WARNING) "(?<file>[^"]{1,500})" (?<line>\\d{1,9}):(?<column>\\d{1,9}) "(?<message>.*)"$`,
  ),
  row(
    'astro',
    `^${place} - (?<severity>error|warning|hint) (?<rule>(?:ts|astro)\\(\\d{1,6}\\)): (?<message>.*)$`,
  ),
  row(
    'markdownlint',
    `^(?<file>[^:]{1,500}):(?<line>\\d{1,9})(?::(?<column>\\d{1,9}))?(?: (?<severity>error|warning))? (?<rule>MD\\d{3})(?:/\\S{1,200})? (?<message>.*)$`,
  ),
  row(
    'tsd',
    `^\\s{1,4}✖\\s{1,4}(?<line>\\d{1,9}):(?<column>\\d{1,9})\\s{1,4}(?<message>.*) (?<file>\\S{1,200}\\.ts)$`,
  ),
  row(
    'vite',
    `^(?:\\[vite\\]: |error during build:\\s*)?(?:Error|RollupError): (?<message>.*?) in (?<file>[^\\s:"]{1,500})(?::(?<line>\\d{1,9}):(?<column>\\d{1,9}))?$`,
  ),
  row(
    'less',
    `^\\w{1,30}Error: (?<message>.*) in (?<file>\\S{1,500}\\.less) on line (?<line>\\d{1,9}), column (?<column>\\d{1,9}):$`,
    { base: 0 },
  ),
  row(
    'csslint',
    `^${file}: line (?<line>\\d{1,9}), col (?<column>\\d{1,9}), (?<severity>\\w{1,10}) - (?<message>.*)$`,
  ),
  row('', '^from (?<file>\\S.{0,500}):$', {
    message: `${unformatted} as its formatter would.`,
    weak: true,
  }),
];
