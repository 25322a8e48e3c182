import * as vscode from 'vscode';
import { type AnswerOf, type AnyEnvelope, isWhole } from '../contract/answers.ts';
import type { Held, StatusData } from '../contract/data.ts';
import { type Divergence, divergenceOf } from '../contract/divergence.ts';
import type { GateRunView, PastRun } from '../contract/gate-view.ts';
import { traits } from '../contract/traits.ts';
import type { FleetData } from '../contract/verbs-fleet.ts';
import type { WindowEvent } from '../contract/window.ts';
import type { WindowFolder } from './folders.ts';
import { RunBuilder } from './run-builder.ts';
import { RunHistory } from './run-history.ts';
import type { ServerState } from './server-keeper.ts';

/** Everything the views show, in one place. */
export interface WindowView {
  server: ServerState;
  held: Held | undefined;
  /** The held root's status; absent while it is not read, or cannot be. */
  status: StatusData | undefined;
  /** Every project and worktree of this user, as last read. */
  fleet: FleetData | undefined;
  /** Why there is no status, in the server's words. */
  problem: string | undefined;
  divergence: Divergence;
  folders: readonly WindowFolder[];
  run: GateRunView | undefined;
  /** Runs that have ended, the newest first. */
  history: readonly PastRun[];
  /** The verb that is running in a checkout, by its root. */
  running: ReadonlyMap<string, string>;
  /** The commit that a gate seen from this window proved last, by the root it ran in. */
  proved: ReadonlyMap<string, string>;
  trusted: boolean;
}

/**
 * What this window knows: filled by the server's events and by status answers, read by every view. It decides nothing and
 * asks nothing itself.
 */
export class WindowModel implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<WindowView>();
  /** Fires after anything a view shows has changed. */
  readonly onDidChange = this.#changed.event;
  readonly #heldMoved = new vscode.EventEmitter<{ from: Held | undefined; to: Held }>();
  /** Fires when the held root became another one. */
  readonly onDidMoveHeld = this.#heldMoved.event;
  readonly #finished = new vscode.EventEmitter<{ envelope: AnyEnvelope; caller: 'person' | 'agent' }>();
  /** Fires when a call of a verb has ended, whoever made it. */
  readonly onDidFinish = this.#finished.event;
  readonly #started = new vscode.EventEmitter<{ verb: string; root: string | undefined }>();
  readonly onDidStart = this.#started.event;
  readonly #fleetRead = new vscode.EventEmitter<{ before: FleetData | undefined; now: FleetData }>();
  /** Fires when the fleet was read, after it shows. */
  readonly onDidReadFleet = this.#fleetRead.event;

  #server: ServerState = 'stopped';
  #held: Held | undefined;
  #status: StatusData | undefined;
  #fleet: FleetData | undefined;
  #problem: string | undefined;
  #folders: readonly WindowFolder[] = [];
  readonly #running = new Map<number, RunBuilder>();
  #shown: RunBuilder | undefined;
  readonly #proved = new Map<string, string>();
  readonly #history = new RunHistory();

  get view(): WindowView {
    const held = this.#held;
    return {
      server: this.#server,
      held,
      status: this.#status,
      fleet: this.#fleet,
      problem: this.#problem,
      divergence: held
        ? divergenceOf(
            held,
            this.#folders.map(({ real }) => real),
            this.#status,
          )
        : { state: 'none' },
      folders: this.#folders,
      run: this.#shown?.view(),
      history: this.#history.list,
      running: new Map(
        [...this.#running.values()].flatMap((run) => (run.hasJobs ? [[run.root, run.verb] as const] : [])),
      ),
      proved: this.#proved,
      trusted: vscode.workspace.isTrusted,
    };
  }

  /** A run of the history, in whole. */
  past(call: number): GateRunView | undefined {
    return this.#history.run(call);
  }

  /** The call of the run that is shown, if it is going on and the person made it. */
  get shownCall(): number | undefined {
    return this.#shown?.running ? this.#shown.call : undefined;
  }

  setServer(state: ServerState): void {
    this.#server = state;
    if (state !== 'running') {
      for (const run of this.#running.values()) run.lost();
      this.#running.clear();
    }
    this.#fire();
  }

  setFleet(now: FleetData): void {
    const before = this.#fleet;
    this.#fleet = now;
    this.#fire();
    this.#fleetRead.fire({ before, now });
  }

  setFolders(folders: readonly WindowFolder[]): void {
    this.#folders = folders;
    this.#fire();
  }

  setHeld(held: Held): void {
    const before = this.#held;
    this.#held = held;
    const moved = before?.root !== held.root;
    if (moved) {
      this.#status = undefined;
      this.#problem = undefined;
    }
    this.#fire();
    if (moved) this.#heldMoved.fire({ from: before, to: held });
  }

  /**
   * Takes a status answer. One about another root than the held one, a refusal included, was asked for before the held
   * root moved: it is out of date and dropped.
   */
  setStatus(envelope: AnswerOf<'status'>): void {
    const { data } = envelope;
    if (data?.root !== this.#held?.root && (envelope.ok || data?.root !== undefined)) return;
    if (isWhole(envelope)) {
      this.#status = envelope.data;
      this.#problem = undefined;
      if (this.#held?.missing) this.#held = { ...this.#held, missing: false };
    } else {
      this.#status = undefined;
      this.#problem = envelope.message;
      if (envelope.error === 'root_missing' && this.#held) this.#held = { ...this.#held, missing: true };
    }
    this.#fire();
  }

  onEvent(event: WindowEvent): void {
    switch (event.type) {
      case 'held':
        this.setHeld(event.held);
        return;
      case 'call_started': {
        if (traits[event.verb].gateView === 'nothing') return;
        const run = new RunBuilder(
          event.call,
          event.verb,
          event.caller,
          event.root ?? this.#held?.root ?? '',
        );
        this.#running.set(event.call, run);
        this.#started.fire({ verb: event.verb, root: event.root });
        return;
      }
      case 'call_event': {
        const run = this.#running.get(event.call);
        if (!run) return;
        run.add(event.event);
        // A call is shown once it runs jobs, so that a refused accept does not push a gate off the view.
        if (run.hasJobs || run.waiting) this.#shown = run;
        this.#fire();
        return;
      }
      case 'call_finished': {
        const run = this.#running.get(event.call);
        this.#running.delete(event.call);
        const { envelope } = event;
        run?.finish(envelope);
        const ended = run?.view();
        if (ended && ended.jobs.length > 0 && !envelope.dry_run) this.#history.add(ended);
        const { proof, root } = ended ?? {};
        if (root !== undefined && proof?.state === 'valid' && proof.commit !== undefined)
          this.#proved.set(root, proof.commit);
        this.#fire();
        if (traits[envelope.verb].refreshesViews) this.#finished.fire({ envelope, caller: event.caller });
      }
    }
  }

  #fire(): void {
    this.#changed.fire(this.view);
  }

  dispose(): void {
    const emitters = [this.#changed, this.#heldMoved, this.#finished, this.#started, this.#fleetRead];
    for (const emitter of emitters) emitter.dispose();
  }
}
