import * as z from 'zod';

/** What DSSE calls the content of an in-toto statement. */
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

const Signature = z.object({ keyid: z.string().default(''), sig: z.base64() });
const Envelope = z.object({
  payloadType: z.literal(PAYLOAD_TYPE),
  payload: z.base64(),
  signatures: z.array(Signature).max(20),
});
export type Signature = z.infer<typeof Signature>;

/** An envelope as it was read: its content, what its signatures are over, and these. */
export interface Opened {
  content: unknown;
  signed: Buffer;
  signatures: Signature[];
}

/** What a signature is over: DSSE's pre-authentication encoding, version 1. */
export function signedBytes(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** A statement in its envelope, as one line of JSON. */
export const sealedIn = (payload: Buffer, signatures: readonly Signature[]): string =>
  `${JSON.stringify({ payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures })}\n`;

/** Reads an envelope; `undefined` for whatever is none. */
export function opened(text: string): Opened | undefined {
  try {
    const { payload, signatures } = Envelope.parse(JSON.parse(text));
    const bytes = Buffer.from(payload, 'base64');
    return { content: JSON.parse(bytes.toString('utf8')), signed: signedBytes(bytes), signatures };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}
