import { type Finding, type LineShape, Match, position, severityOf } from '../finding.ts';

const github = /^\s{0,20}::(error|warning|notice)(?: (.{0,2000}?))?::(.*)$/;
const azure = /^\s{0,20}##vso\[task\.logissue ([^\]]{1,2000})\](.*)$/;
const azureShort = /^\s{0,20}##\[(error|warning)\](\S.*)$/;

/** The place that some tools put into the words as well. */
const placed = /^[^\s:]{1,500}:\d{1,9}:\d{1,9}: /;

/** The workflow commands of GitHub Actions and of Azure Pipelines that annotate a file. */
export const commands: LineShape = (lines) => {
  const match = new Match();
  for (const [at, line] of lines.entries()) {
    if (!/^\s{0,20}(?:::|##)/.test(line)) continue;
    const finding = readGithub(line) ?? readAzure(line);
    if (finding === undefined) continue;
    match.add({ ...finding, at });
    match.take(at);
  }
  return match;
};

function readGithub(line: string): Omit<Finding, 'at'> | undefined {
  const [, level, said = '', message = ''] = github.exec(line) ?? [];
  if (level === undefined) return undefined;
  const of = fields(said, ',');
  const endLine = position(of.get('endLine'));
  const endColumn = position(of.get('endColumn'));
  return {
    severity: severityOf(level),
    message: unescaped(message).replace(placed, '').replace(/⎯{3,}/g, ' ') || of.get('title') || 'failed',
    file: of.get('file'),
    line: position(of.get('line')),
    column: position(of.get('col')),
    // Without a column, or where it begins, the end says no more than the line.
    endLine:
      endColumn === undefined && endLine === position(of.get('line'))
        ? undefined
        : endColumn === undefined
          ? endLine
          : (endLine ?? position(of.get('line'))),
    endColumn,
    rule: of.get('title'),
  };
}

function readAzure(line: string): Omit<Finding, 'at'> | undefined {
  const [, said, message = ''] = azure.exec(line) ?? [];
  if (said === undefined) {
    const [, level, text] = azureShort.exec(line) ?? [];
    return text === undefined ? undefined : { severity: severityOf(level), message: text };
  }
  const of = fields(said, ';');
  return {
    severity: severityOf(of.get('type')),
    message: unescaped(message),
    file: of.get('sourcepath'),
    line: position(of.get('linenumber')),
    column: position(of.get('columnnumber')),
    rule: of.get('code'),
  };
}

function fields(text: string, separator: string): Map<string, string> {
  const known = new Map<string, string>();
  for (const part of text.split(separator)) {
    const equals = part.indexOf('=');
    if (equals !== -1) known.set(part.slice(0, equals).trim(), unescaped(part.slice(equals + 1).trim()));
  }
  return known;
}

/** The escapes of both systems; `%25` last, so that what it makes is not read again. */
function unescaped(text: string): string {
  return text
    .replace(/%0[AD]/gi, ' ')
    .replace(/%3A/gi, ':')
    .replace(/%2C/gi, ',')
    .replace(/%3B/gi, ';')
    .replace(/%5D/gi, ']')
    .replace(/%(?:25|AZP25)/g, '%')
    .trim();
}
