import { type Json, list, object, text } from '../shapes/json-values.ts';

/** A tool's own JSON: how it is told, and what of it is unlike the others. */
export interface Dialect {
  tool: string;
  is: (value: Json) => boolean;
  /** What its columns count from. */
  base?: number;
  rule?: (issue: Json) => string | undefined;
}

const has =
  (...keys: string[]) =>
  (value: Json) =>
    keys.every((key) => key in value);

function scCode(issue: Json): string | undefined {
  return typeof issue.code === 'number' ? `SC${issue.code}` : text(issue.code);
}

/** Each told by the fields of its outermost object, or of the first object of its list. */
export const dialects: readonly Dialect[] = [
  { tool: 'eslint', is: has('filePath', 'messages') },
  { tool: 'stylelint', is: has('source', 'warnings') },
  {
    tool: 'ruff',
    is: (value) => has('code', 'filename', 'location')(value) && 'row' in object(value.location),
  },
  { tool: 'pyright', is: has('generalDiagnostics') },
  { tool: 'mypy', is: has('file', 'line', 'column', 'message', 'hint', 'code'), base: 0 },
  { tool: 'pylint', is: has('message-id', 'symbol'), base: 0, rule: (issue) => text(issue['message-id']) },
  {
    tool: 'bandit',
    is: (value) => Array.isArray(value.results) && has('issue_text')(object(list(value.results)[0])),
    base: 0,
  },
  { tool: 'golangci-lint', is: has('Issues') },
  { tool: 'staticcheck', is: (value) => has('code', 'severity', 'location', 'end')(value) },
  { tool: 'rubocop', is: (value) => Array.isArray(value.files) && has('metadata', 'summary')(value) },
  { tool: 'phpstan', is: (value) => has('totals', 'files', 'errors')(value) },
  { tool: 'phpcs', is: (value) => has('totals', 'files')(value) && 'warnings' in object(value.totals) },
  { tool: 'psalm', is: has('line_from', 'file_name', 'type') },
  {
    tool: 'shellcheck',
    is: (value) => has('file', 'line', 'column', 'level', 'code')(value) && typeof value.code === 'number',
    rule: scCode,
  },
  {
    tool: 'shellcheck',
    is: (value) => Array.isArray(value.comments) && Object.keys(value).length === 1,
    rule: scCode,
  },
  {
    tool: 'hadolint',
    is: (value) => has('file', 'line', 'column', 'level', 'code')(value) && typeof value.code === 'string',
  },
  { tool: 'biome', is: (value) => has('diagnostics', 'summary', 'command')(value) },
  { tool: 'oxlint', is: (value) => has('diagnostics', 'number_of_files')(value) },
  {
    tool: 'deno',
    is: (value) =>
      Array.isArray(value.diagnostics) &&
      'bytePos' in object(object(object(list(value.diagnostics)[0]).range).start),
    base: 0,
  },
  {
    tool: 'semgrep',
    is: (value) => Array.isArray(value.results) && 'check_id' in object(list(value.results)[0]),
  },
  {
    tool: 'tflint',
    is: (value) =>
      Array.isArray(value.issues) &&
      'rule' in object(list(value.issues)[0]) &&
      'range' in object(list(value.issues)[0]),
  },
  { tool: 'terraform', is: (value) => has('valid', 'error_count', 'diagnostics')(value) },
  {
    tool: 'markdownlint',
    is: has('fileName', 'lineNumber', 'ruleNames'),
    rule: (issue) => text(list(issue.ruleNames)[0]),
  },
  { tool: 'actionlint', is: has('filepath', 'kind', 'snippet') },
  { tool: 'spectral', is: (value) => has('code', 'path', 'range', 'source')(value) },
  { tool: 'htmlhint', is: (value) => has('file', 'messages', 'time')(value) },
  { tool: 'sqlfluff', is: has('filepath', 'violations') },
  { tool: 'hlint', is: has('hint', 'startLine', 'severity', 'from') },
  { tool: 'ktlint', is: (value) => has('file', 'errors')(value) },
  { tool: 'swiftlint', is: has('rule_id', 'reason', 'character') },
  { tool: 'credo', is: (value) => Array.isArray(value.issues) && 'line_no' in object(list(value.issues)[0]) },
  { tool: 'brakeman', is: has('scan_info', 'warnings') },
  {
    tool: 'dart',
    is: (value) => Array.isArray(value.diagnostics) && 'problemMessage' in object(list(value.diagnostics)[0]),
  },
  { tool: 'elm', is: (value) => value.type === 'compile-errors' },
  { tool: 'codeclimate', is: (value) => has('check_name', 'location', 'description')(value) },
  {
    tool: 'reviewdog',
    is: (value) =>
      Array.isArray(value.diagnostics) && 'path' in object(object(list(value.diagnostics)[0]).location),
  },
  {
    tool: 'vale',
    is: (value) => Object.values(value).some((found) => has('Check', 'Line', 'Span')(object(list(found)[0]))),
  },
  { tool: 'buf', is: has('path', 'start_line', 'start_column', 'type') },
];

export const fileKeys =
  'filePath filename fileName file_name file_path filepath file Filename path source uri name'.split(' ');
export const lineKeys =
  'line startLine start_line lineNumber line_number line_no line_from start_line_no Line row beginLine begin_line lineno'.split(
    ' ',
  );
export const columnKeys =
  'column startColumn start_column columnNumber column_number col column_from start_line_pos Column col_offset character'.split(
    ' ',
  );
export const endLineKeys = 'endLine end_line last_line line_to end_line_no'.split(' ');
export const endColumnKeys = 'endColumn end_column last_column column_to end_line_pos end_col_offset'.split(
  ' ',
);
export const messageKeys =
  'message text Text Message issue_text problemMessage reason msg ruleDescription summary description hint title'.split(
    ' ',
  );
export const severityKeys = 'severity level Severity issue_severity'.split(' ');
export const ruleKeys =
  'ruleId rule rule_id cop_name identifier check_id check_name test_id FromLinter Check category code kind symbol warning_type type check'.split(
    ' ',
  );
export const urlKeys = 'url Link link documentation ruleInformation more_info documentation_url'.split(' ');
