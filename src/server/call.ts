import type { AnyEnvelope } from '../contract/answers.ts';
import type { Consent } from '../contract/consent.ts';
import type { Held } from '../contract/data.ts';
import type { VerbEvent } from '../contract/events.ts';
import type { Joining } from '../contract/joining.ts';
import type { Verb } from '../contract/verbs.ts';
import type { CallerKind } from '../contract/window.ts';
import type { ClientKind } from '../engine/index.ts';

/** One call, as whoever takes it from the wire hands it on. */
export interface CallRequest<V extends string = Verb> {
  verb: V;
  args: Record<string, unknown> | undefined;
  signal: AbortSignal;
  emit: (event: VerbEvent) => void;
  client: ClientKind;
  /** Asks the client for its roots, where it declares them. */
  askRoots: (() => Promise<string[]>) | undefined;
  /** Who calls: the conversation the host names, if it does; else the connection's own, which is the window's. */
  conversation?: string | undefined;
  caller?: CallerKind | undefined;
  /** What the client's joiner said of it: it stands elsewhere than this process. */
  joining?: Joining | undefined;
  /** How the person behind the client can be asked; `given` where the person calls. */
  consent?: Consent | 'given' | undefined;
  /** The `_meta` of the request. */
  meta?: Record<string, unknown> | undefined;
  /** By what another request may cancel this one, where they come over connections of their own. */
  exchange?: { session: string; id: string | number } | undefined;
}

/** What is answered, and what the caller then holds. */
export interface Answer<E = AnyEnvelope> {
  envelope: E;
  held: Held | undefined;
}
