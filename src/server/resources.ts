import topics from '../../generated/help-topics.json';
import { brief } from './brief.ts';
import { loadEngine } from './engine.ts';
import { FLEET_URI } from './fleet-changes.ts';
import type { Answer, Session } from './session.ts';

interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
}

/** Resources a server offers. */
export interface Resources {
  listed: readonly Resource[];
  /** Reads one, the help as Markdown and all others as JSON text; `undefined` for a URI that is none of these. */
  read(
    uri: string,
    ask: (verb: 'status' | 'fleet') => Promise<Answer>,
    askRoots: (() => Promise<string[]>) | undefined,
  ): Promise<string | undefined>;
}

/** The topics of the help. */
const topicResources: readonly Resource[] = topics.map(({ topic, title, summary }) => ({
  uri: `discern://help/${topic}`,
  name: `help-${topic}`,
  title: `Help: ${title}`,
  description: summary,
  mimeType: 'text/markdown',
}));

/** What a server holds, where that stands, and how the project is set up. */
const rootResources: readonly Resource[] = [
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
];

const fleetResource: Resource = {
  uri: FLEET_URI,
  name: 'fleet',
  title: 'The fleet',
  description: 'What discern_fleet answers. It can be subscribed to.',
  mimeType: 'application/json',
};

const fleetText = async (ask: (verb: 'fleet') => Promise<Answer>) =>
  json(brief((await ask('fleet')).envelope));

/** The resources of a server without a held root: the fleet it serves, and the topics of the help. */
export const remoteResources: Resources = {
  listed: [fleetResource, ...topicResources],
  read: (uri, ask) => (uri === FLEET_URI ? fleetText(ask) : helpOn(uri)),
};

/** The resources of a server that holds a root. */
export function sessionResources(session: Session): Resources {
  return {
    listed: [...rootResources, fleetResource, ...topicResources],
    async read(uri, ask, askRoots) {
      switch (uri) {
        case 'discern://root':
          return json(await (await session.held(askRoots)).describe());
        case 'discern://status':
          return json((await ask('status')).envelope);
        case FLEET_URI:
          return fleetText(ask);
        case 'discern://config':
          return json(await config(session, askRoots));
        default:
          return helpOn(uri);
      }
    },
  };
}

const helpPrefix = 'discern://help/';

async function helpOn(uri: string): Promise<string | undefined> {
  if (!uri.startsWith(helpPrefix)) return undefined;
  const { helpTopic } = await loadEngine();
  return helpTopic(uri.slice(helpPrefix.length))?.text;
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
