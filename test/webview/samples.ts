import type { Diagnostic } from '../../src/contract/envelope.ts';
import type { GateJob, GateRunView, GateViewState } from '../../src/contract/gate-view.ts';

/** A job of the test stage that passed in its first second, but for what is said otherwise. */
export function job(name: string, over: Partial<GateJob> = {}): GateJob {
  return { name, stage: 'test', state: 'passed', start: 0, end: 1000, ...over };
}

/** A job that has not ended. */
export function running(name: string, start = 0): GateJob {
  return { name, stage: 'test', state: 'running', start };
}

export function finding(over: Partial<Diagnostic> = {}): Diagnostic {
  return { tool: 'tsc', severity: 'error', message: 'Wrong.', reproduce_cmd: 'tsc', ...over };
}

/** A `done` that an agent asked for and that passed after ten seconds, but for what is said otherwise. */
export function run(over: Partial<GateRunView> = {}): GateRunView {
  return {
    call: 1,
    verb: 'done',
    caller: 'agent',
    root: '/work/app.worktrees/add-b',
    running: false,
    elapsed: 10_000,
    ok: true,
    jobs: [],
    hints: [],
    diagnostics: [],
    scopes: [],
    standards: [],
    drift: [],
    ...over,
  };
}

/** The same while it goes on: without an answer. */
export function ongoing(over: Partial<GateRunView> = {}): GateRunView {
  const { ok: _, ...rest } = run();
  return { ...rest, running: true, ...over };
}

export function state(shown?: GateRunView, held: string | null = '/work/app.worktrees/add-b'): GateViewState {
  return shown === undefined ? { held } : { held, run: shown };
}
