import { join } from 'node:path';
import { homeOfUser } from '../callers/record-file.ts';
import { exists } from '../files/files.ts';

/** Clients that are here and whose sessions are in a form that is not read yet: they are named, so that nobody takes them for absent. */
export async function notReadYet(env: NodeJS.ProcessEnv): Promise<{ client: string; why: string }[]> {
  const home = homeOfUser(env);
  if (home === undefined) return [];
  const code = codeFolders(home, env).map((folder) => join(folder, 'User', 'workspaceStorage'));
  const vscode = (await Promise.all(code.map(async (path) => ((await exists(path)) ? [path] : [])))).flat();
  return vscode.map((path) => ({ client: 'vscode', why: `The chats below ${path} are not read.` }));
}

/** Where VS Code keeps what it knows of a user, by platform. */
function codeFolders(home: string, env: NodeJS.ProcessEnv): string[] {
  const { APPDATA, XDG_CONFIG_HOME } = env;
  const base =
    process.platform === 'win32'
      ? (APPDATA ?? join(home, 'AppData', 'Roaming'))
      : process.platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : (XDG_CONFIG_HOME ?? join(home, '.config'));
  return ['Code', 'Code - Insiders'].map((name) => join(base, name));
}
