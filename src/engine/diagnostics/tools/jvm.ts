import { file, place, type Row, row } from '../shapes/rows.ts';

/** Tools of Java, Kotlin, Scala and .NET. */
export const jvm: readonly Row[] = [
  row(
    'javac',
    `^\\[(?<severity>ERROR|WARNING)\\] ${file}:\\[(?<line>\\d{1,9}),(?<column>\\d{1,9})\\] (?:error: )?(?<message>.*)$`,
    {
      more: /^\[ERROR\] {2,}(?:symbol|location|required|found|reason): /,
    },
  ),
  row(
    'kotlinc',
    `^\\[(?<severity>ERROR|WARNING)\\] ${file}: \\((?<line>\\d{1,9}), (?<column>\\d{1,9})\\) (?<message>.*)$`,
  ),
  row('kotlinc', `^(?<severity>[ew]): ${place}:? (?<message>.*)$`),
  row(
    'kotlinc',
    `^(?<severity>[ew]): ${file}: \\((?<line>\\d{1,9}), (?<column>\\d{1,9})\\): (?<message>.*)$`,
  ),
  row(
    'checkstyle',
    `^\\[(?<severity>ERROR|WARN|INFO)\\] ${file}:(?<line>\\d{1,9})(?::(?<column>\\d{1,9}))?: (?<message>.*) \\[(?<rule>\\w{1,80})\\]$`,
  ),
  row(
    'checkstyle',
    `^\\[(?<severity>ERROR|WARN|WARNING)\\] ${file}:\\[(?<line>\\d{1,9})(?:,(?<column>\\d{1,9}))?\\] \\((?<rule>[\\w ]{1,40})\\) (?<message>.*)$`,
  ),
  row(
    'detekt',
    '^(?<file>[^:\\s][^:]{0,500}\\.kts?):(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?<message>.*) \\[(?<rule>[A-Z]\\w{2,80})\\]$',
    { weak: true },
  ),
  row(
    'ktlint',
    `^(?<file>[^:\\s][^:]{0,500}\\.kts?):(?<line>\\d{1,9}):(?<column>\\d{1,9}): (?<message>.*) \\((?<rule>[\\w:-]{1,100})\\)$`,
  ),
  row(
    'detekt',
    '^\\t(?<rule>[A-Z]\\w{2,80}) - (?:\\[[^\\]]{0,300}\\] )?at (?<file>[^:\\s][^:]{0,500}\\.kts?):(?<line>\\d{1,9}):(?<column>\\d{1,9})$',
    { message: 'The code breaks this rule.' },
  ),
  row('pmd', `^${file}:(?<line>\\d{1,9}):\\t(?<rule>\\w{1,80}):\\t(?<message>.*)$`),
  row('scalac', `^\\[(?<severity>error|warn)\\] ${place}: (?<message>.*)$`, {
    quote: /^\[(?:error|warn)\] (?!\S{1,500}:\d)/,
  }),
  row(
    'scalac',
    `^-- (?:\\[(?<rule>E\\d{1,5})\\] )?(?:[\\w ]{1,60} )?(?<severity>Error|Warning): (?<file>[^\\s:]{1,500}):(?<line>\\d{1,9}):(?<column>\\d{1,9}) -{2,}$`,
    {
      base: 1,
      more: /^\s*\d{0,6}\s?\|/,
      end: /^\s*\d{1,6}\s?\|.{0,400}?\| {0,200}\^+ (?<message>[^|^].*?)(?: \|.*)?$/,
    },
  ),
  row(
    'groovyc',
    `^(?<file>\\S.{0,500}\\.(?:groovy|gradle)): (?<line>\\d{1,9}): (?<message>.*) @ line \\d{1,9}, column (?<column>\\d{1,9})\\.$`,
  ),
  row('gradle', `^Build file '(?<file>[^']{1,500})' line: (?<line>\\d{1,9})$`, {
    message: 'The build script failed here.',
  }),
];
