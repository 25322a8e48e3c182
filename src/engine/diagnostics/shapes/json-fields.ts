import { type Finding, type Note, type Place, severityOf } from '../finding.ts';
import { isPath, isSourceFile } from '../place.ts';
import {
  columnKeys,
  type Dialect,
  dialects,
  endColumnKeys,
  endLineKeys,
  fileKeys,
  lineKeys,
  messageKeys,
  ruleKeys,
  severityKeys,
  urlKeys,
} from '../tools/json-dialects.ts';
import { type Json, list, numberOf, object, text, textOf } from './json-values.ts';

const maxDepth = 10;
const maxNodes = 100_000;

/** The findings of a tool's JSON; undefined where it is of no tool that is known and looks like no report. */
export function readFields(value: unknown): Finding[] | undefined {
  if (Array.isArray(value) && value.length === 0) return undefined;
  const cargo = readCargo(object(value));
  if (cargo !== undefined) return cargo;
  const first = object(Array.isArray(value) ? value[0] : value);
  const dialect = dialects.find((one) => one.is(first));
  // reviewdog's form says whose findings it holds.
  const source = dialect?.tool === 'reviewdog' ? text(object(first.source).name)?.toLowerCase() : undefined;
  const reader = new Reader(dialect, source ?? dialect?.tool);
  reader.read(value, undefined, 0);
  // Of no known tool, it counts where it looks like a finding in every way and its file is in the tree.
  return dialect === undefined && reader.findings.length === 0 ? undefined : reader.findings;
}

class Reader {
  readonly findings: Finding[] = [];
  readonly #dialect: Dialect | undefined;
  readonly #tool: string | undefined;
  #nodes = 0;

  constructor(dialect: Dialect | undefined, tool: string | undefined) {
    this.#dialect = dialect;
    this.#tool = tool;
  }

