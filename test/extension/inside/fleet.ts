import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { waiting, worktreeNodes } from '../../../src/extension/fleet/rows.ts';
import { agentTerminal, typeInto } from '../../../src/extension/fleet/terminals.ts';
import type { TreeNode } from '../../../src/extension/views/node.ts';
import { asAgent, asPerson, startAgentServer, startedBy, until, view } from './support.ts';

const folder = () => realpathSync(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');

/** A transcript of a real Claude Code, in the repository the extension comes from. */
const recordedId = '9c466457-0cd1-4f6d-9471-8c55506cf0e4';
const recorded = () => {
  const root = vscode.extensions.getExtension('discern-vscode.discern-vscode')?.extensionPath ?? '';
  const file = `test/fixtures/sessions/.claude/projects/-home-person-app/${recordedId}.jsonl`;
  return readFileSync(join(root, file), 'utf8');
};

describe('The fleet in a window', () => {
  const home = process.env.CLAUDE_CONFIG_DIR ?? '';
  let path = '';

  before(async () => {
    assert.notEqual(home, '');
    await view((now) => now.status !== undefined, 'the held root has a status');
    const prefix = await startAgentServer();
    path = await startedBy(prefix, 'Fleet');
    // A session that stands in the worktree, as Claude Code writes it.
    const sessions = join(home, 'projects', '-folder');
    mkdirSync(sessions, { recursive: true });
    writeFileSync(join(sessions, `${recordedId}.jsonl`), recorded().replaceAll('/home/person/app', path));
    const told = await asAgent(prefix, 'phase', {
      worktree: path,
      word: 'testing',
      note: 'the second half',
      blocked: true,
    });
    assert.equal(told.ok, true, told.message);
  });

  after(async () => {
    rmSync(join(home, 'projects'), { recursive: true });
    await asPerson('drop', { worktree: path, delete_branch: true, force: true, path: folder() });
    await vscode.commands.executeCommand('discern.aimHere', vscode.Uri.file(folder()));
    await view((one) => one.divergence.state === 'aligned', 'aligned again');
  });

  const row = async (): Promise<TreeNode> => {
    const now = await view(
      (one) =>
        worktreeNodes(one, true).some(
          (node) =>
            node.path === path && /^needs you/.test(node.description ?? '') && node.children?.length === 1,
        ),
      'the worktree needs a person, with a session below',
    );
    assert.equal(waiting(now, true), 1);
    return worktreeNodes(now, true).find((node) => node.path === path) as TreeNode;
  };

  it('has who needs a person first, without a look that was asked for, with phase and session', async () => {
    const node = await row();
    assert.match(node.description ?? '', /^needs you: blocked · .*testing \(the second half\) · held$/);
    assert.equal(node.icon?.id, 'bell-dot');
    const [session] = node.children ?? [];
    assert.equal(session?.context, 'session.worktree.resumable');
    assert.equal(session?.session?.id, recordedId);
    const now = await view(() => true, '');
    assert.equal(worktreeNodes(now, true)[0]?.path, path);
  });

  it('renders what was asked in a session', async () => {
    const [session] = (await row()).children ?? [];
    await vscode.commands.executeCommand('discern.recollectSession', session);
    await until(() =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .find(({ label }) => label.includes(`claude ${recordedId.slice(0, 8)}`)),
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('opens a session in a terminal of the worktree by its client’s own command, once, and types into it', async () => {
    const [session] = (await row()).children ?? [];
    await vscode.commands.executeCommand('discern.resumeSession', session);
    const terminal = await until(() => agentTerminal(path));
    try {
      const said = join(path, 'said.txt');
      await until(() => (existsSync(said) ? true : undefined));
      assert.deepEqual(readFileSync(said, 'utf8').trim().split('\n'), [path, path, `--resume=${recordedId}`]);
      await vscode.commands.executeCommand('discern.goTo', vscode.Uri.file(path));
      assert.equal(vscode.window.activeTerminal, terminal);
      await typeInto(terminal, 'Go on\u001b[201~, please.');
      const heard = join(path, 'heard.txt');
      await until(() => (existsSync(heard) && readFileSync(heard, 'utf8') !== '' ? true : undefined));
      // What ends a paste is taken out of the text.
      assert.equal(readFileSync(heard, 'utf8'), '\u001b[200~Go on[201~, please.\u001b[201~\n');
      await until(() => (agentTerminal(path) === undefined ? true : undefined));
    } finally {
      terminal.dispose();
    }
  });
});
