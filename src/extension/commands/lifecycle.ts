import * as vscode from 'vscode';
import type { AnswerOf } from '../../contract/answers.ts';
import { count } from '../../contract/count.ts';
import type { KeptRef } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { GateVerb } from '../../contract/traits.ts';
import { messageOf } from '../../contract/values.ts';
import type { Args, Verb } from '../../contract/verbs.ts';
import type { App } from '../app.ts';
import { isOn } from '../settings.ts';
import { shortName } from '../wording.ts';

/** A tree node, an Explorer resource, a repository of the Source Control view, or nothing (the palette). */
export type CommandTarget = { path?: string; kept?: KeptRef; rootUri?: vscode.Uri } | vscode.Uri | undefined;

/** The directory a command was called on; `undefined` means the held root. */
export function targetPath(target: CommandTarget): string | undefined {
  if (target instanceof vscode.Uri) return target.fsPath;
  return target?.path ?? target?.rootUri?.fsPath;
}

const withPath = (target: CommandTarget) => {
  const path = targetPath(target);
  return path === undefined ? {} : { path };
};

/** `Discern: Start Worktree…` */
export async function start({ runVerb }: App, target: CommandTarget): Promise<Envelope | undefined> {
  const name = await vscode.window.showInputBox({
    title: 'Start Worktree',
    prompt: 'What is the work about? A few words; they name the branch and the folder.',
    placeHolder: 'Discounts for regular customers',
    validateInput: (text) =>
      /[\p{L}\p{N}]/u.test(text) || text === '' ? undefined : 'Use at least one letter or digit.',
  });
  if (name === undefined) return undefined;
  return runVerb(
    'start',
    { ...(name.trim() && { name: name.trim() }), ...withPath(target) },
    'Discern: starting a worktree',
  );
}

/** `Discern: Prepare`, `Test`, `Done`, `Update`, `Measure Standards`. */
export function simple(verb: GateVerb | 'update' | 'standards', title: string) {
  return ({ runVerb }: App, target: CommandTarget) => runVerb(verb, withPath(target), `Discern: ${title}`);
}

/** `Discern: Pin Standards`: tightens the limits that improved, and commits that. */
export function pinStandards({ runVerb }: App, target: CommandTarget): Promise<Envelope | undefined> {
  return runVerb('standards', { ...withPath(target), pin: true }, 'Discern: pinning the standards');
}

/** `Discern: Accept`: shows what will land, asks, then lands it. */
export async function accept(app: App, target: CommandTarget): Promise<Envelope | undefined> {
  const args = withPath(target);
  const preview = await quietly(app, 'accept', { ...args, dry_run: true });
  if (!preview) return undefined;
  if (!preview.ok) return app.runVerb('accept', { ...args, dry_run: true }, 'Discern: accept');
  const { files = [], trunk, branch } = preview.data ?? {};
  const steps = preview.plan?.steps ?? [];
  const commits = steps.filter((step) => step.action === 'land').map((step) => `• ${step.detail}`);
  const removed = steps.filter((step) => step.action === 'remove').map((step) => step.detail);
  const gate = steps.some((step) => step.action === 'run the gate')
    ? 'The gate runs first: there is no valid proof.\n\n'
    : '';
  const detail = `${gate}${commits.join('\n')}\n\n${count(files.length, 'file')}: ${files.slice(0, 12).join(', ')}${files.length > 12 ? ', …' : ''}${removed.length > 0 ? `\n\nRemoves ${removed.join(', ')} and its branch.` : '\n\nThe checkout and its branch are kept.'}`;
  const choice = isOn('confirmAccept')
    ? await vscode.window.showWarningMessage(
        `Land ${branch ?? 'this commit'} on ${trunk ?? 'the trunk'}?`,
        { modal: true, detail },
        'Accept',
        'Review Changes',
      )
    : 'Accept';
  if (choice === 'Review Changes') await vscode.commands.executeCommand('discern.reviewChanges', target);
  return choice === 'Accept' ? app.runVerb('accept', args, 'Discern: landing') : undefined;
}

/** `Discern: Drop Worktree…`: names what would be lost before it asks. */
export async function drop(app: App, target: CommandTarget): Promise<Envelope | undefined> {
  const worktree = targetPath(target) ?? (await pickWorktree(app));
  if (worktree === undefined) return undefined;
  const preview = await quietly(app, 'drop', { worktree, delete_branch: true, force: true, dry_run: true });
  if (!preview) return undefined;
  if (!preview.ok)
    return app.runVerb('drop', { worktree, delete_branch: true, dry_run: true }, 'Discern: drop');
  const { lost = [] } = preview.data ?? {};
  const [and, keep] =
    lost.length > 0
      ? ['Drop with Recovery Ref', 'Drop with Recovery Ref, Keep Branch']
      : ['Drop', 'Drop, Keep Branch'];
  const choice = await vscode.window.showWarningMessage(
    `Drop ${shortName(worktree)}?`,
    {
      modal: true,
      detail:
        lost.length > 0
          ? `It holds work that is not on the trunk:\n${lost.map((one) => `• ${one}`).join('\n')}\n\nAll of it is kept under a recovery ref.`
          : 'It holds nothing that is not on the trunk.',
    },
    and as string,
    keep as string,
  );
  if (choice === undefined) return undefined;
  const args = { worktree, delete_branch: choice === and, ...(lost.length > 0 && { force: true }) };
  return app.runVerb('drop', args, 'Discern: dropping a worktree');
}

async function pickWorktree({ model }: App): Promise<string | undefined> {
  const trees = (model.view.status?.worktrees ?? []).filter((tree) => tree.location === 'worktree');
  if (trees.length === 0) {
    vscode.window.showInformationMessage('There is no worktree to drop.').then(undefined, () => undefined);
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    trees.map((tree) => ({
      label: tree.id ?? shortName(tree.path),
      description: tree.branch ?? 'detached HEAD',
      detail: tree.path,
      path: tree.path,
    })),
    { title: 'Drop Worktree', placeHolder: 'Which worktree?' },
  );
  return picked?.path;
}

/** A preview or a look, without progress or messages of its own. */
export async function quietly<V extends Verb>(
  app: App,
  verb: V,
  args: Args<V>,
): Promise<AnswerOf<V> | undefined> {
  try {
    return await (await app.server.client()).call(verb, args);
  } catch (error) {
    app.log.error(String(error));
    vscode.window
      .showErrorMessage(`Discern's server does not answer: ${messageOf(error)}`)
      .then(undefined, () => undefined);
    return undefined;
  }
}
