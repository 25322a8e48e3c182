import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Consent } from '../contract/consent.ts';
import type { ClientKind } from '../engine/index.ts';
import type { Declared } from './app.ts';

/** How long a person may take to answer, in seconds. */
const PATIENCE_S = 24 * 60 * 60;

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
  const unfilled = answersAlone.has(client) && answer.content?.[FIELD] !== true;
  return {
    canAsk,
    said: { subject, answer: answer.action === 'accept' && unfilled ? 'cancel' : answer.action },
  };
}

/** The question as an answer of the protocol: the client asks its person, and calls again with what they said. */
export const asking = async (
  { subject, question }: NonNullable<Consent['asks']>,
  seal: Seal,
  client: ClientKind,
) =>
  inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: question,
        requestedSchema: answersAlone.has(client)
          ? {
              type: 'object',
              properties: { [FIELD]: { type: 'boolean', title: 'Yes, do it' } },
              required: [FIELD],
            }
          : { type: 'object', properties: {} },
      }),
    },
    requestState: await seal.mint(subject),
  });
