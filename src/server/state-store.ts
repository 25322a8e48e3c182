import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WindowState } from '../contract/window.ts';

/** Where a held root was left. */
export interface Left {
  root: string;
  movedBy: string | undefined;
  /** What leads to its repository when the root itself is gone by now. */
  repository: { commonDir: string; prefix: string } | undefined;
}

/** How many conversations' held roots are remembered: of those that called last. */
export const MOST_CONVERSATIONS = 200;

/** How many that are remembered no more are still told from new ones. Beyond that every unknown one may be such a one. */
const MOST_FORGOTTEN = 20_000;

/** What stands for a forgotten conversation's id: 66 bits of its digest. */
const markOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, 11);

/**
 * A window's state file (contract §8): every move of a held root is written at once, as a whole, so that it survives this
 * process. Written synchronously: the answer that tells of a move must not leave before the move is kept.
 */
export class StateStore {
  readonly #path: string | undefined;
  #state: WindowState;
  readonly #forgotten: Set<string>;
  readonly #mostForgotten: number;

  /** `mostForgotten`: how many that are remembered no more are told from new ones. */
  constructor(path: string | undefined, { mostForgotten = MOST_FORGOTTEN } = {}) {
    this.#mostForgotten = mostForgotten;
    const found = path === undefined ? undefined : read(path);
    this.#state = (found !== 'foreign' && found) || { version: 1, held: null, conversations: {} };
    this.#forgotten = new Set(this.#state.forgotten ?? []);
    this.#path = found === 'foreign' ? undefined : path;
    if (found === 'foreign') {
      process.stderr.write(
        `discern mcp: ${path} is not a state file of discern's, so it stays unchanged and the held root is not saved: name another file with --state, or move that one away.\n`,
      );
    }
  }

  /** Where the window's held root was left, if anywhere. */
  get window(): Left | undefined {
    const { held, ...rest } = this.#state;
    return held === null ? undefined : leftAt(held, rest);
  }

  /** Where a conversation's held root was left. */
  conversation(id: string): Left | undefined {
    const found = Object.hasOwn(this.#state.conversations, id) ? this.#state.conversations[id] : undefined;
    return found && leftAt(found.root, found);
  }

  keepWindow({ root, ...left }: Left): void {
    this.#state = { ...this.#state, held: root, ...written(left) };
    this.#write();
  }

  keepConversation(id: string, { root, ...left }: Left): void {
    const all = Object.entries({
      ...this.#state.conversations,
      [id]: { root, ...written(left), at: Date.now() },
    }).sort(([, a], [, b]) => b.at - a.at);
    this.#forgotten.delete(markOf(id));
    for (const [old] of all.slice(MOST_CONVERSATIONS)) this.#forgotten.add(markOf(old));
    const conversations = Object.fromEntries(all.slice(0, MOST_CONVERSATIONS));
    const forgotten = [...this.#forgotten].slice(0, this.#mostForgotten);
    this.#state = { ...this.#state, conversations, ...(forgotten.length > 0 && { forgotten }) };
    this.#write();
  }

  /** Notes that a conversation has called: those that called last are remembered. Written down with the next move of anyone. */
  touchConversation(id: string): void {
    const { conversations } = this.#state;
    const known = Object.hasOwn(conversations, id) ? conversations[id] : undefined;
    if (known) known.at = Date.now();
  }

  /** Whether a conversation that is not remembered may have been: what it held is then not the window's to replace. */
  hasForgotten(id: string): boolean {
    return this.#forgotten.size >= this.#mostForgotten || this.#forgotten.has(markOf(id));
  }

  #write(): void {
    if (this.#path === undefined) return;
    const temporary = `${this.#path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(temporary, JSON.stringify(this.#state), { flag: 'wx', mode: 0o600 });
      renameSync(temporary, this.#path);
    } catch (error) {
      rmSync(temporary, { force: true });
      // The move has happened, and its caller must be told of it; only the next process will not know.
      process.stderr.write(`discern mcp: the held root could not be kept in ${this.#path}: ${error}\n`);
    }
  }
}

type Written = Pick<WindowState, 'moved_by' | 'repository'>;

function written({ movedBy, repository }: Omit<Left, 'root'>): Written {
  return {
    moved_by: movedBy,
    repository: repository && { common_dir: repository.commonDir, prefix: repository.prefix },
  };
}

function leftAt(root: string, { moved_by: movedBy, repository }: Written): Left {
  const { common_dir: commonDir, prefix } = (repository ?? {}) as Partial<Written['repository'] & object>;
  const whole = typeof commonDir === 'string' && typeof prefix === 'string';
  return { root, movedBy, repository: whole ? { commonDir, prefix } : undefined };
}

/** The most bytes a state file has. */
const LARGEST = 16 * 1024 * 1024;

/** What the file holds; nothing when it is not there or empty, and `foreign` when something else wrote it: that stays. */
function read(path: string): WindowState | 'foreign' | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isFile() || found.size > LARGEST) return 'foreign';
  // As a power cut may leave one that was just written.
  if (found.size === 0) return undefined;
  try {
    const state: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isState(state) ? state : 'foreign';
  } catch {
    return 'foreign';
  }
}

/** Checked by hand: the contract's schemas are not loaded before they are needed. */
function isState(value: unknown): value is WindowState {
  const { version, held, conversations, forgotten } = (value ?? {}) as Partial<WindowState>;
  return (
    version === 1 &&
    (held === null || typeof held === 'string') &&
    typeof conversations === 'object' &&
    conversations !== null &&
    Object.values(conversations).every(
      (one) => typeof one?.root === 'string' && typeof one.at === 'number',
    ) &&
    (forgotten === undefined ||
      (Array.isArray(forgotten) && forgotten.every((one) => typeof one === 'string')))
  );
}
