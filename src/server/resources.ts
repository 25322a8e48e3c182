import topics from 'virtual:help-topics';
import { loadEngine } from './engine.ts';
import type { Answer, Session } from './session.ts';

/** The server's resources: what it holds, where that stands, how the project is set up, and the topics of the help. */
export const resources = [
  {
    uri: 'discern://root',
    name: 'root',
    title: 'Held root',
    description: 'The root this server holds, how it was found, and each candidate that was tried.',
    mimeType: 'application/json',
  },
  {
    uri: 'discern://status',
    name: 'status',
    title: 'Status of the held root',
    description: 'What discern_status answers for the held root.',
    mimeType: 'application/json',
  },
  {
    uri: 'discern://config',
    name: 'config',
    title: 'The project’s configuration',
    description: 'discern.toml of the held root as discern reads it, defaults filled in.',
    mimeType: 'application/json',
  },
  ...topics.map(({ topic, title, summary }) => ({
    uri: `discern://help/${topic}`,
    name: `help-${topic}`,
    title: `Help: ${title}`,
    description: summary,
    mimeType: 'text/markdown',
  })),
];

/** Reads one resource, the help as Markdown and all others as JSON text; `undefined` for a URI that is none of ours. */
export async function readResource(
  uri: string,
  session: Session,
  status: () => Promise<Answer>,
  askRoots: (() => Promise<string[]>) | undefined,
): Promise<string | undefined> {
  switch (uri) {
    case 'discern://root':
      return json(await (await session.held(askRoots)).describe());
    case 'discern://status':
      return json((await status()).envelope);
    case 'discern://config':
      return json(await config(session, askRoots));
    default:
      return uri.startsWith(helpPrefix) ? helpOn(uri.slice(helpPrefix.length)) : undefined;
  }
}

const helpPrefix = 'discern://help/';

async function helpOn(topic: string): Promise<string | undefined> {
  const { helpTopic } = await loadEngine();
  return helpTopic(topic)?.text;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

async function config(session: Session, askRoots: (() => Promise<string[]>) | undefined): Promise<unknown> {
  const { loadConfig, refused } = await loadEngine();
  const { root: held } = await session.held(askRoots);
  try {
    const root = await session.root(askRoots);
    return { root, ...(await loadConfig(root)) };
  } catch (error) {
    return refused('config', held ?? undefined, error);
  }
}
