import type { IncomingMessage, ServerResponse } from 'node:http';

/** The most characters of what a caller wrote that stand in a line. */
const LONGEST = 100;

/** What a caller wrote, as one word on one line. */
const word = (text: string): string => text.slice(0, LONGEST).replace(/[^\x21-\x7e]+/g, '?') || '-';

/**
 * Says one line of each request when it is over: when, who, what, how it ended and how long it took. No header, no query and no
 * argument stands in it, so no secret can.
 */
export function accessLog(write: (line: string) => void) {
  return (req: IncomingMessage, res: ServerResponse): { calls(message: Record<string, unknown>): void } => {
    const began = Date.now();
    let what = '-';
    res.once('close', () => {
      const { method = '', url = '', socket } = req;
      const status = res.headersSent ? res.statusCode : '-';
      const path = word(url.split(/[?#]/, 1)[0] ?? '');
      const whole = res.writableFinished ? '' : ' (cut off)';
      write(
        `${new Date(began).toISOString()} ${socket.remoteAddress ?? '-'} ${word(method)} ${path} ${status} ${Date.now() - began} ms ${what}${whole}`,
      );
    });
    return {
      calls({ method, params }) {
        const { name } = (params ?? {}) as { name?: unknown };
        what = [method, name].flatMap((one) => (typeof one === 'string' ? [word(one)] : [])).join(' ') || '-';
      },
    };
  };
}
