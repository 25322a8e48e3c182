import * as vscode from 'vscode';
import { isWhole } from '../../contract/answers.ts';
import { type Log, words } from '../log.ts';
import type { WindowModel } from '../model.ts';
import type { WindowServer } from '../window-server.ts';

/** Of the time a look takes, how much passes before the next one, so that a large fleet leaves the machine to others. */
const REST = 2;

/** Reads the fleet when the server tells that it has changed. Nothing polls. */
export class FleetSource implements vscode.Disposable {
  readonly #server: WindowServer;
  readonly #model: WindowModel;
  readonly #log: Log;
  readonly #subscription: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;
  #again = false;
  #ended = false;

  constructor(server: WindowServer, model: WindowModel, log: Log) {
    this.#server = server;
    this.#model = model;
    this.#log = log;
    this.#subscription = vscode.Disposable.from(
      model.onDidFinish(() => this.changed()),
      server.onDidChangeState((state) => {
        if (state === 'running') this.#follow();
      }),
    );
  }

  /** The fleet may be another: it is read at once, or when the look that is going on has ended and a while has passed. */
  changed(): void {
    if (this.#ended) return;
    if (this.#timer !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    const began = Date.now();
    this.#timer = setTimeout(() => {
      this.#read()
        .catch((error: unknown) => this.#log.warn(`The fleet could not be read: ${words(error)}`))
        .finally(() => {
          this.#timer = setTimeout(
            () => {
              this.#timer = undefined;
              if (this.#again) this.changed();
            },
            REST * (Date.now() - began),
          );
          if (this.#ended) clearTimeout(this.#timer);
        });
    });
  }

  #follow(): void {
    this.#server
      .client()
      .then((client) => client.followFleet(() => this.changed()))
      .catch((error: unknown) => this.#log.warn(`Changes of the fleet are not told: ${words(error)}`))
      .finally(() => this.changed());
  }

  async #read(): Promise<void> {
    if (this.#server.state !== 'running') return;
    const answer = await (await this.#server.client()).call('fleet', {});
    if (this.#ended) return;
    if (isWhole(answer)) this.#model.setFleet(answer.data);
    else this.#log.warn(`The fleet could not be read: ${answer.message}`);
  }

  dispose(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }
}
