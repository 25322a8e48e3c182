/** The last part of a path, of either kind of separator; a path without one as it is. */
export function lastPart(path: string): string {
  const bare = path.replace(/[\\/]+$/, '');
  return bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1) || path;
}
