import { file, type Row, row } from '../shapes/rows.ts';

/** Tools of C and C++, Rust, Go, Zig, Swift, D, Nim, Pascal and hardware languages. */
export const native: readonly Row[] = [
  row(
    'iverilog',
    '^(?<file>[^:\\s]{1,500}\\.s?vh?):(?<line>\\d{1,9}): (?<severity>error|warning): (?<message>.*)$',
  ),
  row(
    'make',
    '^(?<file>(?:[^:\\s]{0,500}/)?(?:GNUm|[Mm])akefile[\\w.-]{0,40}|[^:\\s]{1,500}\\.mk):(?<line>\\d{1,9}): \\*\\*\\* (?<message>.*?)(?: {1,2}Stop\\.)?$',
  ),
  row('rustfmt', '^Diff in (?<file>[^:]{1,500}?)(?::| at line )(?<line>\\d{1,9}):$', {
    message: 'The file is not formatted as rustfmt would.',
  }),
  row('gofmt', '^diff (?:-u )?(?<file>\\S{1,500}\\.go)\\.orig \\S{1,500}\\.go$', {
    message: 'The file is not formatted as gofmt would.',
  }),
  row(
    'nim',
    `^${file}\\((?<line>\\d{1,9}), (?<column>\\d{1,9})\\) (?<severity>Error|Warning|Hint): (?<message>.*?)(?: \\[(?<rule>\\w{1,60})\\])?$`,
  ),
  row(
    'fpc',
    `^${file}\\((?<line>\\d{1,9}),(?<column>\\d{1,9})\\) (?<severity>Error|Fatal|Warning|Hint|Note): (?:\\(\\d{1,6}\\) )?(?<message>.*)$`,
  ),
  row(
    'dmd',
    `^${file}\\((?<line>\\d{1,9})(?:,(?<column>\\d{1,9}))?\\): (?<severity>Error|Warning|Deprecation): (?<message>.*)$`,
  ),
  row(
    'valac',
    `^${file}:(?<line>\\d{1,9})\\.(?<column>\\d{1,9})-(?<endLine>\\d{1,9})\\.(?<endColumn>\\d{1,9}): (?<severity>error|warning): (?<message>.*)$`,
  ),
  row(
    'verilator',
    `^%(?<severity>Error|Warning)(?:-(?<rule>\\w{1,60}))?: ${file}:(?<line>\\d{1,9})(?::(?<column>\\d{1,9}))?: (?<message>.*)$`,
  ),
  row(
    'iverilog',
    `^(?<file>[^:\\s]{1,500}\\.s?vh?):(?<line>\\d{1,9}): (?:(?<severity>error|warning): )?(?<message>(?:syntax error|Unable|Unknown|Invalid|Malformed|Could not|Failed).*)$`,
  ),
  row('boost', `^${file}\\((?<line>\\d{1,9})\\): (?<severity>error|fatal error): (?<message>in ".*)$`),
  row('doctest', `^${file}:(?<line>\\d{1,9}): (?<severity>ERROR|FATAL ERROR): (?<message>.*)$`, {
    more: /^ {2}values: /,
  }),
  row(
    'cppcheck',
    `^${file}:(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?<severity>style|performance|portability|information): (?<message>.*) \\[(?<rule>\\w{1,80})\\]$`,
  ),
  row(
    'msbuild',
    `^(?<file>[^:(]{1,500}\\.\\w{2,8}proj) : (?<severity>error|warning) (?<rule>[A-Z]{1,6}\\d{1,6}): (?<message>.*)$`,
  ),
  row(
    'bison',
    `^(?<file>[^:\\s]{1,500}\\.(?:y|yy|l|ll)):(?<line>\\d{1,9})\\.(?<column>\\d{1,9})(?:-\\d{1,9}(?:\\.\\d{1,9})?)?: (?<severity>error|warning): (?<message>.*)$`,
  ),
  row(
    'protoc',
    `^(?<file>[^:\\s]{1,500}\\.proto):(?<line>\\d{1,9}):(?<column>\\d{1,9}): ?(?:(?<severity>warning): )?(?<message>.*)$`,
  ),
];
