import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { codes } from './message.ts';

/** An error's words without those of the SDK's schemas: which member, and what it is to be. */
export function inPlainWords(message: string): string {
  return message
    .split(/(?=\[\s*\{)/)
    .map(withoutDump)
    .join('')
    .replace(/(?:"?([\w./-]+)"?: )?Invalid input: expected (\w+), received \w+/g, (_, name, kind) => {
      const what = `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
      return name === undefined ? `a member that is to be ${what} is none` : `"${name}" is ${what}`;
    });
}

/** A list of issues as sentences; anything else as it is. */
function withoutDump(part: string): string {
  if (!/^\[\s*\{/.test(part)) return part;
  try {
    const issues = JSON.parse(part) as { path?: (string | number)[]; message?: string }[];
    const said = issues.map(({ path = [], message: what = 'is wrong' }) =>
      [path.join('.'), what].filter((one) => one !== '').join(': '),
    );
    return `${said.join('; ')}.`;
  } catch {
    return part;
  }
}

type ErrorMessage = Extract<JSONRPCMessage, { error: unknown }>;

/** Has a server's errors be sentences over this connection, before the server is connected to it. */
export function withPlainErrors(transport: Transport): void {
  let arriving: { id: RequestId; method: string } | undefined;
  const start = transport.start.bind(transport);
  transport.start = () => {
    const heard = transport.onmessage;
    // A method there is not is answered at once, while its request arrives.
    if (heard) {
      transport.onmessage = (message, extra) => {
        arriving = 'method' in message && 'id' in message ? message : undefined;
        heard(message, extra);
        arriving = undefined;
      };
    }
    return start();
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('error' in message) plain(message, arriving);
    return send(message, options);
  };
}

function plain({ id, error }: ErrorMessage, arriving: { id: RequestId; method: string } | undefined): void {
  if (error.code === NO_METHOD && arriving !== undefined && arriving.id === id) {
    error.message = `This server has no method "${arriving.method.slice(0, 100)}".`;
    return;
  }
  if (error.message === 'Invalid or expired requestState') {
    error.message = 'The "requestState" is none this server made, or is too old: call again without it.';
  }
  // Params that do not fit are the caller's doing, whoever in the SDK finds it.
  if (error.code === INTERNAL && /"path":\s*\[\s*"params"/.test(error.message)) error.code = codes.params;
  error.message = inPlainWords(error.message);
}

const NO_METHOD = -32_601;
const INTERNAL = -32_603;
