import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { inPlainWords } from '../wire/plain-words.ts';

/** How an answer may come: as a stream of events, or as one JSON text. */
export type Form = 'stream' | 'json';

const STREAM = 'text/event-stream';
const JSON_TEXT = 'application/json';

/** What the SDK wants to read, whatever the client wrote. */
const BOTH = `${JSON_TEXT}, ${STREAM}`;

/**
 * What an Accept header asks for (RFC 9110, section 12.5.1): a stream where it is named and nothing is liked better, else JSON.
 * No header accepts everything. `undefined` where neither will do.
 */
export function formFor(accept: string | null): Form | undefined {
  const ranges = (accept ?? '').split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    if (range === '') return [];
    const weight = parameters.find((one) => /^q\s*=/.test(one))?.replace(/^q\s*=\s*/, '');
    const q =
      weight === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
    return [{ range, q }];
  });
  if (ranges.length === 0) return 'json';
  // The most specific range decides.
  const liked = (type: string) =>
    [type, `${type.split('/')[0]}/*`, '*/*']
      .map((wanted) => ranges.find(({ range }) => range === wanted)?.q)
      .find((q) => q !== undefined) ?? 0;
  const [stream, json] = [liked(STREAM), liked(JSON_TEXT)];
  const named = ranges.some(({ range }) => range === STREAM);
  if (stream > 0 && (json === 0 || (named && stream >= json))) return 'stream';
  return json > 0 ? 'json' : undefined;
}

type Handler = Pick<McpHttpHandler, 'fetch'>;

/** Answers in the form the client accepts, and errors in sentences: the SDK puts dumps of its schemas into some. */
export function accepting(handler: Handler): Handler {
  return {
    async fetch(request, options) {
      if (request.method !== 'POST') return inWords(await handler.fetch(request, options));
      const form = formFor(request.headers.get('accept'));
      if (form === undefined) {
        const message = `Answers are ${JSON_TEXT} or ${STREAM}: accept one of them.`;
        const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
        return Response.json(body, { status: 406 });
      }
      const headers = new Headers(request.headers);
      headers.set('accept', BOTH);
      const response = await handler.fetch(new Request(request, { headers }), options);
      if (!isOf(response, STREAM)) return inWords(response);
      return form === 'stream' || response.body === null ? response : asJson(response, response.body);
    },
  };
}

const isOf = (response: Response, type: string) =>
  response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type;

async function inWords(response: Response): Promise<Response> {
  if (response.ok || !isOf(response, JSON_TEXT)) return response;
  const body = (await response.json()) as { error?: { message?: unknown } };
  if (typeof body.error?.message === 'string') body.error.message = inPlainWords(body.error.message);
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return Response.json(body, { status: response.status, headers });
}

/**
 * The answer in a stream of events, as one JSON text; what is told on the way has no place in it. While the call runs each sign
 * of life is a blank, which JSON allows before a value, so that nobody on the way takes the connection for dead.
 */
function asJson(response: Response, events: ReadableStream<Uint8Array>): Response {
  const reader = events.getReader();
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let text = '';
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const parts = text.split(/\r?\n\r?\n/);
      text = done ? '' : (parts.pop() ?? '');
      const answer = parts.map(answerIn).find((one) => one !== undefined);
      if (answer === undefined && !done) {
        controller.enqueue(encoder.encode(' '));
        return;
      }
      controller.enqueue(encoder.encode(answer ?? UNANSWERED));
      controller.close();
      await reader.cancel();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const headers = new Headers(response.headers);
  headers.set('content-type', JSON_TEXT);
  return new Response(body, { status: response.status, headers });
}

const UNANSWERED =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"The call ended without an answer: call again."}}';

/** The answer an event holds, if it is one. */
function answerIn(event: string): string | undefined {
  const data = event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
    .join('\n');
  if (data === '') return undefined;
  const message = JSON.parse(data) as Record<string, unknown>;
  return 'result' in message || 'error' in message ? data : undefined;
}
