import { isObject } from '../../contract/values.ts';
/*
 * What a client sent, checked before the SDK sees it: the SDK answers a message of the wrong shape with a dump of its schemas, or
 * not at all. What is refused here is answered in a sentence, and the connection lives.
 */

import { dropNull, type Fields, isId, LONGEST_ID, type MessageId, problemInParams } from './params.ts';

/** The longest message a caller may send, in bytes; ours are short, and a `discern.toml` to check is at most 1 MiB. */
export const LONGEST_MESSAGE = 4 * 1024 * 1024;

/** How deep arrays and objects may lie in each other. Nothing MCP defines comes near it. */
const DEEPEST = 128;

export const codes = { parse: -32_700, request: -32_600, params: -32_602, busy: -32_000 } as const;

/** A JSON-RPC error answer. Without a request it is about, the id is null (JSON-RPC 2.0, section 5). */
export interface ErrorAnswer {
  jsonrpc: '2.0';
  id: MessageId | null;
  error: { code: number; message: string };
}

export const errorAnswer = (id: MessageId | null, code: number, message: string): ErrorAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** A message of the right shape, the answer to one that is not, or why one is passed over that nobody waits for. */
export type Checked = { message: Record<string, unknown> } | { answer: ErrorAnswer } | { ignored: string };

/** Reads one line. Empty ones, of blanks only, are nothing and answered by nothing. */
export function readLine(bytes: Buffer): Checked | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    return refuse(idIn(bytes), codes.parse, 'This message is not UTF-8.');
  }
  if (text === '') return undefined;
  if (isTooDeep(bytes)) return refuse(idIn(bytes), codes.request, tooDeep);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(null, codes.parse, 'This line is not JSON: send one JSON-RPC message on each line.');
  }
  return checkMessage(value);
}

const tooDeep = `This message is nested deeper than ${DEEPEST} levels, which none of MCP is.`;

/** The answer to a message that is too long, as far as its two ends say which request it was. */
export function tooLong(head: Buffer, tail?: Buffer): ErrorAnswer {
  const mib = LONGEST_MESSAGE / 1024 / 1024;
  return errorAnswer(
    idIn(head, tail),
    codes.request,
    `This message is longer than ${mib} MiB, the most that is read: send less at once.`,
  );
}

/**
 * The id of a request by the two ends of its text, where that is certain: among the first members, or the very last one. Never
 * that of a message that may be an answer to us, since its id would be one of ours.
 */
export function idIn(head: Buffer, tail: Buffer = head): MessageId | null {
  const start = /^\s*\{((?:\s*"(?:jsonrpc|method|id)"\s*:\s*(?:"[^"\\]{0,1024}"|-?\d{1,15})\s*[,}])*)/.exec(
    head.toString('latin1'),
  )?.[1];
  if (start === undefined || !/"method"\s*:\s*"/.test(start)) return null;
  const value = '("[^"\\\\\\x80-\\xff]{0,256}"|-?\\d{1,15})';
  const found =
    new RegExp(`"id"\\s*:\\s*${value}\\s*[,}]`).exec(start) ??
    new RegExp(`[,{]\\s*"id"\\s*:\\s*${value}\\s*\\}\\s*$`).exec(tail.toString('latin1'));
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as MessageId);
}

/** True when brackets outside of strings lie deeper than anything may. Reads bytes: no text has been made an object yet. */
export function isTooDeep(bytes: Uint8Array): boolean {
  if (bytes.length <= DEEPEST) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEEPEST) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

const refuse = (id: MessageId | null, code: number, message: string): Checked => ({
  answer: errorAnswer(id, code, message),
});

/** Checks a message's shape (JSON-RPC 2.0, MCP). Members that are null where none is meant count as left out. */
export function checkMessage(value: unknown): Checked {
  if (Array.isArray(value)) {
    return refuse(null, codes.request, 'MCP has no batches: send each message on its own.');
  }
  if (!isObject(value)) return refuse(null, codes.request, 'A message is a JSON object.');
  const { id } = value;
  if (!('method' in value)) return checkAnswer(value);
  if ('id' in value && !isId(id)) {
    return refuse(
      null,
      codes.request,
      `The id of a request is an integer, or a string of at most ${LONGEST_ID} characters.`,
    );
  }
  const problem = problemIn(value);
  if (problem === undefined) return { message: value };
  if (id === undefined) return { ignored: `A notification was passed over: ${problem.message}` };
  return refuse(id as MessageId, problem.code, problem.message);
}

/** An answer to a request of ours. One of the wrong shape is not answered in turn, and whoever waits for it hears of an error. */
function checkAnswer(value: Fields): Checked {
  const { id, result, error } = value;
  if (result === undefined && error === undefined) {
    return refuse(
      isId(id) ? id : null,
      codes.request,
      'A message has a method, or is an answer and has a result or an error.',
    );
  }
  const fits =
    value.jsonrpc === '2.0' &&
    isId(id) &&
    (error === undefined
      ? isObject(result)
      : isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string');
  if (fits) return { message: value };
  return isId(id)
    ? { message: { ...errorAnswer(id, codes.request, 'The answer was of the wrong shape.') } }
    : { ignored: 'An answer of the wrong shape was passed over.' };
}

interface Problem {
  code: number;
  message: string;
}

function problemIn(message: Fields): Problem | undefined {
  const { jsonrpc, method } = message;
  if (jsonrpc !== '2.0') return { code: codes.request, message: 'A message says "jsonrpc": "2.0".' };
  if (typeof method !== 'string') return { code: codes.request, message: 'A method is a string.' };
  dropNull(message, 'params');
  const { params } = message;
  const said = params === undefined ? problemInParams(method, {}) : problemInParams(method, params);
  return said === undefined
    ? undefined
    : { code: codes.params, message: `Invalid params for ${method.slice(0, 100)}: ${said}` };
}
