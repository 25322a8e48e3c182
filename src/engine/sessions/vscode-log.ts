import { isObject } from '../../contract/values.ts';
import { objectIn } from '../callers/record-file.ts';
import { type Json, objectOf, textOf } from './adapter.ts';
import { GrowingRecords } from './record-lines.ts';

/** A request in a chat, as far as it is looked at. */
export interface ChatRequest {
  key?: string | undefined;
  /** Milliseconds since 1970. */
  at?: number | undefined;
  text?: string | undefined;
  /** VS Code's own number: 0 pending, 1 complete, 2 cancelled, 3 failed, 4 waits for the person. */
  state?: number | undefined;
  /** Of the last request only. */
  parts: Part[];
}

/** A part of an answer: its words, or whether it is a tool that nobody has allowed or denied yet. */
interface Part {
  text?: string | undefined;
  asks?: true;
}

/** What a chat's record comes to. */
export interface Chat {
  title?: string | undefined;
  requests: ChatRequest[];
  /** Lines that were too long to be looked into. */
  skipped: number;
  /** It begins as such a record does. */
  known: boolean;
}

/** Characters of one part that are kept: its last words. */
const MOST_WORDS = 8_000;

const logs = new GrowingRecords<Chat>({
  fresh: () => ({ requests: [], skipped: 0, known: false }),
  copy: (chat) => ({
    ...chat,
    requests: chat.requests.map((one) => ({ ...one, parts: [...one.parts] })),
  }),
  line(chat, line) {
    if (line === undefined) chat.skipped++;
    const entry = line && objectIn(line.toString('utf8'));
    if (entry) applyTo(chat, entry);
  },
  size: ({ requests }) => requests.reduce((sum, { text = '' }) => sum + text.length + 500, 0),
});

/** What a chat's record says by all of its lines. */
export const chatIn = (file: string, signal: AbortSignal): Promise<Chat> => logs.read(file, signal);

/**
 * A line of a record (seen with VS Code 1.139; its `objectMutationLog.ts`): the whole chat (0), a value at a path (1), values behind
 * those of a list, of which what stands from `i` on goes first (2), or a value that goes (3). What is not known changes nothing.
 */
function applyTo(chat: Chat, { kind, k, v, i }: Json): void {
  if (kind === 0 && isObject(v)) {
    const { customTitle, requests, sessionId } = v;
    Object.assign(chat, { title: textOf(customTitle), known: typeof sessionId === 'string' });
    chat.requests = listOf(requests).map(requestOf);
  } else if (chat.known && Array.isArray(k)) {
    changeAt(chat, k, { kind, v, from: Number.isSafeInteger(i) ? (i as number) : undefined });
  }
  // Answers before the last change no more, and nothing is asked of them.
  for (const one of chat.requests.slice(0, -1)) if (one.parts.length > 0) one.parts = [];
}

interface Entry {
  kind: unknown;
  v: unknown;
  from: number | undefined;
}

function changeAt(chat: Chat, k: readonly unknown[], { kind, v, from }: Entry): void {
  const [of, at, member, place] = k;
  if (of === 'customTitle' && k.length === 1) chat.title = textOf(v);
  if (of !== 'requests') return;
  if (k.length === 1 && (kind === 1 || kind === 2)) {
    const kept = kind === 1 ? [] : chat.requests.slice(0, from);
    chat.requests = [...kept, ...listOf(v).map(requestOf)];
  } else if (k.length === 2 && kind === 1 && isPlace(at, chat.requests.length)) {
    chat.requests[at] = requestOf(v);
  } else if (typeof at === 'number' && chat.requests[at] !== undefined) {
    changeRequest(chat.requests[at], { kind, v, from, member, place, whole: k.length === 3 });
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isPlace = (value: unknown, length: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= length;

function requestOf(value: unknown): ChatRequest {
  const { requestId, timestamp, message, modelState, response } = objectOf(value);
  return {
    key: textOf(requestId),
    at: numberOf(timestamp),
    text: wordsOf(message),
    state: numberOf(objectOf(modelState).value),
    parts: listOf(response).map(partOf),
  };
}

interface Change extends Entry {
  member: unknown;
  place: unknown;
  /** The path ends with the member. */
  whole: boolean;
}

function changeRequest(request: ChatRequest, { kind, v, from, member, place, whole }: Change): void {
  if (member === 'modelState' && whole) request.state = numberOf(objectOf(v).value);
  else if (member === 'modelState' && place === 'value') request.state = numberOf(v);
  else if (member === 'message' && whole) request.text = wordsOf(v);
  else if (member === 'response' && whole) {
    const kept = kind === 2 ? request.parts.slice(0, from) : [];
    request.parts = [...kept, ...listOf(v).map(partOf)];
  } else if (member === 'response' && kind === 1 && isPlace(place, request.parts.length)) {
    request.parts[place] = partOf(v);
  }
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

const wordsOf = (message: unknown): string | undefined => textOf(message) ?? textOf(objectOf(message).text);

/** Words have no `kind`; a tool that was allowed or denied says how in `isConfirmed`. */
function partOf(value: unknown): Part {
  const { kind, value: words, isConfirmed } = objectOf(value);
  if (kind === undefined) return { text: textOf(words)?.slice(-MOST_WORDS) };
  return kind === 'toolInvocationSerialized' && isConfirmed === undefined ? { asks: true } : {};
}
