import { isObject } from '../../contract/values.ts';
/*
 * The params of a request, checked before the SDK sees them: what it finds wrong in them it says in the words of its schemas.
 */

/** The longest id a request may have, in characters: each answer and each event repeats it. */
export const LONGEST_ID = 1024;

export type MessageId = string | number;

export type Fields = Record<string, unknown>;

export const isId = (value: unknown): value is MessageId =>
  typeof value === 'string' ? value.length <= LONGEST_ID : Number.isSafeInteger(value);

/** Each kind of value, as it is said, and how it is told. */
const kinds = {
  'a string': (value: unknown) => typeof value === 'string',
  'a number': (value: unknown) => typeof value === 'number',
  'true or false': (value: unknown) => typeof value === 'boolean',
  'an object': isObject,
  'an array': Array.isArray,
  [`an integer, or a string of at most ${LONGEST_ID} characters`]: isId,
} as const;

type Kind = keyof typeof kinds;

/** What a member is to be; with members of its own, an object that has them. */
interface Member {
  kind: Kind;
  required?: true;
  members?: Members;
  /** What each value in it is to be, whatever its name. */
  each?: Kind;
}

type Members = Readonly<Record<string, Member>>;

const text: Member = { kind: 'a string' };
const object: Member = { kind: 'an object' };
const needed = (member: Member): Member => ({ ...member, required: true });

const clientInfo: Member = {
  kind: 'an object',
  members: {
    name: needed(text),
    version: needed(text),
    title: text,
    description: text,
    websiteUrl: text,
    icons: { kind: 'an array' },
  },
};

const flag: Member = { kind: 'true or false' };

const capabilities: Member = {
  kind: 'an object',
  members: {
    experimental: { kind: 'an object', each: 'an object' },
    extensions: { kind: 'an object', each: 'an object' },
    roots: { kind: 'an object', members: { listChanged: flag } },
    sampling: { kind: 'an object', members: { context: object, tools: object } },
    elicitation: { kind: 'an object', members: { form: object, url: object } },
    tasks: object,
  },
};

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** What a request of the 2026 era says of its client. */
const envelope: Members = {
  [VERSION]: text,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  'io.modelcontextprotocol/logLevel': text,
};

const relatedTask: Members = {
  'io.modelcontextprotocol/related-task': { kind: 'an object', members: { taskId: needed(text) } },
};

/** What a call brings that follows a question to a person. */
const answered: Members = { inputResponses: object, requestState: text };

const ofMethod: Readonly<Record<string, Members>> = {
  'tools/call': {
    name: needed(text),
    arguments: object,
    task: { kind: 'an object', members: { ttl: { kind: 'a number' } } },
    ...answered,
  },
  'prompts/get': { name: needed(text), arguments: { kind: 'an object', each: 'a string' }, ...answered },
  'resources/read': { uri: needed(text), ...answered },
  initialize: {
    protocolVersion: needed(text),
    capabilities: needed(capabilities),
    clientInfo: needed(clientInfo),
  },
  'subscriptions/listen': {
    notifications: needed({
      kind: 'an object',
      members: {
        toolsListChanged: flag,
        promptsListChanged: flag,
        resourcesListChanged: flag,
        resourceSubscriptions: { kind: 'an array', each: 'a string' },
      },
    }),
  },
};

const paged: Members = { cursor: text };

/** What is wrong with a message's params, in words. Members that are null where none is meant count as left out. */
export function problemInParams(method: string, params: unknown): string | undefined {
  if (!isObject(params)) return '"params" is an object, or left out.';
  for (const name of ['_meta', 'arguments', 'cursor']) dropNull(params, name);
  const { _meta: meta } = params;
  if (meta !== undefined && !isObject(meta)) return '"_meta" is an object, or left out.';
  if (meta) dropNull(meta, 'progressToken');
  const newer = meta !== undefined && VERSION in meta;
  const wrong = wrongIn(meta ?? {}, {
    progressToken: { kind: `an integer, or a string of at most ${LONGEST_ID} characters` },
    ...relatedTask,
    ...(newer && envelope),
  });
  // The newer era has no such method, and is told so.
  if (!(newer && method === 'initialize')) {
    wrong.push(...wrongIn(params, Object.hasOwn(ofMethod, method) ? (ofMethod[method] ?? {}) : paged));
  }
  return wrong.length === 0 ? undefined : `${wrong.join(', ')}.`;
}

/** Each member that is not what it is to be, as `"name" is a string`. */
function wrongIn(of: Fields, members: Members, at: readonly string[] = []): string[] {
  return Object.entries(members).flatMap(([name, { kind, required, members: inner, each }]) => {
    const value = of[name];
    const path = [...at, name];
    if (value === undefined && !required) return [];
    if (!kinds[kind](value)) return [`${said(path)} is ${kind}`];
    if (each !== undefined) {
      const strange = Object.entries(value as Fields).find(([, one]) => !kinds[each](one));
      return strange === undefined ? [] : [`${said([...path, strange[0]])} is ${each}`];
    }
    return inner === undefined ? [] : wrongIn(value as Fields, inner, path);
  });
}

/** A member's path; a caller has a hand in its last part. */
const said = (path: readonly string[]) => `"${path.map((part) => part.slice(0, 100)).join('.')}"`;

export function dropNull(of: Fields, name: string): void {
  if (of[name] === null) delete of[name];
}
