import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { elsewhere } from '../../../src/extension/elsewhere.ts';
import { worktreeNodes } from '../../../src/extension/fleet/rows.ts';
import { rootNodes } from '../../../src/extension/views/root-tree.ts';
import { asAgent, asPerson, commitFile, startAgentServer, startedBy, until, view } from './support.ts';

const folder = () => realpathSync(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');
const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

/** The files in which Problems shows findings of ours, by their names, with how many. */
const problems = () =>
  Object.fromEntries(
    vscode.languages
      .getDiagnostics()
      .map(([uri, list]) => [
        basename(uri.fsPath),
        list.filter((one) => one.source?.startsWith('discern')).length,
      ])
      .filter(([, count]) => count !== 0),
  );

describe('Everyday work in a window', () => {
  let prefix = '';
  let path = '';

  before(async () => {
    await view((now) => now.status !== undefined, 'the held root has a status');
    prefix = await startAgentServer();
    path = await startedBy(prefix, 'Everyday 2');
    await view((now) => now.held?.root === path && now.status?.root === path, 'the worktree is held');
  });

  it('marks what is open of the landing checkout while the work is in a worktree, and leads there', async () => {
    const now = await view((one) => elsewhere(one) !== undefined, 'the work is elsewhere');
    assert.deepEqual(elsewhere(now), { landing: folder(), worktree: path });
    const uri = vscode.Uri.file(join(folder(), 'src', 'a.txt'));
    await vscode.window.showTextDocument(uri);
    const lenses = async () => {
      const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri,
      );
      return all.flatMap(({ command }) => (command?.command === 'discern.openThere' ? [command] : []));
    };
    const [lens] = await lenses();
    assert.match(lens?.title ?? '', new RegExp(`in the worktree ${basename(path)}, not in this checkout`));
    await vscode.commands.executeCommand(lens?.command ?? '', ...(lens?.arguments ?? []));
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, join(path, 'src', 'a.txt'));
    const inWorktree = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      vscode.Uri.file(join(path, 'src', 'a.txt')),
    );
    assert.deepEqual(
      inWorktree.filter(({ command }) => command?.command === 'discern.openThere'),
      [],
    );
    const settings = vscode.workspace.getConfiguration('discern');
    await settings.update('markLandingCheckout', false, vscode.ConfigurationTarget.Global);
    assert.deepEqual(await lenses(), []);
    await settings.update('markLandingCheckout', undefined, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('says in whole why there is no proof', async () => {
    await commitFile(path, 'src/c.txt', 'BROKEN\n');
    const now = await view(
      (one) => one.status?.proof.state === 'none' || one.status?.proof.state === 'stale',
      'nothing is proved',
    );
    const node = rootNodes(now)
      .find(({ id }) => id === 'held')
      ?.children?.find(({ id }) => id === 'held.proof');
    assert.match(node?.label ?? '', /^No proof$|^Proof out of date$/);
    assert.equal(node?.description, undefined);
    assert.equal(node?.children?.map(({ label }) => label).join(' '), now.status?.proof.reason);
    assert.ok(node?.children?.every(({ label }) => label.length <= 40));
  });

  it('lets findings go file by file, when their job has run again', async () => {
    await commitFile(path, 'src/b.txt', 'BROKEN\n');
    assert.equal((await asAgent(prefix, 'done')).error, 'gate_failed');
    assert.deepEqual(problems(), { 'b.txt': 1, 'c.txt': 1 });
    await commitFile(path, 'src/b.txt', 'fine\n');
    // Tests alone say nothing of what the linter found.
    await asAgent(prefix, 'test');
    assert.deepEqual(problems(), { 'b.txt': 1, 'c.txt': 1 });
    const events: string[] = [];
    const subscription = vscode.languages.onDidChangeDiagnostics(({ uris }) =>
      events.push(...uris.map(({ fsPath }) => basename(fsPath))),
    );
    assert.equal((await asAgent(prefix, 'done')).error, 'gate_failed');
    assert.deepEqual(problems(), { 'c.txt': 1 });
    await until(() => (events.includes('b.txt') ? true : undefined));
    subscription.dispose();
    assert.ok(!events.includes('c.txt'), `what stays is left alone: ${events}`);
    await commitFile(path, 'src/c.txt', 'fine\n');
    assert.equal((await asAgent(prefix, 'done')).ok, true);
    assert.deepEqual(problems(), {});
  });

  it('lists worktrees where a gate runs first and then as a person counts, with the proof in the row', async () => {
    const now = await view((one) => one.status?.proof.state === 'valid', 'the proof shows');
    const own = now.status?.worktrees.find(({ root }) => root === path);
    assert.ok(own && now.status);
    const named = (id: string) => ({ ...own, id, root: `/w/${id}`, path: `/w/${id}`, branch: `agent/${id}` });
    const many = {
      ...now,
      fleet: undefined,
      status: {
        ...now.status,
        worktrees: [...now.status.worktrees, named('task-11'), named('task-10'), named('task-9')],
      },
      running: new Map([['/w/task-10', 'done']]),
      proved: new Map([['/w/task-9', own.commit]]),
    };
    const rows = worktreeNodes(many, true).map(({ label, description }) => `${label}: ${description}`);
    assert.deepEqual(
      rows.slice(1),
      ['task-10: ↑4 · done running', `${own.id}: ↑4 · proved · held`, 'task-9: ↑4 · proved', 'task-11: ↑4'],
      rows.join('\n'),
    );
    assert.ok(
      !worktreeNodes(many, false).some(({ path: root }) => root === folder()),
      'without the trunk’s row',
    );
  });

  it('opens what would land in one editor of several files', async () => {
    await vscode.commands.executeCommand('discern.reviewChanges');
    const label = `What lands from ${basename(path)}`;
    await until(() => tabs().find((tab) => tab.label.startsWith(label)));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('renders what the doctor says', async () => {
    await vscode.commands.executeCommand('discern.doctor');
    const preview = await until(() => tabs().find(({ input }) => input instanceof vscode.TabInputWebview));
    assert.match(preview.label, /discern doctor/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  after(async () => {
    await asPerson('drop', { worktree: path, delete_branch: true, force: true, path: folder() });
    await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(folder()));
    await view((one) => one.divergence.state === 'aligned', 'aligned again');
  });
});
