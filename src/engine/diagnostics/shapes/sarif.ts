import type {
  ArtifactLocation,
  Location,
  Log,
  Message,
  Notification,
  PhysicalLocation,
  Region,
  ReportingConfiguration,
  ReportingDescriptor,
  ReportingDescriptorReference,
  Result,
  Run,
  Tool,
  ToolComponent,
} from 'sarif';
import type { DocumentShape, Finding, Note, Place } from '../finding.ts';
import { position } from '../finding.ts';
import { decode } from '../locate.ts';
import { jsonObjects } from './json-objects.ts';

/**
 * An object of the format as found in the wild: its fields are known by name, their values are not trusted.
 */
type Loose<T> = { [K in keyof T]?: unknown };

const opening = /\{\s{0,1000}"(?:\$schema|version|runs|properties|inlineExternalProperties)"\s{0,100}:/g;
const maxBaseDepth = 8;
const maxRelated = 10;

/** SARIF 2.1.0 logs (OASIS standard), the whole output or documents in its midst, one finding a result. */
export const sarif: DocumentShape = (text) => {
  if (!text.includes('"runs"')) return { findings: [], rest: text };
  let findings: Finding[] = [];
  let rest = '';
  let from = 0;
  for (const object of jsonObjects(text, opening)) {
    const log = loose<Log>(object.value);
    if (!Array.isArray(log.runs)) continue;
    for (const run of log.runs) findings = findings.concat(readRun(loose<Run>(run)));
    rest += `${text.slice(from, object.from)}\n`;
    from = object.to;
  }
  return { findings, rest: rest + text.slice(from) };
};

function readRun(run: Loose<Run>): Finding[] {
  const tool = loose<Tool>(run.tool);
  const name = text(loose<ToolComponent>(tool.driver).name);
  const results = list(run.results)
    .filter((result) => typeof result === 'object' && result !== null)
    .map((result) => readResult(loose<Result>(result), run, tool));
  const notices = list(run.invocations)
    .flatMap((invocation) => {
      const { toolExecutionNotifications, toolConfigurationNotifications } = loose<{
        toolExecutionNotifications: unknown;
        toolConfigurationNotifications: unknown;
      }>(invocation);
      return [...list(toolExecutionNotifications), ...list(toolConfigurationNotifications)];
    })
    .map((notice) => readNotice(loose<Notification>(notice), run));
  return [...results, ...notices].flatMap((finding) =>
    finding === undefined ? [] : [{ at: 0, tool: name, ...finding }],
  );
}

type Unplaced = Omit<Finding, 'at' | 'tool'>;

function readResult(result: Loose<Result>, run: Loose<Run>, tool: Loose<Tool>): Unplaced | undefined {
  if (isSettled(result)) return undefined;
  const component = componentOf(result, tool);
  const rule = ruleOf(result, component);
  const configured = loose<ReportingConfiguration>(rule.defaultConfiguration).level;
  const severity = severityOf(text(result.level) ?? text(configured) ?? 'warning');
  if (severity === undefined) return undefined;
  const id =
    text(result.ruleId) ?? text(loose<ReportingDescriptorReference>(result.rule).id) ?? text(rule.id);
  return {
    severity,
    message: messageOf(result.message, rule, component) ?? id ?? 'A result without a message',
    rule: id ?? text(rule.name),
    ruleUrl: text(rule.helpUri),
    related: relatedOf(result, run),
    ...placeOf(list(result.locations)[0], run),
  };
}

function relatedOf(result: Loose<Result>, run: Loose<Run>): Note[] | undefined {
  const notes = list(result.relatedLocations)
    .slice(0, maxRelated)
    .map((location) => {
      const place = placeOf(location, run);
      const message = messageOf(loose<Location>(location).message, {}, {}) ?? 'See here.';
      return { message, file: place.file, line: place.line, column: place.column };
    })
    .filter((note) => note.file !== undefined);
  return notes.length > 0 ? notes : undefined;
}

/** Whether a result reports no open problem: passed, suppressed by its user, or gone since the baseline. */
function isSettled(result: Loose<Result>): boolean {
  const kind = text(result.kind) ?? 'fail';
  const suppressed = list(result.suppressions).some((entry) => {
    const status = text(loose<{ status: unknown }>(entry).status) ?? 'accepted';
    return status === 'accepted';
  });
  return kind !== 'fail' || suppressed || result.baselineState === 'absent';
}

/** Only a failure of the tool itself: its remarks on a run are no findings. */
function readNotice(notice: Loose<Notification>, run: Loose<Run>): Unplaced | undefined {
  if (text(notice.level) !== 'error') return undefined;
  return {
    severity: 'error',
    message: messageOf(notice.message, {}, {}) ?? 'The tool reported a failure of its own',
    rule: text(loose<ReportingDescriptorReference>(notice.descriptor).id),
    ...placeOf(list(notice.locations)[0], run),
  };
}

function severityOf(level: string): Finding['severity'] | undefined {
  if (level === 'error' || level === 'warning') return level;
  return level === 'note' ? 'info' : undefined;
}

/** The component that defines the result's rule: the driver, or the extension the reference points at. */
function componentOf(result: Loose<Result>, tool: Loose<Tool>): Loose<ToolComponent> {
  const reference = loose<{ index: unknown }>(
    loose<ReportingDescriptorReference>(result.rule).toolComponent,
  ).index;
  const extension = typeof reference === 'number' ? list(tool.extensions)[reference] : undefined;
  return loose<ToolComponent>(extension ?? tool.driver);
}

function ruleOf(result: Loose<Result>, component: Loose<ToolComponent>): Loose<ReportingDescriptor> {
  const reference = loose<ReportingDescriptorReference>(result.rule);
  const rules = list(component.rules);
  const index = result.ruleIndex ?? reference.index;
  if (typeof index === 'number' && index >= 0) return loose<ReportingDescriptor>(rules[index]);
  const id = text(result.ruleId) ?? text(reference.id);
  return loose<ReportingDescriptor>(rules.find((rule) => loose<ReportingDescriptor>(rule).id === id));
}

/** A message's text, looked up by its id and its `{0}` filled in where it is not given outright. */
function messageOf(
  value: unknown,
  rule: Loose<ReportingDescriptor>,
  component: Loose<ToolComponent>,
): string | undefined {
  const message = loose<Message>(value);
  const id = text(message.id) ?? '';
  const strings = [rule.messageStrings, component.globalMessageStrings].map(loose<Record<string, unknown>>);
  const looked = strings
    .map((known) => loose<{ text: unknown }>(known[id]).text)
    .find((found) => text(found));
  const template = text(message.text) ?? text(looked) ?? text(message.markdown);
  if (template === undefined) return undefined;
  const values = list(message.arguments);
  return template.replace(/\{(\d{1,3})\}/g, (whole, index) => text(values[Number(index)]) ?? whole);
}

function placeOf(value: unknown, run: Loose<Run>): Partial<Place> {
  const physical = loose<PhysicalLocation>(loose<Location>(value).physicalLocation);
  const region = loose<Region>(physical.region);
  const artifact = loose<ArtifactLocation>(physical.artifactLocation);
  const file = fileOf(artifact, run) ?? fileOf(indexed(artifact, run), run);
  if (file === undefined) return {};
  const line = row(region.startLine);
  const endColumn = row(region.endColumn);
  return {
    file,
    line,
    column: row(region.startColumn),
    endLine: row(region.endLine) ?? (endColumn === undefined ? undefined : line),
    endColumn,
  };
}

function indexed(artifact: Loose<ArtifactLocation>, run: Loose<Run>): Loose<ArtifactLocation> {
  const entry = typeof artifact.index === 'number' ? list(run.artifacts)[artifact.index] : undefined;
  return loose<ArtifactLocation>(loose<{ location: unknown }>(entry).location);
}

/**
 * The file a location names: its URI resolved through `originalUriBaseIds`, relative where they end
 * unresolved.
 */
function fileOf(artifact: Loose<ArtifactLocation>, run: Loose<Run>): string | undefined {
  const bases = loose<Record<string, unknown>>(run.originalUriBaseIds);
  let uri = text(artifact.uri);
  let base = text(artifact.uriBaseId);
  if (uri === undefined) return undefined;
  for (let depth = 0; depth < maxBaseDepth && base !== undefined && !isAbsolute(uri); depth++) {
    const next = loose<ArtifactLocation>(Object.hasOwn(bases, base) ? bases[base] : undefined);
    const prefix = text(next.uri) ?? '';
    uri = prefix === '' || prefix.endsWith('/') ? prefix + uri : `${prefix}/${uri}`;
    base = text(next.uriBaseId);
  }
  // A `file:` URI is decoded where it is located.
  return /^file:/i.test(uri) ? uri : decode(uri);
}

function isAbsolute(uri: string): boolean {
  return /^[A-Za-z][\w+.-]*:/.test(uri) || uri.startsWith('/');
}

function loose<T>(value: unknown): Loose<T> {
  return typeof value === 'object' && value !== null ? (value as Loose<T>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function row(value: unknown): number | undefined {
  return typeof value === 'number' ? position(String(value)) : undefined;
}