  read(value: unknown, file: string | undefined, depth: number): void {
    if (depth > maxDepth || typeof value !== 'object' || value === null || ++this.#nodes > maxNodes) return;
    if (Array.isArray(value)) {
      for (const one of value) this.read(one, file, depth + 1);
      return;
    }
    const issue = value as Json;
    const named = fileIn(issue) ?? file;
    const finding = named === undefined ? undefined : this.#finding(issue, named);
    if (finding !== undefined) {
      this.findings.push(finding);
      return;
    }
    for (const [key, inner] of Object.entries(issue)) {
      this.read(inner, typeof inner === 'object' && isPath(key) ? key : named, depth + 1);
    }
  }

  #finding(issue: Json, file: string): Finding | undefined {
    const place = placeIn(issue, file, this.#dialect?.base ?? 1);
    const extra = object(issue.extra);
    const message =
      textOf(issue, messageKeys) ??
      textOf(extra, messageKeys) ??
      text(object(issue.message).text) ??
      text(object(issue.description).text);
    if (place === undefined || message === undefined) return undefined;
    const word = severityIn(issue) ?? severityIn(extra);
    const rule = this.#dialect?.rule?.(issue) ?? ruleIn(issue);
    if (this.#dialect === undefined && (word === undefined || rule === undefined || place.line === undefined))
      return undefined;
    const detail = text(issue.errorDetail) ?? text(issue.detail);
    const related = relatedIn(issue, file, this.#dialect?.base ?? 1);
    return {
      at: 0,
      severity: word === undefined ? 'error' : severityOf(word),
      message: detail === undefined ? message : `${message} ${detail}`,
      tool: this.#tool,
      ...place,
      rule,
      ruleUrl:
        textOf(issue, urlKeys) ?? textOf(object(issue.code), urlKeys) ?? textOf(object(issue.rule), urlKeys),
      related: related.length > 0 ? related : undefined,
      doubtful: this.#dialect === undefined ? true : undefined,
    };
  }
}

function severityIn(issue: Json): string | undefined {
  // PHP_CodeSniffer's `severity` is a weight; its `type` is the word.
  const type = text(issue.type);
  if (type !== undefined && /^(?:error|warning|info|convention|refactor|fatal)$/i.test(type)) return type;
  if (issue.fatal === true) return 'error';
  for (const key of severityKeys) {
    const value = issue[key];
    if (typeof value === 'number') return numbered(value, issue);
    const word = text(value);
    if (word !== undefined && word.length < 20)
      return /^(?:major|critical|blocker|high)$/i.test(word) ? 'error' : word;
  }
  return undefined;
}

/** ESLint counts 1 a warning and 2 an error; Spectral 0 an error, 1 a warning, 2 and 3 less. */
function numbered(value: number, issue: Json): string {
  if ('range' in issue) return ['error', 'warning', 'info', 'hint'][value] ?? 'error';
  return value === 1 ? 'warning' : value === 0 ? 'info' : 'error';
}

function ruleIn(issue: Json): string | undefined {
  for (const key of ruleKeys) {
    const value = issue[key];
    const rule =
      text(value) ??
      text(object(value).id) ??
      text(object(value).name) ??
      text(object(value).value) ??
      text(object(value).code);
    if (rule !== undefined && !(key === 'type' && /^(?:error|warning|info)$/i.test(rule))) return rule;
  }
  return undefined;
}

function fileIn(issue: Json): string | undefined {
  for (const from of [
    issue,
    object(issue.location),
    object(issue.Pos),
    object(issue.range),
    object(object(issue.location).range),
  ]) {
    for (const key of fileKeys) {
      const value = from[key];
      const found = text(value) ?? text(object(value).file) ?? text(object(value).path);
      if (found === undefined || !isPath(found)) continue;
      // These say other things as well.
      if (/^(?:source|name|uri)$/.test(key) && !/[\\/]/.test(found) && !isSourceFile(found)) continue;
      return found;
    }
  }
  return undefined;
}

function placeIn(issue: Json, file: string, base: number): Place | undefined {
  const location = object(issue.location);
  const [label] = list(issue.labels);
  const span = object(object(label).span);
  const places = [
    issue,
    location,
    object(issue.Pos),
    object(location.lines),
    span,
    object(list(issue.spans)[0]),
  ];
  const ranges = [
    issue,
    object(issue.range),
    object(location.range),
    location,
    object(object(location.positions)),
    object(issue.region),
  ];
  for (const range of ranges) {
    const start = object(range.start ?? range.begin);
    const end = object(range.end);
    const language = 'character' in start;
    const from = language ? 0 : 1;
    const line = numberOf(start, lineKeys, from);
    if (line === undefined) continue;
    const columns = language ? 0 : base;
    return {
      file,
      line,
      column: numberOf(start, columnKeys, columns),
      endLine: numberOf(end, lineKeys, from),
      endColumn: numberOf(end, columnKeys, columns),
    };
  }
  for (const from of places) {
    const line = numberOf(from, lineKeys) ?? numberOf(from, ['begin']);
    if (line === undefined) continue;
    const other = object(issue.end_location);
    // RuboCop's last column is the last character's own.
    const inclusive = 'last_column' in from ? 0 : base;
    const range = list(issue.Span);
    return {
      file,
      line,
      column: numberOf(from, columnKeys, base) ?? numberOf({ at: range[0] }, ['at']),
      endLine:
        numberOf(from, endLineKeys) ?? numberOf(other, lineKeys) ?? numberOf(object(issue.end), lineKeys),
      endColumn:
        numberOf(from, endColumnKeys, inclusive) ??
        numberOf(other, columnKeys) ??
        numberOf(object(issue.end), columnKeys),
    };
  }
  return 'line' in issue || 'location' in issue ? { file } : undefined;
}

function relatedIn(issue: Json, file: string, base: number): Note[] {
  const others = [...list(issue.relatedInformation), ...list(issue.related)].map(object);
  return others.flatMap((other) => {
    const message = textOf(other, messageKeys);
    const place = placeIn(other, fileIn(other) ?? file, base);
    return message === undefined
      ? []
      : [{ message, file: place?.file, line: place?.line, column: place?.column }];
  });
}

/** cargo's messages: rustc's diagnostics as JSON, a line each. */
function readCargo(value: Json): Finding[] | undefined {
  const reason = text(value.reason);
  if (reason === undefined) return undefined;
  if (/^(?:compiler-artifact|build-script-executed|build-finished)$/.test(reason)) return [];
  if (reason !== 'compiler-message') return undefined;
  const message = object(value.message);
  const level = text(message.level) ?? 'error';
  const said = text(message.message);
  const spans = list(message.spans).map(object);
  const main = spans.find((span) => span.is_primary === true) ?? spans[0];
  // The last of a run sums the others up.
  if (said === undefined || (main === undefined && text(object(message.code).code) === undefined)) return [];
  const notes = list(message.children)
    .map(object)
    .flatMap((child): Note[] => {
      const span = object(list(child.spans)[0]);
      const note = text(child.message);
      const file = text(span.file_name);
      return note === undefined || file === undefined
        ? []
        : [
            {
              message: note,
              file,
              line: numberOf(span, ['line_start']),
              column: numberOf(span, ['column_start']),
            },
          ];
    });
  const finding: Finding = {
    at: 0,
    severity: severityOf(level),
    message: said,
    tool: text(object(message.code).code)?.startsWith('clippy::') ? 'clippy' : 'rustc',
    rule: text(object(message.code).code),
    related: notes.length > 0 ? notes : undefined,
  };
  const file = main && text(main.file_name);
  if (main === undefined || file === undefined) return [finding];
  const place = {
    file,
    line: numberOf(main, ['line_start']),
    column: numberOf(main, ['column_start']),
    endLine: numberOf(main, ['line_end']),
    endColumn: numberOf(main, ['column_end']),
  };
  return [{ ...finding, ...place }];
}
