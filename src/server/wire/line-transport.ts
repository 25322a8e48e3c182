import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { type Line, LineReader } from './lines.ts';
import {
  type Checked,
  codes,
  type ErrorAnswer,
  errorAnswer,
  idIn,
  LONGEST_MESSAGE,
  readLine,
  tooLong,
} from './message.ts';
import type { MessageId } from './params.ts';

/** What a connection may have read ahead of what is answered, in bytes; then nothing more is read. */
const MOST_WAITING = 8 * 1024 * 1024;

/** Requests of one connection that may be in flight at once, and the bytes they came in; what is beyond is refused. */
const MOST_IN_FLIGHT = { requests: 1_000, bytes: 64 * 1024 * 1024 };

/** Bytes that may wait for a client to read them before it hears of no more events; they are only told. */
const MOST_UNREAD = 4 * 1024 * 1024;

/** Lines handled in one go; then whatever else the process does has its turn, the answers to these among it. */
const AT_ONCE = 64;

/** How long an overlong line may rest before it is answered without its end, in milliseconds. */
const REST_MS = 250;

/**
 * MCP over lines of a stream: stdin and stdout, or a socket. Unlike the SDK's own, no message ends the connection: one that is too
 * long or no message is answered by an error. And it never holds more than it was told to: while a client does not read its
 * answers, or has sent more than is being answered, nothing more is taken from it.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new LineReader(LONGEST_MESSAGE);
  /** What the requests in flight came in, by id. */
  readonly #inFlight = new Map<MessageId, number>();
  #bytesInFlight = 0;
  /** An overlong line that is not over: answered already, or waiting for its end to tell whose it is. */
  #overlong: { answered: boolean; head: Buffer; timer: NodeJS.Timeout | undefined } | undefined;
  #later: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    const [input, output] = [this.#input, this.#output];
    if (input.readableEnded || input.destroyed) setImmediate(this.#onEnd);
    input.on('data', this.#onData);
    input.on('error', this.#onError);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    output.on('drain', this.#take);
    output.on('error', this.#onOutputError);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error('The connection is closed.');
    const { id, method } = message as { id?: MessageId; method?: string };
    if (method === undefined && id !== undefined) this.#answered(id);
    const isEvent = method !== undefined && id === undefined;
    if (isEvent && this.#output.writableLength > MOST_UNREAD) return;
    this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearImmediate(this.#later);
    clearTimeout(this.#overlong?.timer);
    const input = this.#input;
    input.off('data', this.#onData);
    input.off('error', this.#onError);
    input.off('end', this.#onEnd);
    input.off('close', this.#onEnd);
    this.#output.off('drain', this.#take);
    // The listener for the output's errors stays: a write under way may still fail, and that must end nothing.
    if (input.listenerCount('data') === 0) input.pause();
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer) => {
    this.#lines.push(chunk);
    this.#overlong?.timer?.refresh();
    if (this.#later === undefined) this.#take();
    else this.#hold();
  };

  readonly #onEnd = () => {
    this.close().catch(() => undefined);
  };

  readonly #onError = (error: Error) => this.onerror?.(error);

  readonly #onOutputError = (error: Error) => {
    if (this.#closed) return;
    this.onerror?.(error);
    this.#onEnd();
  };

  /** Handles what was read, as far as its answers find room. */
  readonly #take = () => {
    clearImmediate(this.#later);
    this.#later = undefined;
    for (let handled = 0; !this.#closed && !this.#output.writableNeedDrain; handled++) {
      if (handled === AT_ONCE) {
        this.#later = setImmediate(this.#take);
        break;
      }
      const line = this.#lines.next();
      if (line === undefined) break;
      this.#handle(line);
    }
    this.#hold();
  };

  /** Stops reading while too much is waiting, and goes on when it is not. Within that, the end of the input is always seen. */
  #hold(): void {
    if (this.#closed) return;
    const full = this.#lines.waiting > MOST_WAITING;
    if (full !== this.#input.isPaused()) full ? this.#input.pause() : this.#input.resume();
  }

  #handle(line: Line): void {
    if (line.kind === 'overlong') {
      this.#handleOverlong(line);
      return;
    }
    const checked = readLine(line.bytes);
    if (checked !== undefined) this.#handleChecked(checked, line.bytes.length);
  }

  /** An overlong line is answered once: by its first bytes, else by its last, else, where it rests before its end, by neither. */
  #handleOverlong({ head, tail }: { head: Buffer; tail?: Buffer }): void {
    const known = this.#overlong;
    if (tail !== undefined) {
      clearTimeout(known?.timer);
      this.#overlong = undefined;
      if (!known?.answered) this.#refuse(tooLong(head, tail));
      return;
    }
    if (idIn(head) !== null) {
      this.#overlong = { head, answered: true, timer: undefined };
      this.#refuse(tooLong(head));
      return;
    }
    const timer = setTimeout(() => {
      const { answered } = this.#overlong ?? { answered: true };
      if (answered || this.#closed) return;
      this.#overlong = { head, answered: true, timer: undefined };
      this.#refuse(tooLong(head));
    }, REST_MS);
    timer.unref();
    this.#overlong = { head, answered: false, timer };
  }

  #handleChecked(checked: Checked, bytes: number): void {
    if ('ignored' in checked) {
      this.onerror?.(new Error(checked.ignored));
      return;
    }
    if ('answer' in checked) {
      this.#refuse(checked.answer);
      return;
    }
    const { id, method, params } = checked.message as {
      id?: MessageId;
      method?: string;
      params?: Record<string, unknown>;
    };
    if (method !== undefined && id !== undefined) {
      const { requests, bytes: most } = MOST_IN_FLIGHT;
      if (this.#inFlight.size >= requests || this.#bytesInFlight + bytes > most) {
        const busy = `This connection has ${this.#inFlight.size} requests in flight, the most it may have: wait for answers, then send this again.`;
        this.#write(errorAnswer(id, codes.busy, busy));
        return;
      }
      this.#answered(id);
      this.#inFlight.set(id, bytes);
      this.#bytesInFlight += bytes;
    }
    // A request that is cancelled is not answered.
    if (method === 'notifications/cancelled') this.#answered(params?.requestId as MessageId);
    this.onmessage?.(checked.message as unknown as JSONRPCMessage);
  }

  #answered(id: MessageId): void {
    this.#bytesInFlight -= this.#inFlight.get(id) ?? 0;
    this.#inFlight.delete(id);
  }

  #refuse(answer: ErrorAnswer): void {
    this.onerror?.(new Error(answer.error.message));
    this.#write(answer);
  }

  #write(message: JSONRPCMessage | ErrorAnswer): void {
    if (!this.#closed) this.#output.write(`${JSON.stringify(message)}\n`);
  }
}
