import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, type Wire, type WireRequest, wires } from './wires.ts';

/** One turn of a scripted model: a call of one of the client's tools, or the words that end the run. */
export type Turn = Answer | ((heard: Heard) => Answer | Promise<Answer>);

/** What the model has been given when it takes its turn. */
export interface Heard {
  /** The text of the last tool result, as this client gives it to its model. */
  result: string;
  /** The texts of all tool results so far, oldest first. */
  results: string[];
}

/** A language model that plays from a script, on loopback, in the wire format of one client. */
export interface ScriptedModel {
  url: string;
  /** Every request's path and body, as the client sent it. */
  requests: { path: string; body: unknown }[];
  /** The text of each tool result the client has shown its model, oldest first. */
  results(): string[];
  /** How many turns of the script have been played. */
  played(): number;
  close(): Promise<void>;
}

/**
 * Starts a scripted model. Each request of the client's main conversation gets the script's next turn, later ones the word
 * "done"; side requests (titles, quota checks, summaries: whatever offers no tools) get a word and use up no turn.
 */
export async function scriptedModel(wire: Wire, script: Turn[]): Promise<ScriptedModel> {
  const { read, write, aside } = wires[wire];
  const requests: ScriptedModel['requests'] = [];
  let results: string[] = [];
  let played = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const text = await bodyOf(request);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    requests.push({ path, body });
    if (request.method !== 'POST') return void response.writeHead(404).end();
    if (aside?.(path, response)) return;
    const asked: WireRequest = read(path, body);
    // A resumed session takes two calls of one id for the same.
    const id = randomUUID().replaceAll('-', '');
    if (!asked.offersTools) return write(response, { say: 'A short title' }, asked, id);
    results = asked.results;
    const turn = script[played++] ?? { say: 'done' };
    const answer = typeof turn === 'function' ? await turn({ result: results.at(-1) ?? '', results }) : turn;
    write(response, answer, asked, id);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // The client then shows this failure, and the test's words name it.
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    results: () => results,
    played: () => played,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
