import { file, place, type Row, row } from '../shapes/rows.ts';

const fault =
  '(?:syntax error|unexpected|unterminated|command not found|unbound variable|bad substitution|No such file)';

/** Tools of Ruby, PHP, Perl, Lua, Tcl and the shells. */
export const scripts: readonly Row[] = [
  row(
    'rubocop',
    `^${place}: (?<severity>[CWEFRI]): (?:\\[\\w{1,20}\\] )?(?:(?<rule>[A-Z][\\w/]{1,100}): )?(?<message>.*)$`,
    {
      quote: /^(?![^:]{1,500}:\d{1,9}:\d{1,9}: ).*\S/,
      carets: true,
    },
  ),
  row(
    'ruby',
    `^(?:ruby: |-e:)?(?<file>[^:\\s]{1,500}\\.(?:rb|rake|gemspec|ru)):(?<line>\\d{1,9}): (?<message>(?:syntax errors?\\b|warning: ).*)$`,
  ),
  row('reek', `^\\s{2}${file}:(?<line>\\d{1,9}): (?<rule>[A-Z]\\w{1,60}): (?<message>.*)$`, {
    severity: 'warning',
  }),
  row(
    'php',
    `^(?:PHP )?(?<message>(?:Parse|Fatal|Syntax) error: {1,2}.{1,1000}?) in (?<file>\\S.{0,500}\\.(?:php|inc|phtml))(?: on line |:)(?<line>\\d{1,9})$`,
  ),
  row(
    'psalm',
    `^(?<severity>ERROR|INFO): (?<rule>\\w{1,80}) - ${file}:(?<line>\\d{1,9}):(?<column>\\d{1,9}) - (?<message>.*?)(?: \\(see (?<url>https://\\S{1,200})\\))?$`,
  ),
  row('phan', `^(?<file>[^:\\s]{1,500}\\.php):(?<line>\\d{1,9}) (?<rule>Phan\\w{1,80}) (?<message>.*)$`),
  row(
    'php-cs-fixer',
    '^\\s{1,5}\\d{1,6}\\) (?<file>[^\\s:]{1,500}\\.php)(?: \\((?<rule>[\\w, ]{1,300})\\))?$',
    { message: 'The file is not formatted as php-cs-fixer would.', weak: true },
  ),
  row(
    'phpcs',
    '^(?<file>[^:\\s]{1,500}\\.(?:php|inc|js|css)):(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?<severity>error|warning) - (?<message>.*)$',
  ),
  row(
    'phpstan',
    `^(?<file>[^:\\s]{1,500}\\.php):(?<line>\\d{1,9}):(?<message>(?!\\d{1,9}:)\\S.*?)(?: \\[identifier=(?<rule>[\\w.]{1,80})\\])?$`,
  ),
  row(
    'perl',
    '^(?<message>[^#\\s].{0,500}?) at (?<file>[^\\s#]{1,500}\\.(?:pl|pm|t|cgi)) line (?<line>\\d{1,9})(?:\\.|, near .*|, at .*)$',
    { quote: /^ {2,}\S|^syntax error at \S+ line \d+, near/ },
  ),
  row(
    'perlcritic',
    '^(?<file>[^:\\s]{1,500}\\.(?:pl|pm|t)):(?<line>\\d{1,9}):(?<column>\\d{1,9}):(?<message>\\S.*)$',
    { severity: 'warning' },
  ),
  row(
    'luacheck',
    '^\\s{1,8}(?<file>[^:\\s][^:]{0,500}\\.lua):(?<line>\\d{1,9}):(?<column>\\d{1,9})(?:-(?<endColumn>\\d{1,9}))?: (?:\\((?<rule>[EW]\\d{3})\\) )?(?<message>.*)$',
    {
      graded: (rule) => (rule.startsWith('E') ? 'error' : 'warning'),
    },
  ),
  row('lua', `^(?:lua|luac|luajit)[\\d.]{0,5}: ${file}:(?<line>\\d{1,9}): (?<message>.*)$`),
  row('bash', `^(?<file>[^:]{1,500}): line (?<line>\\d{1,9}): (?<message>(?:[^:]{1,200}: )?${fault}.*)$`, {
    quote: /^[^:]{1,500}: line \d{1,9}: `/,
  }),
  row(
    'dash',
    `^(?<file>[^:\\s]{1,500}\\.sh): (?:line )?(?<line>\\d{1,9}): (?<message>(?:[^:]{1,200}: )?(?:${fault}|Syntax error|not found).*)$`,
  ),
  row(
    'zsh',
    `^(?<file>[^:\\s]{1,500}\\.z?sh):(?<line>\\d{1,9}): (?<message>(?:parse error|command not found|no matches).*)$`,
  ),
  row('tcl', '^\\s{4}\\(file "(?<file>[^"]{1,500})" line (?<line>\\d{1,9})\\)$', {
    message: 'The script failed here.',
  }),
  row(
    'puppet-lint',
    `^${file} - (?<severity>ERROR|WARNING): (?<message>.*?) on line (?<line>\\d{1,9})(?: col (?<column>\\d{1,9}))?(?: \\(check: (?<rule>\\w{1,60})\\))?$`,
  ),
];
