/** Where a window's server listens for those that join it. */
export interface WindowAddress {
  /** A socket's path, or on Windows the name of a pipe. */
  address: string;
  /** The folder that is made for the socket, for this user alone. A pipe needs none. */
  folder?: string;
}

/** The longest path of a socket in bytes, wherever there are such (`sun_path` of unix(4) on macOS has 104, with the zero at its end). */
const MOST_BYTES = 103;

/** The address of a new window's socket; `id` is 16 hexadecimal digits that nobody can guess, `temp` the folder for temporary files. */
export function windowAddress(id: string, temp: string, platform: NodeJS.Platform): WindowAddress {
  if (platform === 'win32') return { address: `\\\\.\\pipe\\discern-${id}` };
  const at = (parent: string) => `${parent.replace(/\/+$/, '')}/discern-${id}`;
  const socketIn = (folder: string) => `${folder}/s`;
  const fits = new TextEncoder().encode(socketIn(at(temp))).length <= MOST_BYTES;
  const folder = at(fits ? temp : '/tmp');
  return { address: socketIn(folder), folder };
}

/** True for the name of a pipe as {@link windowAddress} makes it, and for nothing else. */
export const isWindowPipe = (address: string): boolean =>
  /^\\\\\.\\pipe\\discern-[0-9a-f]{16}$/.test(address);
