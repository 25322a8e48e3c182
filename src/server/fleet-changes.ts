import { ResourceNotFoundError, type Server, type Transport } from '@modelcontextprotocol/server';
import type { Context } from '../engine/call/context.ts';
import { loadEngine } from './engine.ts';

/** The resource that changes as the fleet does. */
export const FLEET_URI = 'discern://fleet';

/**
 * Tells whoever subscribed that the fleet has changed. There is one for a process, and it watches nothing until somebody wants to hear: a
 * 2025-era client by `resources/subscribe`, a 2026-era one by `subscriptions/listen`.
 */
export class FleetChanges {
  readonly #ctx: Pick<Context, 'projects' | 'serves'>;
  readonly #listeners = new Set<() => void>();
  #wanted = false;
  #stop: (() => void) | undefined;

  constructor(ctx: Pick<Context, 'projects' | 'serves'> = {}) {
    this.#ctx = ctx;
  }

  /** Hears of changes once somebody wants them. Returns what ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.end();
    };
  }

  /** Somebody wants to hear. */
  async start(): Promise<void> {
    if (this.#wanted) return;
    this.#wanted = true;
    const { watchFleet } = await loadEngine();
    // It may have been ended meanwhile, and begun again.
    if (!this.#wanted || this.#stop) return;
    this.#stop = watchFleet(this.#ctx, () => {
      for (const listener of this.#listeners) listener();
    });
  }

  end(): void {
    this.#wanted = false;
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** True of a 2026-era request to hear of changes; the SDK answers it before any server of ours sees it. */
export const asksToListen = (message: unknown): boolean =>
  (message as { method?: unknown } | null)?.method === 'subscriptions/listen';

/** Starts the watching when a client of a connection that is served asks to listen. */
export function startWhenAsked(
  transport: Transport,
  changes: FleetChanges,
  onError: (error: Error) => void,
): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (asksToListen(message)) changes.start().catch(onError);
    onmessage?.(message, extra);
  };
}

/** Tells the client of a connection that the fleet has changed, where it asked for that. */
export function tellOfChanges(server: Server, era: 'legacy' | 'modern', changes: FleetChanges): void {
  // A client that has gone away no longer wants to hear it.
  const tell = () => void server.sendResourceUpdated({ uri: FLEET_URI }).catch(() => undefined);
  // A 2026-era client is told by the SDK, if it listens.
  let stop = era === 'legacy' ? undefined : changes.listen(tell);
  const end = () => {
    stop?.();
    stop = undefined;
  };
  server.onclose = end;
  if (era !== 'legacy') return;
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (uri !== FLEET_URI) {
      throw new ResourceNotFoundError(uri, `${uri} cannot be subscribed to; ${FLEET_URI} can.`);
    }
    stop ??= changes.listen(tell);
    await changes.start();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    if (uri === FLEET_URI) end();
    return {};
  });
}
