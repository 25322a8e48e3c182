import * as vscode from 'vscode';
import type { AnswerOf } from '../../contract/answers.ts';
import type { KeptRef } from '../../contract/data.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { GateVerb } from '../../contract/traits.ts';
import { messageOf } from '../../contract/values.ts';
import type { Args, Verb } from '../../contract/verbs.ts';
import type { App } from '../app.ts';
import { landingChoices, landingDetail } from '../landing-choices.ts';
import { words } from '../log.ts';
import { isOn } from '../settings.ts';
import type { SessionTarget } from '../views/node.ts';
import { shortName } from '../wording.ts';

/** A tree node, an Explorer resource, a repository of the Source Control view, or nothing (the palette). */
export type CommandTarget =
  | { path?: string; kept?: KeptRef; session?: SessionTarget; rootUri?: vscode.Uri }
  | vscode.Uri
  | undefined;

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
  const { trunk, branch } = preview.data ?? {};
  const choices = landingChoices(preview);
  const label = isOn('confirmAccept')
    ? await vscode.window.showWarningMessage(
        `Land ${branch ?? 'this commit'} on ${trunk ?? 'the trunk'}?`,
        { modal: true, detail: landingDetail(preview) },
        ...choices.map((one) => one.label),
        'Review Changes',
      )
    : 'Accept';
  if (label === 'Review Changes') await vscode.commands.executeCommand('discern.reviewChanges', target);
  const choice = choices.find((one) => one.label === label);
  if (!choice) return undefined;
  const answer = await app.runVerb('accept', { ...args, ...choice.args }, 'Discern: landing');
  if (answer?.ok) offerNext(app, answer, args).catch((error) => app.log.error(words(error)));
  return answer;
}

/** What is next where the work has not landed yet: the queue is to be run by somebody, and a pull request is read elsewhere. */
async function offerNext(
  app: App,
  { data, message = '' }: AnswerOf<'accept'>,
  args: { path?: string },
): Promise<void> {
  const { queue, pull_request: opened } = data ?? {};
  if (!queue && !opened) return;
  const title = opened ? 'Open in Browser' : 'Run the Queue';
  if ((await vscode.window.showInformationMessage(message, title)) !== title) return;
  if (opened) await vscode.env.openExternal(vscode.Uri.parse(opened.url));
  else await app.runVerb('queue', { ...args, action: 'run' }, 'Discern: landing the queue');
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
