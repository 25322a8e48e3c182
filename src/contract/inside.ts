type Platform = NodeJS.Platform;

/**
 * A path by which two names of one place are the same text, as far as names alone can say. Windows takes `/` for `\` and any case;
 * macOS any case and any composition of a letter, unless a volume was made to tell cases apart. Elsewhere a name is its bytes.
 */
function folded(path: string, platform: Platform): string {
  if (platform === 'win32') return path.replaceAll('/', '\\').toLowerCase();
  return platform === 'darwin' ? path.normalize('NFC').toLowerCase() : path;
}

/** True when `path` is `folder` or lies in it; both are absolute, without `.` and `..`. */
export function isInside(path: string, folder: string, platform: Platform = process.platform): boolean {
  const separator = platform === 'win32' ? '\\' : '/';
  const [at, whole] = [folded(path, platform), folded(folder, platform)];
  const base = whole.endsWith(separator) ? whole.slice(0, -1) : whole;
  return at === base || at === whole || at.startsWith(base + separator);
}
