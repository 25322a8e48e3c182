import { posix, win32 } from 'node:path';

const drive = /^[A-Za-z]:[\\/]/;
const url = /^[A-Za-z][\w+.-]+:\/\//;

/** The path a `file:` URI names, percent-encoding undone; anything else as it is. */
export function fromFileUri(text: string): string {
  if (!/^file:/i.test(text)) return text;
  const path = decode(text.replace(/^file:(?:\/\/(?:localhost(?=\/))?)?/i, ''));
  if (/^\/[A-Za-z]:/.test(path)) return path.slice(1);
  // What is left of `file://server/share/x` names a network share.
  return path.startsWith('/') || drive.test(path) || !/^file:\/\//i.test(text) ? path : `//${path}`;
}

/** Undoes percent-encoding; text that is not validly encoded stays as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/**
 * Where a printed file lies: relative to `root` with forward slashes when inside it, else as printed (a
 * `file:` URI as the path it names). `root` is absolute and decides the flavour of paths, so a path with a
 * drive letter stays as printed under a POSIX root; so does a URL of another scheme. Pure: no file is looked
 * at, so links are not followed.
 */
export function locate(printed: string, root: string): string {
  const windows = drive.test(root) || root.startsWith('\\\\');
  const file = fromFileUri(printed);
  if (url.test(file) || (!windows && drive.test(file))) return file;
  const paths = windows ? win32 : posix;
  const relative = paths.relative(root, paths.resolve(root, file));
  const outside =
    relative === '' ||
    relative === '..' ||
    relative.startsWith(`..${paths.sep}`) ||
    paths.isAbsolute(relative);
  if (outside) return file;
  return windows ? relative.replaceAll('\\', '/') : relative;
}
