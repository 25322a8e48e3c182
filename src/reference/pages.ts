import type { Help, HelpPage } from '../contract/help.ts';
import { keyReference, settingsReference } from './keys.ts';
import { verbReference } from './verbs.ts';

/** What stands between the marks of a page, made from the sources the product itself is made from. */
const generators: Record<string, () => string> = {
  config: keyReference,
  settings: settingsReference,
  verbs: verbReference,
};

const marks = /<!-- generated -->\n[\s\S]*<!-- end -->\n?/;

/** A page of `docs/help` with its generated part as it must be now. */
export function withGenerated(topic: string, source: string): string {
  const make = generators[topic];
  return make ? source.replace(marks, () => `<!-- generated -->\n\n${make()}\n\n<!-- end -->\n`) : source;
}

/** The order topics are listed in; a page that is not named comes last. */
const order = [
  'roots',
  'gate',
  'reuse',
  'landing',
  'queueing',
  'fleet',
  'notes',
  'agents',
  'parking',
  'verbs',
  'config',
  'settings',
  'refusals',
  'setup',
  'hooks',
  'vscode',
  'remote',
  'troubleshooting',
];

/**
 * The help the product carries, from the texts of `docs/help` by topic. Each begins with a title and a summary of one line.
 * Runs when the product is built.
 */
export function buildHelp(sources: Record<string, string>): Help {
  const place = (topic: string) => (order.includes(topic) ? order.indexOf(topic) : order.length);
  const pages = Object.entries(sources)
    .map(([topic, source]) => page(topic, source))
    .toSorted((a, b) => place(a.topic) - place(b.topic));
  return { pages, entries: entriesOf(pages) };
}

function page(topic: string, source: string): HelpPage {
  const text = withGenerated(topic, source)
    .replace(/<!-- (?:generated|end) -->\n*/g, '')
    .trim();
  const [, title, summary] = /^# (.+)\n\n(.+)\n/.exec(text) ?? [];
  if (!title || !summary)
    throw new Error(`docs/help/${topic}.md must begin with a title and a line that sums it up.`);
  return { topic, title, summary, text };
}

/** What can be asked for by name within a page: a verb, and a refusal. */
function entriesOf(pages: readonly HelpPage[]): Help['entries'] {
  const entries: Help['entries'] = {};
  const textOf = (topic: string) => pages.find((one) => one.topic === topic)?.text ?? '';
  for (const [section, verb = ''] of textOf('verbs').matchAll(/^## (\S+)\n[\s\S]*?(?=\n## |(?![\s\S]))/gm)) {
    entries[verb] = { topic: 'verbs', text: section.replace('## ', '# ').trim() };
  }
  for (const [, slug = '', means, next] of textOf('refusals').matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)) {
    entries[slug] = { topic: 'refusals', text: `# ${slug}\n\nMeans: ${means}.\n\nDo: ${next}.` };
  }
  return entries;
}
