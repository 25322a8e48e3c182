import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

/** How long what a window left behind may be taken up by the window that follows it, in milliseconds. */
const HANDOFF_MS = 120_000;

/** How long the extension host before a reload may take to leave, in milliseconds. */
const LEAVING_MS = 3_000;

interface Handoff {
  folders: string[];
  at: number;
  state: string;
}

const folderPaths = () => (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);

/**
 * The file a window's held root lives in, through server crashes, extension host restarts and reloads.
 *
 * It lies in the workspace's own storage. A second window on the same folder shares that storage, so each takes a slot, marked
 * with its extension host's pid. When a first second folder turns a window multi-root, VS Code gives it another storage; so
 * a window that closes leaves its state for one that opens soon after with all its folders.
 */
export class StateFile {
  readonly path: string;
  readonly #handoffs: string;
  readonly #marker: string;

  private constructor(storage: string, handoffs: string, slot: number) {
    this.#handoffs = handoffs;
    this.#marker = join(storage, `window-${slot}.pid`);
    this.path = join(storage, `held-${slot}.json`);
    this.#inherit();
  }

  /** Takes this window's slot. Resolves late only when the slot's last owner is still on its way out, as in a reload. */
  static async open(context: vscode.ExtensionContext): Promise<StateFile> {
    const storage = (context.storageUri ?? vscode.Uri.joinPath(context.globalStorageUri, 'no-workspace'))
      .fsPath;
    const handoffs = join(context.globalStorageUri.fsPath, 'handoffs');
    mkdirSync(storage, { recursive: true });
    mkdirSync(handoffs, { recursive: true });
    for (let waited = 0; waited < LEAVING_MS && takenBy(storage, 0) !== undefined; waited += 100)
      await sleep(100);
    return new StateFile(storage, handoffs, takeSlot(storage));
  }

  /** Takes up what a window left that had only folders this one has; the newest, and only once. */
  #inherit(): void {
    const folders = new Set(folderPaths());
    if (folders.size < 2 || contentOf(this.path)) return;
    const left = readdirSync(this.#handoffs)
      .map((name) => ({ name, handoff: readHandoff(join(this.#handoffs, name)) }))
      .filter((one): one is { name: string; handoff: Handoff } => one.handoff !== undefined)
      .sort((a, b) => b.handoff.at - a.handoff.at);
    for (const { name, handoff } of left) {
      const file = join(this.#handoffs, name);
      if (Date.now() - handoff.at > HANDOFF_MS) rmSync(file, { force: true });
      else if (handoff.folders.length > 0 && handoff.folders.every((folder) => folders.has(folder))) {
        writeFileSync(this.path, handoff.state);
        rmSync(file, { force: true });
        return;
      }
    }
  }

  /** Leaves the state for the window that may follow, and frees the slot. */
  close(folders: readonly string[]): void {
    this.handOff(folders);
    rmSync(this.#marker, { force: true });
  }

  /** Leaves the state for a window that may follow this one, which has had these folders. */
  handOff(folders: readonly string[]): void {
    const state = contentOf(this.path);
    if (state !== undefined && folders.length > 0) {
      const handoff: Handoff = { folders: [...folders], at: Date.now(), state };
      writeFileSync(join(this.#handoffs, `${process.pid}.json`), JSON.stringify(handoff));
    }
  }
}

/** The living process, other than this one, that has a slot. */
function takenBy(storage: string, slot: number): number | undefined {
  const owner = Number(contentOf(join(storage, `window-${slot}.pid`)) ?? 0);
  return owner && owner !== process.pid && isAlive(owner) ? owner : undefined;
}

/** The first slot nobody alive has. */
function takeSlot(storage: string): number {
  let slot = 0;
  while (takenBy(storage, slot) !== undefined) slot++;
  writeFileSync(join(storage, `window-${slot}.pid`), String(process.pid));
  return slot;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A file's content, or `undefined` when there is none. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readHandoff(path: string): Handoff | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Handoff;
  } catch {
    // Half written by a window that was killed: it says nothing.
    rmSync(path, { force: true });
    return undefined;
  }
}
