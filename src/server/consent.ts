import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Consent } from '../contract/consent.ts';
import type { ClientKind } from '../engine/index.ts';
import type { Declared } from './app.ts';

/** How long a person may take to answer, in seconds. */
const PATIENCE_S = 24 * 60 * 60;

/** How long a client may take that asks over its connection: the call waits that long. */
const IN_TIME_MS = 10 * 60 * 1000;

/**
 * Seals what was asked, so that only what this server asked comes back with an answer. `key` has 32 bytes, the same in every
 * process that may be asked again.
 */
export const sealOf = (key: Uint8Array) => createRequestStateCodec<string>({ key, ttlSeconds: PATIENCE_S });

export type Seal = ReturnType<typeof sealOf>;

/** The one question of a call, by its name in the protocol. */
const QUESTION = 'consent';

/**
 * Clients that say yes for their person to a question without fields, where their own settings ask nobody. One with a field that has to be
 * filled in they leave to the person, or decline.
 */
const answersAlone: ReadonlySet<ClientKind> = new Set<ClientKind>(['codex']);

/** The field of such a question. */
const FIELD = 'confirmed';

/** How the person behind a call can be asked, and what they said when this call is the one that follows the question. */
export function consentOf(ctx: ServerContext, declared: Declared | undefined, client: ClientKind): Consent {
  const elicitation = declared?.elicitation;
  // Without a mode it is a form's: that was the only one at first.
  const canAsk =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  const answer = inputResponse(ctx.mcpReq.inputResponses, QUESTION);
  const subject = ctx.mcpReq.requestState<string>();
  if (answer.kind !== 'elicit' || typeof subject !== 'string') return { canAsk };
  return { canAsk, said: { subject, answer: answerOf(answer.action, answer.content, client) } };
}

type Asks = NonNullable<Consent['asks']>;

/** The question as a form: without fields, but for clients that answer such a one themselves. */
const formOf = ({ question }: Asks, client: ClientKind) => ({
  message: question,
  requestedSchema: answersAlone.has(client)
    ? {
        type: 'object' as const,
        properties: { [FIELD]: { type: 'boolean' as const, title: 'Yes, do it' } },
        required: [FIELD],
      }
    : { type: 'object' as const, properties: {} },
});

/**
 * Asks over a connection of the 2025 era, which has a request for it, and resolves with what the person said. A client that answers
 * by an error, by nothing that is an answer, or not in time has asked nobody. Rejects only when the call itself has ended.
 */
export async function asked(
  asks: Asks,
  server: Server,
  ctx: ServerContext,
  client: ClientKind,
): Promise<Consent> {
  const { signal, id } = ctx.mcpReq;
  const { subject } = asks;
  try {
    const params = { mode: 'form' as const, ...formOf(asks, client) };
    const { action, content } = await server.request(
      { method: 'elicitation/create', params },
      {
        relatedRequestId: id,
        signal,
        timeout: IN_TIME_MS,
        resetTimeoutOnProgress: true,
        onprogress: () => undefined,
      },
    );
    return { canAsk: true, said: { subject, answer: answerOf(action, content, client) } };
  } catch (error) {
    if (signal.aborted) throw error;
    return { canAsk: true, said: { subject, answer: 'unasked' } };
  }
}

/** A yes of a client that may have given it by itself is one only with the field filled in. */
const answerOf = (
  action: 'accept' | 'decline' | 'cancel',
  content: Record<string, unknown> | undefined,
  client: ClientKind,
) => (action === 'accept' && answersAlone.has(client) && content?.[FIELD] !== true ? 'cancel' : action);

/** The question as an answer of the protocol: the client asks its person, and calls again with what they said. */
export const asking = async (asks: Asks, seal: Seal, client: ClientKind) =>
  inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicit(formOf(asks, client)) },
    requestState: await seal.mint(asks.subject),
  });
