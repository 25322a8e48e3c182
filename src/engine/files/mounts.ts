import { readFileSync } from 'node:fs';
import { errnoOf } from './errno.ts';

/** Where the kernel lists the mounts that this process sees (proc(5)). */
const MOUNTS = '/proc/self/mountinfo';

/**
 * The mount points of a `mountinfo` text, as bytes. The fifth field of a line is the mount point; space, tab, line feed and
 * backslash in it are octal escapes (proc(5), `/proc/[pid]/mountinfo`).
 */
export function parseMountinfo(text: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (const line of text.toString('latin1').split('\n')) {
    const point = line.split(' ')[4];
    if (point?.startsWith('/')) found.push(Buffer.from(plain(point), 'latin1'));
  }
  return found;
}

const plain = (field: string) =>
  field.replace(/\\([0-3][0-7]{2})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/**
 * Where something is mounted at or below a directory (free of symlinks), outermost first. Empty also where the system has no
 * such list: there a walk tells by the device (see `findInside`).
 */
export async function mountsWithin(directory: string): Promise<Buffer[]> {
  if (process.platform !== 'linux') return [];
  const top = Buffer.from(directory);
  return parseMountinfo(mountinfo())
    .filter((point) => isWithin(point, top))
    .sort((a, b) => a.length - b.length);
}

function mountinfo(): Buffer {
  try {
    return readFileSync(MOUNTS);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function isWithin(path: Buffer, top: Buffer): boolean {
  if (!path.subarray(0, top.length).equals(top)) return false;
  return path.length === top.length || path[top.length] === 0x2f;
}
