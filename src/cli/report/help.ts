import type { HelpData } from '../../contract/data.ts';
import type { Ink } from '../ink.ts';
import { table } from '../words.ts';

/** A page of the help for a terminal, its headings set off; or the topics there are. */
export function helpLines({ text, topics }: HelpData, ink: Ink): string[] {
  if (text === undefined) {
    const rows = topics.map(({ topic, summary }) => [
      { text: `  ${topic}`, shown: `  ${ink.bold(topic)}` },
      { text: summary },
    ]);
    return [
      'Topics:',
      ...table(rows),
      '',
      '"discern help <topic>" shows one; a verb, or the error of an answer, can be asked for too.',
      '"discern --help" lists the commands.',
    ];
  }
  return text.split('\n').map((line) => (/^#+ /.test(line) ? ink.bold(line.replace(/^#+ /, '')) : line));
}
