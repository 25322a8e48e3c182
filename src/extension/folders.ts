import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isInside } from '../contract/inside.ts';

/** A workspace folder: as the person opened it, and where it really is. They differ where a symlink is on the way. */
export interface WindowFolder {
  name: string;
  path: string;
  /** Without symlinks, as all of the server's paths are. */
  real: string;
}

/** The folders of this window that are on this machine's disk. */
export function readFolders(): Promise<WindowFolder[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return Promise.all(
    folders.map(async ({ name, uri: { fsPath } }) => ({
      name,
      path: fsPath,
      // A folder that is gone is only what it was called.
      real: await realpath(fsPath).catch(() => fsPath),
    })),
  );
}

/**
 * One of the server's paths as this window has it: in the folder the person opened, so that a file reached through a symlink is
 * the same document in the Explorer, in Problems and in the editor.
 */
export function asShown(path: string, folders: readonly WindowFolder[]): string {
  const folder = folders.find(({ real }) => isInside(path, real));
  return folder === undefined || folder.real === folder.path
    ? path
    : join(folder.path, path.slice(folder.real.length));
}
