import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { worktreeNodes } from '../../../src/extension/fleet/rows.ts';
import { letGo } from '../../../src/extension/kept.ts';
import { rootNodes } from '../../../src/extension/views/root-tree.ts';
import {
  asAgent,
  asPerson,
  commitFile,
  extension,
  git,
  shown,
  startAgentServer,
  startedBy,
  until,
  view,
} from './support.ts';

const folder = () => realpathSync(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');

describe('A window with one folder', () => {
  let prefix = '';

  before(async () => {
    await vscode.workspace
      .getConfiguration('discern')
      .update('followWorktree', 'never', vscode.ConfigurationTarget.Global);
    await view((now) => now.status !== undefined, 'the held root has a status');
    prefix = await startAgentServer();
  });

  it('holds its folder, aligned, with one server process of its own', async () => {
    const now = await view((one) => one.held?.root === folder(), 'the held root is the folder');
    assert.equal(now.divergence.state, 'aligned');
    assert.deepEqual(shown(now), {
      label: undefined,
      remedy: undefined,
      colour: undefined,
      bar: undefined,
    });
    assert.equal(now.server, 'running');
    const { server } = await extension();
    assert.ok(server.pid && server.pid !== process.pid);
  });

  it('follows an agent’s start without a refresh, and its accept back', async () => {
    const path = await startedBy(prefix, 'From an agent');
    const moved = await view(
      (now) => now.held?.root === path && now.status?.root === path,
      'the tree shows the worktree',
    );
    assert.equal(moved.divergence.state, 'diverged');
    assert.deepEqual(shown(moved), {
      label: 'Not in this window',
      remedy: 'discern.addHeldRoot',
      colour: 'list.warningForeground',
      bar: 'statusBarItem.warningBackground',
    });
    assert.equal(rootNodes(moved)[0]?.id, 'divergence', 'it is the first line');
    assert.ok(
      worktreeNodes(moved, true).some(
        (node) => node.path === path && node.context === 'worktree.managed.held',
      ),
    );

    await commitFile(path, 'agent.txt', 'by an agent\n');
    const done = await asAgent(prefix, 'done');
    assert.equal(done.ok, true, done.message);
    assert.equal(done.data?.root, path, 'the gate ran in the worktree');
    const proved = await view((now) => now.status?.proof.state === 'valid', 'the proof shows');
    assert.equal(proved.run?.caller, 'agent');
    assert.equal(proved.run?.ok, true);

    const accepted = await asAgent(prefix, 'accept');
    assert.equal(accepted.ok, true, accepted.message);
    const back = await view(
      (now) => now.held?.root === folder() && now.status?.root === folder(),
      'the tree shows the folder again',
    );
    assert.equal(back.divergence.state, 'aligned');
    assert.match(await git(folder(), 'log', '--format=%s', '-1'), /change agent\.txt/);
  });

  it('lets the person land what an agent started, in the same server process', async () => {
    const { server } = await extension();
    const pid = server.pid;
    const path = await startedBy(prefix, 'Landed by hand');
    await commitFile(path, 'shared.txt', 'by both\n');
    const envelope = await asPerson('accept');
    assert.equal(envelope.ok, true, envelope.message);
    assert.equal(server.pid, pid);
    await view((now) => now.held?.root === folder(), 'the window is back');
  });

  it('keeps the held root when VS Code stops and starts its MCP server in the middle', async () => {
    const path = await startedBy(prefix, 'Long work');
    await vscode.commands.executeCommand('workbench.mcp.stopServer', 'discern-vscode.discern-vscode/Discern');
    prefix = await startAgentServer();
    assert.equal((await asAgent(prefix, 'status')).data?.root, path);
    await asPerson('drop', { worktree: path, delete_branch: true, path: folder() });
  });

  it('says when the held root is missing, and how to go on', async () => {
    const now = await view((one) => one.divergence.state === 'missing', 'the dropped worktree is missed');
    assert.deepEqual(shown(now), {
      label: 'Gone',
      remedy: 'discern.aimHere',
      colour: 'list.errorForeground',
      bar: 'statusBarItem.warningBackground',
    });
    assert.equal((await asAgent(prefix, 'done')).error, 'root_missing');
    await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(folder()));
    await view(
      (one) => one.held?.root === folder() && one.divergence.state === 'aligned',
      'the person aimed it back',
    );
  });

  it('says when edits go to the wrong checkout', async () => {
    const path = await startedBy(prefix, 'Stranded');
    await view((one) => one.held?.root === path && one.status !== undefined, 'the worktree is held');
    const file = vscode.Uri.joinPath(vscode.Uri.file(folder()), 'src', 'a.txt');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('edited in the wrong place\n'));
    const now = await view((one) => one.divergence.state === 'strand', 'the strand shows');
    assert.deepEqual(shown(now), {
      label: 'Edits go elsewhere',
      remedy: 'discern.openHeldRoot',
      colour: 'list.warningForeground',
      bar: 'statusBarItem.warningBackground',
    });
    await git(folder(), 'checkout', '--', '.');
    await view((one) => one.divergence.state === 'diverged', 'the strand is over');
    await rm(path, { recursive: true });
    await git(folder(), 'worktree', 'prune');
    await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(folder()));
    await view((one) => one.divergence.state === 'aligned', 'aligned again');
  });

  it('says when the held root is of another repository', async () => {
    const other = `${folder()}-other`;
    try {
      await mkdir(other);
      await git(other, 'init', '--quiet', '--initial-branch', 'main');
      await commitFile(other, 'discern.toml', '[project]\nname = "other"\n');
      await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(other));
      const now = await view(
        (one) => one.status?.root === other && one.divergence.state === 'foreign',
        'the foreign root shows',
      );
      assert.deepEqual(shown(now), {
        label: 'Another repository',
        remedy: 'discern.aimHere',
        colour: 'list.warningForeground',
        bar: 'statusBarItem.warningBackground',
      });
    } finally {
      await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(folder()));
      await rm(other, { recursive: true });
    }
    await view((one) => one.divergence.state === 'aligned', 'aligned again');
  });

  it('draws squiggles in discern.toml as one types', async () => {
    const document = await vscode.workspace.openTextDocument(
      vscode.Uri.joinPath(vscode.Uri.file(folder()), 'discern.toml'),
    );
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) =>
      edit.insert(document.positionAt(document.getText().length), '\n[gate]\nfial_fast = true\n'),
    );
    const found = await until(() => vscode.languages.getDiagnostics(document.uri)[0]);
    assert.match(found.message, /fial_fast/);
    assert.equal(found.range.start.line, document.lineCount - 2);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until(() => (vscode.languages.getDiagnostics(document.uri).length === 0 ? true : undefined));
  });

  it('shows what removals kept at the end of the Worktrees tree, and brings it back or lets it go', async () => {
    const path = await startedBy(prefix, 'Thrown away');
    const thrown = await commitFile(path, 'precious.txt', 'precious\n');
    await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(folder()));
    const dropped = await asPerson('drop', {
      worktree: path,
      delete_branch: true,
      force: true,
      path: folder(),
    });
    assert.equal(dropped.ok, true, dropped.message);
    const now = await view((one) => one.status?.kept?.total === 1, 'what was kept shows');
    const group = worktreeNodes(now, true).at(-1);
    assert.deepEqual([group?.context, group?.collapsed, group?.children?.length], ['kept', true, 1]);
    const [node] = group?.children ?? [];
    assert.equal(node?.context, 'keptRef');
    assert.match(node?.tooltip ?? '', /git branch .*\n.*git update-ref -d /);
    await vscode.commands.executeCommand('discern.restoreKept', node);
    const branch = `recovered/${node?.label}`;
    assert.equal(await git(folder(), 'show', `${branch}:precious.txt`), 'precious');
    await git(folder(), 'merge-base', '--is-ancestor', thrown, branch);
    assert.ok(node?.kept);
    await assert.rejects(
      letGo(folder(), { ...node.kept, commit: '1'.repeat(40) }),
      'not if it is another by now',
    );
    await letGo(folder(), node.kept);
    await vscode.commands.executeCommand('discern.refresh');
    const after = await view((one) => one.status !== undefined && !one.status.kept, 'nothing is kept');
    assert.ok(!worktreeNodes(after, true).some(({ id }) => id === 'kept'));
    await git(folder(), 'branch', '-D', branch);
  });

  it('restarts a server that crashes, with the held root it had', async () => {
    const path = await startedBy(prefix, 'Survivor');
    const { server } = await extension();
    const { pid } = server;
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    await until(() =>
      server.pid !== undefined && server.pid !== pid && server.state === 'running' ? true : undefined,
    );
    const now = await view(
      (one) => one.held?.root === path && one.status?.root === path,
      'the worktree is still held',
    );
    assert.equal(now.held?.missing, false);
    prefix = await startAgentServer();
    assert.equal((await asAgent(prefix, 'status')).data?.root, path);
    await asPerson('drop', { worktree: path, delete_branch: true, path: folder() });
    await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(folder()));
  });
});
