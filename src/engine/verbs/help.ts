import help from '../../../generated/help.json';
import type { Result } from '../../contract/answers.ts';
import type { Args } from '../../contract/verbs.ts';
import { Refusal } from '../call/refusal.ts';
import { nearest } from '../words/nearest.ts';

/**
 * Explains discern: lists the topics, or answers one of them, or what there is on a verb or a refusal. Looks at no project. An
 * unknown topic is `invalid_argument`, with the nearest.
 */
export async function explain(_root: string, args: Args<'help'>): Promise<Result<'help'>> {
  const topics = help.pages.map(({ topic, title, summary }) => ({ topic, title, summary }));
  const asked = args.topic?.trim() ?? '';
  if (asked === '') {
    return {
      ok: true,
      data: { topics },
      message: 'Topics follow; a verb or the error of an answer can be asked for too.',
    };
  }
  const found = helpTopic(named(asked));
  if (!found) {
    const close = nearest(asked, [...topics.map(({ topic }) => topic), ...Object.keys(help.entries)]);
    const meant = close === undefined ? '' : ` Did you mean "${close}"?`;
    throw new Refusal(
      'invalid_argument',
      `There is no help on "${asked.slice(0, 80)}".${meant} Topics: ${topics.map(({ topic }) => topic).join(', ')}; or name a verb, or the error of an answer.`,
      { data: { topics } },
    );
  }
  return {
    ok: true,
    data: { topics, ...found },
    message: `On ${asked}${found.topic === asked ? '' : `, of the topic ${found.topic}`}.`,
  };
}

/** A topic as it is filed: a tool's name stands for its verb, and quotes around it for nothing. */
const named = (asked: string): string => {
  const name = asked.toLowerCase().replace(/^[`'"]+|[`'".]+$/g, '');
  const tool = /^discern[_ ](.+)$/.exec(name)?.[1] ?? name;
  // The one tool that is no verb.
  return tool === 'projects' ? 'remote' : tool;
};

/** What there is on a topic, a verb or a refusal. */
export function helpTopic(name: string): { topic: string; text: string } | undefined {
  const page = help.pages.find(({ topic }) => topic === name);
  if (page) return { topic: page.topic, text: page.text };
  return Object.hasOwn(help.entries, name) ? help.entries[name] : undefined;
}
