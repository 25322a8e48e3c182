type Ask = () => Promise<string[]>;

/**
 * A client's roots, asked once for calls that come together. A client that declares roots and does not answer is not asked
 * again: each of its calls would wait for it.
 */
export class ClientRoots {
  #asking: Promise<string[]> | undefined;
  #silent = false;

  /** Wraps what asks a call's client; `undefined` where there is nobody to ask. */
  of(ask: Ask | undefined): Ask | undefined {
    if (ask === undefined || this.#silent) return undefined;
    return () => {
      this.#asking ??= ask()
        .catch((error: unknown) => {
          this.#silent = true;
          throw error;
        })
        .finally(() => {
          this.#asking = undefined;
        });
      return this.#asking;
    };
  }
}
