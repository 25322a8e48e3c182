import type { IncomingMessage, ServerResponse } from 'node:http';
import { codes, errorAnswer, LONGEST_MESSAGE, readLine, tooLong } from '../wire/message.ts';

/**
 * The message of a request, checked as over stdio and read within bounds. What is none is answered here, in words, and then
 * there is nothing to hand on.
 */
export async function messageOf(
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Record<string, unknown> | undefined> {
  const bytes = await bodyOf(req);
  if (bytes === undefined) return refuse(res, 413, tooLong(Buffer.alloc(0)));
  const checked = readLine(bytes);
  if (checked === undefined) {
    return refuse(res, 400, errorAnswer(null, codes.parse, 'There is no message: send one as the body.'));
  }
  if ('message' in checked) return checked.message;
  if ('ignored' in checked) return refuse(res, 400, errorAnswer(null, codes.request, checked.ignored));
  // A request that is known by its id is answered as one: clients take another status for a broken connection.
  return refuse(res, checked.answer.id === null ? 400 : 200, checked.answer);
}

/** The whole body; `undefined` when it is longer than a message may be, and then the rest is not read. */
async function bodyOf(req: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(req.headers['content-length']) > LONGEST_MESSAGE) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > LONGEST_MESSAGE) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function refuse(res: ServerResponse, status: number, body: object): undefined {
  // What was not read of a body is not waited for.
  const headers = { 'Content-Type': 'application/json', ...(status === 413 && { Connection: 'close' }) };
  res.writeHead(status, headers).end(JSON.stringify(body));
}
