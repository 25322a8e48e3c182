import { file, place, type Row, row } from '../shapes/rows.ts';

/** Tools of text, data, containers and infrastructure. */
export const documentTools: readonly Row[] = [
  row(
    'hadolint',
    '^(?<file>[^:\\s]{1,500}):(?<line>\\d{1,9}) (?<rule>(?:DL|SC)\\d{4}) (?<severity>\\w{1,10}): (?<message>.*)$',
  ),
  row('hadolint', '^(?<file>[^:\\s]{1,500}):(?<line>\\d{1,9}) (?<rule>(?:DL|SC)\\d{4}) (?<message>.*)$'),
  row(
    'yamllint',
    `^${place}: \\[(?<severity>error|warning)\\] (?<message>.*?)(?: \\((?<rule>[a-z-]{1,60})\\))?$`,
  ),
  row(
    'actionlint',
    '^(?<file>[^:\\s]{1,500}\\.ya?ml):(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?<message>.*) \\[(?<rule>[\\w-]{1,60})\\]$',
    {
      quote: /^\s*(?:\d{1,6} )?\|/,
      carets: true,
    },
  ),
  row(
    'ansible-lint',
    `^(?<file>[^:\\s]{1,500}\\.ya?ml):(?<line>\\d{1,9})(?::(?<column>\\d{1,9}))?: (?<rule>[a-z][\\w-]{1,60}(?:\\[[\\w-]{1,60}\\])?): (?<message>.*)$`,
  ),
  row('codespell', `^(?<file>[^:\\s]{1,500}):(?<line>\\d{1,9}): (?<message>\\S{1,100} ==> .*)$`),
  row(
    'chktex',
    '^(?<severity>Warning|Error|Message) (?<rule>\\d{1,3}) in (?<file>\\S.{0,500}) line (?<line>\\d{1,9}): (?<message>.*)$',
    { quote: /^\S.*|^\s*\^+\s*$/ },
  ),
  row(
    'xmllint',
    `^${file}:(?<line>\\d{1,9}): (?<message>(?:parser|namespace|validity|Schemas validity) (?<severity>error|warning) : .*)$`,
    { quote: /^(?!\S{1,500}:\d{1,9}: ).*\S/ },
  ),
  row(
    'docutils',
    `^${file}:(?<line>\\d{1,9}): \\((?<severity>ERROR|WARNING|SEVERE|INFO)/\\d\\) (?<message>.*)$`,
  ),
  row(
    'sphinx',
    `^${file}:(?<line>\\d{1,9}): (?<severity>ERROR|WARNING|CRITICAL): (?<message>.*?)(?: \\[(?<rule>[\\w.-]{1,60})\\])?$`,
  ),
  row(
    'git',
    `^(?<file>[^:]{1,500}):(?<line>\\d{1,9}): (?<message>(?:trailing whitespace|space before tab in indent|leftover conflict marker|new blank line at EOF|indent with spaces|tab in indent)[.,].*|leftover conflict marker|new blank line at EOF\\.?)$`,
    { quote: /^[+]/ },
  ),
  row('vale', `^${place}:(?<rule>[A-Z]\\w{1,60}\\.\\w{1,60}):(?<message>.*)$`, { severity: 'warning' }),
  row('buf', '^(?<file>[^:\\s]{1,500}\\.proto):(?<line>\\d{1,9}):(?<column>\\d{1,9}):(?<message>\\S.*)$'),
  row('dart', `^\\s{0,8}(?<severity>error|warning|info) - ${place} - (?<message>.*) - (?<rule>\\w{1,80})$`),
  row('dart', `^\\s{0,8}(?<severity>error|warning|info) • (?<message>.*) • ${place} • (?<rule>\\w{1,80})$`),
  row('credo', `^\\[(?<severity>[A-Z])\\] . ${place} (?<message>.*)$`),
  row(
    'erlc',
    `^(?<file>[^:\\s]{1,500}\\.[eh]rl):(?<line>\\d{1,9})(?::(?<column>\\d{1,9}))?: (?<message>\\S.*)$`,
  ),
  row(
    'dialyzer',
    `^(?<file>[^:\\s]{1,500}\\.exs?):(?<line>\\d{1,9})(?::(?<column>\\d{1,9}))?:(?<rule>[a-z_]{3,60})(?<message>)$`,
    { message: 'Dialyzer reports a discrepancy here.' },
  ),
  row('mix-format', '^\\s{2}\\* (?<file>\\S{1,500}\\.exs?)$', {
    message: 'The file is not formatted as mix format would.',
    weak: true,
  }),
  row(
    'taplo',
    '^ERROR .{0,100}: (?<message>the file is not properly formatted) path="(?<file>[^"]{1,500})"$',
  ),
  row(
    'hlint',
    `^${file}:(?:\\()?(?<line>\\d{1,9})[:,](?<column>\\d{1,9})(?:-(?<endColumn>\\d{1,9})|\\)-\\(\\d{1,9},\\d{1,9}\\))?: (?<severity>Suggestion|Warning|Error|Ignore): (?<message>.*)$`,
    { more: /^(?:Found:|Perhaps:|Why not:|Note:)$|^ {2}\S/ },
  ),
  row(
    'shfmt',
    `^(?<file>[^:\\s]{1,500}\\.(?:sh|bash)):(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?!(?:error|warning|note|info|style)\\b)(?<message>.*)$`,
    { weak: true },
  ),
  row(
    'dotenv-linter',
    `^(?<file>[^:\\s]{0,500}\\.env[\\w.]{0,30}):(?<line>\\d{1,9}) (?<rule>[A-Z]\\w{2,60}): (?<message>.*)$`,
  ),
  row(
    'nasm',
    `^(?<file>[^:\\s]{1,500}\\.(?:asm|nasm|inc)):(?<line>\\d{1,9}): (?<severity>error|warning|fatal): (?<message>.*)$`,
  ),
];
