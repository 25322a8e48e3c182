import { join } from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../app.ts';
import { changedFiles, leftAt, textAt, topOf } from '../changed-files.ts';
import { words } from '../log.ts';
import { shortName } from '../wording.ts';
import { type CommandTarget, targetPath } from './lifecycle.ts';

/** Files as they are in a commit: the path is the file's, the query says which commit of which checkout. */
const scheme = 'discern-commit';

/** Lets VS Code read files as they are in a commit. */
export const registerCommitFiles = (): vscode.Disposable =>
  vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent({ query }) {
      const { cwd, commit, path } = JSON.parse(query) as { cwd: string; commit: string; path: string };
      return textAt(cwd, commit, path);
    },
  });

/** `Discern: Review Changes`: what would land, in VS Code's own editor for changes of several files. */
export async function reviewChanges(app: App, target: CommandTarget): Promise<void> {
  const { held, status } = app.model.view;
  const path = targetPath(target) ?? held?.root;
  if (!path || !status) return;
  try {
    const top = await topOf(path);
    const base = await leftAt(top, status.trunk);
    const files = await changedFiles(top, base, 'HEAD');
    if (files.length === 0) {
      await vscode.window.showInformationMessage(
        `${shortName(path)} has no commit that ${status.trunk} lacks.`,
      );
      return;
    }
    const at = (commit: string, file: string) =>
      vscode.Uri.file(join(top, file)).with({
        scheme,
        query: JSON.stringify({ cwd: top, commit, path: file }),
      });
    const resources = files.map(({ before, after }) => [
      vscode.Uri.file(join(top, after ?? before ?? '')),
      before && at(base, before),
      after && at('HEAD', after),
    ]);
    await vscode.commands.executeCommand('vscode.changes', `What lands from ${shortName(path)}`, resources);
  } catch (error) {
    app.log.error(words(error));
    await vscode.window.showErrorMessage(
      `The changes of ${shortName(path)} cannot be read; the log has more.`,
    );
  }
}

/** What a line above a file of the landing checkout offers: the same file in the held worktree. */
export async function openThere({ model }: App, target: CommandTarget): Promise<void> {
  const file = targetPath(target);
  const { held, status } = model.view;
  const landing = status?.worktrees.find((tree) => tree.landing);
  const own = status?.worktrees.find(({ root }) => root === held?.root);
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => file?.startsWith(uri.fsPath));
  if (!file || !landing || !own || !folder) return;
  const real = model.view.folders.find(({ path }) => path === folder.uri.fsPath)?.real ?? folder.uri.fsPath;
  const inCheckout = join(real, file.slice(folder.uri.fsPath.length)).slice(landing.path.length);
  const there = vscode.Uri.file(join(own.path, inCheckout));
  try {
    await vscode.workspace.fs.stat(there);
  } catch {
    await vscode.commands.executeCommand('discern.openHeldRoot');
    return;
  }
  await vscode.window.showTextDocument(there, { preview: false });
}
