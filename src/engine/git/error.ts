import { type GitErrorKind, kindOf } from './cause.ts';

/** A git command that exited with a code its caller did not expect. What it says is read here, once: callers go by its `kind`. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly args: readonly string[];
  readonly code: number | null;
  readonly stderr: string;
  readonly kind: GitErrorKind;

  constructor(
    args: readonly string[],
    code: number | null,
    stderr: string,
    signal: NodeJS.Signals | null = null,
  ) {
    const said = stderr
      .trim()
      .replace(/^(?:hint:.*\n?)+/, '')
      .replace(/^(fatal|error): /, '');
    const how = code === null ? `was ended by ${signal ?? 'a signal'}` : `failed (exit ${code})`;
    const command = args.find((arg) => !arg.startsWith('-')) ?? args[0];
    super(`git ${command} ${how}: ${said || 'it printed no reason'}`);
    this.args = args;
    this.code = code;
    this.stderr = stderr;
    this.kind = kindOf(stderr);
  }

  /** The first line of what it said. */
  get firstLine(): string {
    return this.stderr.trim().split('\n')[0] ?? '';
  }

  /** The last line of what it said: git puts its reason behind what it tells of its steps. */
  get lastLine(): string {
    return this.stderr.trim().split('\n').at(-1) ?? '';
  }
}
