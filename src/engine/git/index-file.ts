/** What the index says of one tracked file (gitformat-index(5)). */
export interface IndexEntry {
  /** Relative to the git top. */
  path: string;
  mode: number;
  id: string;
  size: number;
  inode: number;
  uid: number;
  gid: number;
  /** Nanoseconds since 1970, as are all times here. */
  mtime: bigint;
  ctime: bigint;
}

export interface IndexFile {
  entries: IndexEntry[];
  /** The id of the tree the entries make up, where the index knows it. */
  tree?: string;
}

const HASH = 20;
const FIXED = 62;

/**
 * Reads an index of the ordinary kind: version 2 or 3, SHA-1, whole, every file merged and heeded. `undefined` for any other
 * (split, sparse, conflicts, submodules, assume-unchanged, intent-to-add, names that are no UTF-8 …) and for what is no index: git knows those.
 * With `passOver` an entry of another kind is left out instead: what is left is still as the index has it.
 * The checksum is not verified, as git itself does not by default; the answer is only compared with the file system.
 */
export function parseIndex(bytes: Buffer, limit: number, passOver = false): IndexFile | undefined {
  if (bytes.length < 12 + HASH || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if ((version !== 2 && version !== 3) || count > limit) return undefined;
  const entries: IndexEntry[] = [];
  const end = bytes.length - HASH;
  let at = 12;
  for (let n = 0; n < count; n++) {
    if (at + FIXED >= end) return undefined;
    // Any flag means a stage, assume-valid or an extended entry; the low bits are the name's length.
    const flags = bytes.readUInt16BE(at + 60);
    const mode = bytes.readUInt32BE(at + 24);
    // Version 3 has two more bytes where a flag says so.
    const start = at + FIXED + ((flags & 0x4000) === 0 ? 0 : 2);
    const nul = bytes.indexOf(0, start);
    if (nul === -1 || nul >= end) return undefined;
    const path = bytes.toString('utf8', start, nul);
    const unusual = (flags & 0xf000) !== 0 || mode >>> 12 === 0o16 || path.includes('\ufffd');
    if (unusual && !passOver) return undefined;
    const next = at + ((start - at + (nul - start) + 8) & ~7);
    if (unusual) {
      at = next;
      continue;
    }
    entries.push({
      path,
      mode,
      id: bytes.toString('hex', at + 40, at + 60),
      size: bytes.readUInt32BE(at + 36),
      inode: bytes.readUInt32BE(at + 20),
      uid: bytes.readUInt32BE(at + 28),
      gid: bytes.readUInt32BE(at + 32),
      ctime: timeAt(bytes, at),
      mtime: timeAt(bytes, at + 8),
    });
    // Entries are padded with one to eight NULs to a multiple of eight.
    at = next;
  }
  return readExtensions(bytes, at, end, entries);
}

const timeAt = (bytes: Buffer, at: number) =>
  BigInt(bytes.readUInt32BE(at)) * 1_000_000_000n + BigInt(bytes.readUInt32BE(at + 4));

/** An extension whose name begins with a capital may be passed over; any other changes what the entries mean. */
function readExtensions(
  bytes: Buffer,
  start: number,
  end: number,
  entries: IndexEntry[],
): IndexFile | undefined {
  let tree: string | undefined;
  let at = start;
  while (at + 8 <= end) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32BE(at + 4);
    if (!/^[A-Z]/.test(name) || at + 8 + size > end) return undefined;
    if (name === 'TREE') tree = rootOf(bytes.subarray(at + 8, at + 8 + size));
    at += 8 + size;
  }
  if (at !== end) return undefined;
  return { entries, ...(tree !== undefined && { tree }) };
}

/** The root of the cached trees comes first: an empty path, `<entries> <subtrees>`, the id; -1 entries: out of date. */
function rootOf(cached: Buffer): string | undefined {
  const line = cached.indexOf(0x0a);
  const [, counted] = /^\0(-?\d+) \d+$/.exec(cached.toString('latin1', 0, line)) ?? [];
  if (line === -1 || counted === undefined || Number(counted) < 0) return undefined;
  return cached.toString('hex', line + 1, line + 1 + HASH);
}
