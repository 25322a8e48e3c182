import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The folder of ours that is the user's alone and belongs to no repository: `DISCERN_STATE_DIR`, else where the platform keeps
 * a program's state (the XDG base directories, Application Support, Local AppData). Nothing where no home can be told.
 * A relative name is passed over, as the XDG specification asks: it would be another folder for each process.
 */
export function stateDir(env: NodeJS.ProcessEnv, platform = process.platform): string | undefined {
  const named = (name: string) => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : undefined;
  };
  const own = named('DISCERN_STATE_DIR');
  if (own !== undefined) return own;
  if (platform === 'win32') {
    const local = named('LOCALAPPDATA') ?? inHome(named('USERPROFILE'), 'AppData', 'Local');
    return local && join(local, 'discern');
  }
  if (platform === 'darwin') return inHome(named('HOME'), 'Library', 'Application Support', 'discern');
  const xdg = named('XDG_STATE_HOME');
  return xdg ? join(xdg, 'discern') : inHome(named('HOME'), '.local', 'state', 'discern');
}

function inHome(home: string | undefined, ...below: string[]): string | undefined {
  const found = home ?? registeredHome();
  return found ? join(found, ...below) : undefined;
}

/** The home the system has for this user: a client may start us without `HOME`. */
function registeredHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A user without an entry (a container's arbitrary uid) has none.
    return undefined;
  }
}
