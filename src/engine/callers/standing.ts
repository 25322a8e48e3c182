/** Where a caller stands, by one piece of evidence. */
export interface Standing {
  /** The directory, absolute, as the evidence has it. */
  cwd: string;
  /** What says so, in a few words for a person: "Claude Code's session record". */
  evidence: string;
  /**
   * The client itself declared a move, as with its worktree tool. It outranks a shell's directory, which may be there for a
   * mere look.
   */
  declared?: true;
  /**
   * It only says where the client was launched or what it has open, so that standing elsewhere than the held root is nothing
   * to speak of; only work there is.
   */
  weak?: true;
}

/** What one call and the server's own process say of the client, as far as evidence is found by it. */
export interface CallerFacts {
  /** The environment the client gave the server. */
  env: NodeJS.ProcessEnv;
  /** The process that started the server: the client, or something it started. */
  parent: number;
  /** The directory the client started the server in, where it is known. */
  launch?: string | undefined;
  /** The `_meta` of the call. */
  meta?: Record<string, unknown> | undefined;
  /** The conversation the host names. */
  conversation?: string | undefined;
  /** Asks the client for its roots, where it declares them. */
  askRoots?: (() => Promise<string[]>) | undefined;
}

/** How one client tells where its session stands. */
export interface Source {
  /** The client as hooks and `clientInfo` name it. */
  client: string;
  /** The session that calls, by the client's own id; `undefined` when nothing names it. */
  session(facts: CallerFacts): string | undefined;
  /** What the call itself carries. */
  carried?(facts: CallerFacts): Promise<Standing | undefined>;
  /** True when two living sessions go by this id, so that what is known by it may be the other's. */
  shared?(facts: CallerFacts, session: string): Promise<boolean>;
  /** What the client's own record of the session says. */
  recorded(facts: CallerFacts, session: string | undefined): Promise<Standing[]>;
}

/** A session id becomes part of a file's name, so it may hold nothing else: `undefined` for one that does. */
export function sessionId(value: unknown): string | undefined {
  return typeof value === 'string' &&
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(value) &&
    !value.includes('..')
    ? value
    : undefined;
}
