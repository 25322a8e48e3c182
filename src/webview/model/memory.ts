import type { GateViewState } from '../../contract/gate-view.ts';

/** What the view keeps while it is hidden, to paint itself at once when it is shown again. */
export interface Memory {
  version: 3;
  state: GateViewState;
  /** When `state` came, by `Date.now()`. */
  received: number;
  /** Keys of the jobs and drifts whose detail is shown; they are of the run in `state`. */
  open: string[];
  /** Names of the sections and stages that are closed. */
  closed: string[];
  scroll: number;
}

/** The memory as written by this version of the view; of anything else nothing, and the view starts afresh. */
export function readMemory(saved: unknown): Memory | undefined {
  if (typeof saved !== 'object' || saved === null || !('version' in saved)) return undefined;
  return saved.version === 3 ? (saved as Memory) : undefined;
}

/**
 * What to keep of a state. A finding's output can be long, is asked for again when it is wanted, and is left out.
 */
export function stateToKeep(state: GateViewState): GateViewState {
  if (state.run === undefined) return state;
  const diagnostics = state.run.diagnostics.map(({ output: _, ...rest }) => rest);
  return { ...state, run: { ...state.run, diagnostics } };
}
