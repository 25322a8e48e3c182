import { SaxesParser } from 'saxes';
import { type DocumentShape, type Finding, position, severityOf } from '../finding.ts';

type Attributes = Readonly<Record<string, string>>;

/** An XML report of findings: how its elements are called. */
interface Dialect {
  root: string;
  tool: string | undefined;
  read: (name: string, own: Attributes, file: string | undefined) => Omit<Finding, 'at'> | undefined;
  /** The element that names the file of those inside it, and its attribute. */
  file: readonly [element: string, attribute: string];
}

const dialects: readonly Dialect[] = [
  {
    root: 'checkstyle',
    tool: undefined,
    file: ['file', 'name'],
    read: (name, own, file) =>
      name !== 'error'
        ? undefined
        : {
            severity: severityOf(own.severity),
            message: own.message ?? '',
            file,
            line: position(own.line),
            column: position(own.column),
            rule: shortened(own.source),
            tool: checkstyleTool(own.source),
          },
  },
  {
    root: 'pmd',
    tool: 'pmd',
    file: ['file', 'name'],
    read: (name, own, file) =>
      name !== 'violation'
        ? undefined
        : {
            severity: Number(own.priority ?? 1) <= 2 ? 'error' : 'warning',
            message: '',
            file,
            line: position(own.beginline),
            column: position(own.begincolumn),
            endLine: position(own.endline),
            endColumn: own.endcolumn === undefined ? undefined : Number(own.endcolumn) + 1,
            rule: own.rule,
            ruleUrl: own.externalInfoUrl,
          },
  },
  {
    root: 'issues',
    tool: 'lint',
    file: ['none', 'none'],
    read: (name, own) =>
      name === 'issue' && own.id !== undefined
        ? { severity: severityOf(own.severity), message: own.message ?? '', rule: own.id, ruleUrl: own.url }
        : undefined,
  },
  {
    root: 'results',
    tool: 'cppcheck',
    file: ['none', 'none'],
    read: (name, own) =>
      name === 'error' && own.id !== undefined && own.msg !== undefined
        ? { severity: cppcheckSeverity(own.severity), message: own.msg, rule: own.id }
        : undefined,
  },
];

const opening = /<(?:checkstyle|pmd|issues|results)[\s>]/g;
const chunk = 16_384;
const maxBroken = 1000;
const maxMessage = 2000;
const maxDocuments = 50;

/** Checkstyle's XML, which many linters write, PMD's, Android lint's and cppcheck's. */
export const xmlReports: DocumentShape = (text) => {
  const findings: Finding[] = [];
  const parts: string[] = [];
  let from = 0;
  let seen = 0;
  for (const found of text.matchAll(opening)) {
    if (found.index < from || ++seen > maxDocuments) continue;
    const name = found[0].slice(1, -1);
    const dialect = dialects.find(({ root }) => root === name);
    const closing = text.indexOf(`</${name}>`, found.index);
    if (dialect === undefined || closing === -1) continue;
    const to = closing + name.length + 3;
    const read = readDocument(text.slice(found.index, to), dialect);
    if (read === undefined) continue;
    for (const finding of read) findings.push(finding);
    parts.push(text.slice(from, found.index).replace(/<\?xml[^>]{0,200}>\s*$/, ''), '\n');
    from = to;
  }
  return parts.length === 0
    ? { findings, rest: text }
    : { findings, rest: parts.join('') + text.slice(from) };
};

/** The findings of one document; undefined where it is another kind of XML. */
function readDocument(xml: string, dialect: Dialect): Finding[] | undefined {
  const findings: Finding[] = [];
  const parser = new SaxesParser({ fragment: true, position: false, xmlns: false } as const);
  let file: string | undefined;
  let current: Finding | undefined;
  let known = dialect.root === 'checkstyle' || dialect.root === 'pmd';
  let broken = 0;
  parser.on('error', () => {
    broken++;
  });
  const say = (words: string) => {
    if (current !== undefined && dialect.root === 'pmd' && current.message.length < maxMessage)
      current.message += words;
  };
  parser.on('text', say);
  parser.on('cdata', say);
  parser.on('opentag', ({ name, attributes }) => {
    const [element, attribute] = dialect.file;
    if (name === element) file = attributes[attribute];
    const read = dialect.read(name, attributes, file);
    if (read !== undefined) {
      current = { tool: dialect.tool, ...read, at: findings.length };
      findings.push(current);
      known = true;
    } else if (name === 'location' && current !== undefined) locate(current, attributes);
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'violation' && current !== undefined) current.message = current.message.trim();
    if (name === 'violation' || name === 'issue' || name === 'error') current = undefined;
  });
  for (let from = 0; from < xml.length && broken < maxBroken; from += chunk)
    parser.write(xml.slice(from, from + chunk));
  return known ? findings : undefined;
}

/** The first place is the finding's own, the others are related to it. */
function locate(finding: Finding, { file, line, column, info }: Attributes): void {
  if (file === undefined) return;
  const place = { file, line: position(line), column: position(column) };
  if (finding.file === undefined) Object.assign(finding, place);
  else finding.related = [...(finding.related ?? []), { message: info ?? 'See here.', ...place }];
}

function cppcheckSeverity(word: string | undefined): Finding['severity'] {
  return word === 'error' ? 'error' : word === 'information' ? 'info' : 'warning';
}

const sources: readonly (readonly [RegExp, string])[] = [
  [/^eslint\./, 'eslint'],
  [/^com\.puppycrawl\./, 'checkstyle'],
  [/^ShellCheck\./, 'shellcheck'],
  [/^detekt\./, 'detekt'],
  [/^stylelint\./, 'stylelint'],
  [/^(?:Squiz|PSR\d{1,2}|Generic|PEAR|Zend|WordPress|SlevomatCodingStandard|Drupal)\./, 'phpcs'],
  [/^[\w-]{1,30}\([\w@/-]{1,80}\)$/, 'oxlint'],
];

function checkstyleTool(source: string | undefined): string | undefined {
  return source === undefined ? undefined : sources.find(([pattern]) => pattern.test(source))?.[1];
}

/** `eslint.rules.no-undef` and `com.puppycrawl.….FinalClassCheck` without what every rule has. */
function shortened(source: string | undefined): string | undefined {
  if (source === undefined || source === '') return undefined;
  const [pattern] = sources.find(([known]) => known.test(source)) ?? [];
  if (pattern === undefined) return source;
  return source.startsWith('com.puppycrawl.')
    ? source.slice(source.lastIndexOf('.') + 1).replace(/Check$/, '')
    : source.replace(/^(?:eslint\.rules\.|(?:ShellCheck|detekt|stylelint)\.(?:rules\.)?)/, '');
}
