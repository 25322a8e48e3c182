import type { Consent } from '../../contract/consent.ts';
import type { VerbEvent } from '../../contract/events.ts';

/** Which program speaks to us, where a result's words depend on it. */
export type ClientKind =
  | 'vscode'
  | 'copilot'
  | 'claude'
  | 'codex'
  | 'cursor'
  | 'gemini'
  | 'opencode'
  | 'terminal'
  /** Whoever it is, it holds no root here and names the path each time. */
  | 'remote'
  | 'unknown';

/** What a verb may use beside its root and arguments. It says nothing of who called. */
export interface Context {
  /** Aborts when the caller cancels; the verb then ends what it started and answers `cancelled`. */
  signal: AbortSignal;
  emit: (event: VerbEvent) => void;
  client: ClientKind;
  /** The caller may only look: what a verb would otherwise finish in passing, it tells of instead. */
  lookOnly?: boolean;
  /** How a person can be asked, where the owner wants that; `given` where a person calls. Absent: nobody can be. */
  consent?: Consent | 'given' | undefined;
  /** Only at a terminal: a note that proves the tree may stand in for `done`. */
  ci?: boolean;
  /** Only at a terminal: doctor runs jobs under a tracer, and tells of what they read. */
  traceInputs?: { job?: string | undefined } | undefined;
  /** The projects a server was started for, with what was named and is none: with `serves` the only ones its callers hear of. */
  projects?: () => Promise<{ roots: string[]; lost: string[] }>;
  /** Whether a caller from elsewhere may hear of this directory; absent where the caller may hear of any. */
  serves?: (directory: string) => Promise<boolean>;
}
