import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directoryNamed, homeOfUser, objectIn, readTail } from '../callers/record-file.ts';
import { sessionId } from '../callers/standing.ts';
import { exists } from '../files/files.ts';
import { isThere } from '../process/alive.ts';
import { openWindows } from '../user/windows.ts';
import {
  type Adapter,
  type Ends,
  type Facts,
  type Found,
  type Json,
  namesIn,
  objectOf,
  open,
  over,
  type Query,
  textOf,
  type Unread,
} from './adapter.ts';
import { type Chat, type ChatRequest, chatIn } from './vscode-log.ts';

/**
 * The chats of VS Code (seen with 1.139): `workspaceStorage/<workspace>/chatSessions/<session>.jsonl`, and those of windows without a
 * folder in `globalStorage/emptyWindowChatSessions`. Each is a log of changes, written anew when it gets long.
 */
export const vscode: Adapter = {
  client: 'vscode',
  // The log is read as a whole.
  marks: [],
  asked: () => undefined,
  async find(env, unread) {
    const found = await Promise.all(userFolders(env).map((folder) => chatsOf(folder, unread)));
    return found.flat();
  },
  programs: (env) => userFolders(env).map((folder) => join(folder, 'workspaceStorage')),
  async describe(ends, { id, file }) {
    // One that cannot be read is told as a record in which nothing is known, and hides no other.
    const chat = await chatIn(file, never).catch(() => undefined);
    if (!chat?.known) return undefined;
    const workspace = dirname(dirname(file));
    const last = chat.requests.at(-1);
    return {
      cwd: (await heldIn(workspace, id)) ?? (await folderOf(workspace)),
      title: chat.title ?? chat.requests.map(asked).find((query) => query !== undefined)?.text,
      said: last && saidIn(last),
      ...(await standing(last, workspace, ends)),
      // One in which nothing was asked yet.
      ...(last === undefined && { part: true as const }),
    };
  },
  async recall({ file }, signal) {
    const { requests, skipped }: Chat = await chatIn(file, signal);
    return { queries: requests.flatMap((one) => asked(one) ?? []), skipped };
  },
};

/** Listing has no caller to be cancelled by; a record is read a piece at a time. */
const never = new AbortController().signal;

/** Where VS Code and what is made of it keep what they know of a user: the usual folders, and those of the windows that are open. */
function userFolders(env: NodeJS.ProcessEnv): string[] {
  const home = homeOfUser(env);
  const named = ['Code', 'Code - Insiders', 'VSCodium'];
  const usual = home === undefined ? [] : named.map((name) => join(applicationData(home, env), name, 'User'));
  const served = home === undefined ? [] : [join(home, '.local', 'share', 'code-server', 'User')];
  const windows = openWindows(env).flatMap((one) => ('window' in one ? (one.window.state ?? []) : []));
  return [...new Set([...usual, ...served, ...windows.flatMap(userFolderOf)])];
}

/** The folder a window's state file lies in: `User/workspaceStorage/<workspace>/<extension>/held-0.json`. */
function userFolderOf(state: string): string[] {
  const storage = dirname(dirname(dirname(state)));
  return basename(storage) === 'workspaceStorage' ? [dirname(storage)] : [];
}

function applicationData(home: string, { APPDATA, XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return APPDATA ?? join(home, 'AppData', 'Roaming');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  return XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, '.config');
}

async function chatsOf(user: string, unread: Unread): Promise<Found[]> {
  const storage = join(user, 'workspaceStorage');
  const workspaces = (await namesIn(storage, unread)).map((name) => join(storage, name, 'chatSessions'));
  const folders = [...workspaces, join(user, 'globalStorage', 'emptyWindowChatSessions')];
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await namesIn(folder, unread);
      const older = names.filter((name) => name.endsWith('.json')).length;
      if (older > 0) unread(`${folder} has ${older} in a format that is not known.`);
      return names.flatMap((name): Found[] => {
        const id = name.endsWith('.jsonl') ? sessionId(name.slice(0, -'.jsonl'.length)) : undefined;
        return id === undefined ? [] : [{ id, file: join(folder, name) }];
      });
    }),
  );
  return found.flat();
}

/** The root that our own server in that window holds for a chat: where its tools act. */
async function heldIn(workspace: string, id: string): Promise<string | undefined> {
  const folder = join(workspace, EXTENSION);
  // No window with the extension was open there.
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => /^held-\d+\.json$/.test(one))) {
    const state = await jsonIn(join(folder, name), MOST_STATE);
    const conversations = objectOf(state.conversations);
    const held = Object.hasOwn(conversations, id) ? objectOf(conversations[id]) : {};
    const root = directoryNamed(held.root);
    if (root !== undefined) return root;
  }
  return undefined;
}

/** Our own extension, by the name of its folder there. */
const EXTENSION = 'discern-vscode.discern-vscode';
const MOST_STATE = 4 * 1024 * 1024;

const jsonIn = async (file: string, most = 64 * 1024): Promise<Json> => {
  const read = await readTail(file, most);
  return (read?.whole ? objectIn(read.text) : undefined) ?? {};
};

/** The folder a window was opened on, where it is one of this machine; of several folders none is where the chat stands. */
async function folderOf(workspace: string): Promise<string | undefined> {
  const { folder } = await jsonIn(join(workspace, 'workspace.json'));
  if (typeof folder !== 'string' || !folder.startsWith('file://') || !URL.canParse(folder)) return undefined;
  try {
    return directoryNamed(fileURLToPath(folder));
  } catch {
    // A URL of another machine's.
    return undefined;
  }
}

function asked({ text, at, key }: ChatRequest): Query | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const time = at === undefined ? undefined : new Date(at);
  const valid = time !== undefined && !Number.isNaN(time.getTime());
  return { at: valid ? time.toISOString() : undefined, text, key };
}

const saidIn = ({ parts }: ChatRequest): string | undefined => {
  const words = parts.flatMap(({ text }) => textOf(text) ?? []).join('');
  return words === '' ? undefined : words;
};

async function standing(
  last: ChatRequest | undefined,
  workspace: string,
  ends: Ends,
): Promise<Pick<Facts, 'state' | 'needs_attention'>> {
  if (last === undefined) return { state: 'unknown' };
  if ((await windowOf(workspace)) === 'closed') return { state: 'ended' };
  switch (last.state) {
    case 0:
      return { state: open(ends) };
    case 1:
      return over(saidIn(last));
    case 2:
    case 3:
      return { state: 'idle' };
    case 4:
      return {
        state: 'waiting',
        needs_attention: last.parts.some(({ asks }) => asks) ? 'asks for permission' : 'asks a question',
      };
    default:
      return { state: 'unknown' };
  }
}

/**
 * Whether the window of a chat is open. Its extension host writes `meta.json` and holds `vscode.lock`, which it removes when it ends;
 * where it keeps neither, nobody can tell.
 */
async function windowOf(workspace: string): Promise<'open' | 'closed' | undefined> {
  const lock = join(workspace, 'vscode.lock');
  const { pid } = await jsonIn(lock);
  if (Number.isSafeInteger(pid) && (pid as number) > 1) return isThere(pid as number) ? 'open' : 'closed';
  if (await exists(lock)) return undefined;
  return (await exists(join(workspace, 'meta.json'))) ? 'closed' : undefined;
}
