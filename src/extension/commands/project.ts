import * as vscode from 'vscode';
import { isWhole, whereOf } from '../../contract/answers.ts';
import type { DoctorData, InitData } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { App } from '../app.ts';
import type { PreviewDocuments } from '../preview-documents.ts';
import { show } from '../run-verb.ts';
import { shortName } from '../wording.ts';
import { type CommandTarget, quietly, targetPath } from './lifecycle.ts';

/** More hints than this do not fit a modal; the log has them all. */
const MOST_HINTS = 4;

/**
 * `Discern: Initialize Project`: shows the `discern.toml` that would be written, asks, writes it and tries its gate. In an
 * untrusted workspace it only writes, since trying it runs the project's commands.
 */
export async function initialize(
  app: App,
  documents: PreviewDocuments,
  target: CommandTarget,
): Promise<Envelope | undefined> {
  const path = targetPath(target) ?? (await pickFolder());
  if (path === undefined) return undefined;
  const preview = await quietly(app, 'init', { path, dry_run: true });
  if (!preview) return undefined;
  if (!preview.ok) {
    refuse(preview);
    return preview;
  }
  const data = preview.data as InitData;
  const shown = await documents.show('discern.toml', data.text);
  const choice = await vscode.window.showInformationMessage(
    `Write this discern.toml to ${shortName(data.root)}?`,
    { modal: true, detail: detailOf(data, preview) },
    'Write',
  );
  await documents.close(shown);
  if (choice !== 'Write') return undefined;
  const prove = vscode.workspace.isTrusted;
  const envelope = await app.runVerb('init', { path, ...(!prove && { prove }) }, 'Discern: making a project');
  if (envelope && isWhole(envelope) && envelope.data.written) await made(app, envelope);
  return envelope;
}

function detailOf({ file, proposed, setup }: InitData, { hints = [] }: Envelope): string {
  const jobs = proposed.map(({ name, run }) => `• ${name}: ${run}`);
  const prepared = setup.map(({ command }) => `• first, in a new worktree: ${command}`);
  const proof = vscode.workspace.isTrusted
    ? 'Its gate then runs once in a throwaway worktree, which is removed afterwards.'
    : 'Nothing runs: this workspace is not trusted, so its gate is not tried.';
  return [file, [...jobs, ...prepared].join('\n'), proof, ...hints.slice(0, MOST_HINTS)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The workspace folder to make a project of: the only one, or the one a person picks. */
export async function pickFolder(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const [only] = folders;
  if (folders.length === 1) return only?.uri.fsPath;
  if (folders.length > 1) {
    const picked = await vscode.window.showWorkspaceFolderPick({
      placeHolder: 'Which folder is the project?',
    });
    return picked?.uri.fsPath;
  }
  show(vscode.window.showInformationMessage, 'Open the project’s folder first.', [
    { title: 'Open Folder', command: 'vscode.openFolder' },
  ]);
  return undefined;
}

function refuse(envelope: Envelope): void {
  const { error, message = '' } = envelope;
  const { root } = whereOf(envelope);
  const uri = root === undefined ? undefined : vscode.Uri.joinPath(vscode.Uri.file(root), 'discern.toml');
  show(vscode.window.showWarningMessage, `Discern init: ${message}`, [
    ...(error === 'path_exists' && uri
      ? [{ title: 'Open discern.toml', command: 'vscode.open', arguments: [uri] }]
      : []),
    ...(error === 'not_a_git_repository' ? [{ title: 'Initialize Repository', command: 'git.init' }] : []),
  ]);
}

/** Opens the file, and has the window's server hold the new project where it holds none. */
async function made(app: App, { data: { file, root } }: { data: InitData }): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  const client = await app.server.client();
  const held = await client.held();
  app.model.setHeld(held.root === null ? await client.aim(root) : held);
  app.refresh();
}

const marks = { error: '✖', warn: '⚠', ok: '✔' };

/** `Discern: Doctor`: everything that was looked at, worst first, as a document to read and to copy from. */
export async function doctor(
  app: App,
  documents: PreviewDocuments,
  target: CommandTarget,
): Promise<Envelope | undefined> {
  const path = targetPath(target) ?? (app.model.view.held?.root == null ? firstFolder() : undefined);
  const envelope = await quietly(app, 'doctor', path === undefined ? {} : { path });
  if (!envelope) return undefined;
  if (!isWhole(envelope)) {
    show(vscode.window.showWarningMessage, `Discern doctor: ${envelope.message}`, []);
    return envelope;
  }
  await documents.render('discern doctor.md', doctorText(envelope.data, envelope.message ?? ''));
  return envelope;
}

const firstFolder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;

/** A doctor's findings as Markdown. */
export function doctorText({ root, version, findings }: DoctorData, message: string): string {
  const lines = findings.map(
    ({ check, level, what, remedy }) =>
      `${marks[level]} **${check}**: ${what}${remedy === undefined ? '' : `\n   → ${remedy}`}\n`,
  );
  return [`# Discern doctor`, '', message, '', `${root} (discern ${version})`, '', ...lines].join('\n');
}
