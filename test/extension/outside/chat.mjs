import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Chat } from '../../../scripts/vscode/chat.mjs';
import { commit, git, worktrees } from '../../../scripts/vscode/stage.mjs';

export const name =
  'An agent in the chat starts, gates and lands through VS Code’s own confirmations; another chat keeps its own held root, and the window shows the last re-aim';

export const agent = true;

export async function run(stage) {
  const project = stage.project();
  const window = await stage.open(project);
  await window.holds('app');
  await window.openContainer();
  const chat = await Chat.inPanel(window);
  const other = await Chat.inEditor(window);

  const seen = await other.ask('status');
  assert.deepEqual([seen.ok, seen.root, seen.held], [true, project, project]);

  const started = await chat.ask('start', { name: 'Discounts for regulars' });
  assert.equal(started.ok, true, JSON.stringify(started));
  const worktree = started.path;
  assert.deepEqual(worktrees(project), [project, worktree]);
  await window.holds(basename(worktree));
  await window.row('Root', new RegExp(`^Held root ${basename(worktree)}, branch `));
  await window.row('Worktrees', new RegExp(`^Worktree ${basename(worktree)}.*held by the server`));
  const still = await other.ask('status');
  assert.deepEqual(
    [still.root, still.held],
    [project, project],
    'the other chat stays where it was seen first',
  );

  const second = (await other.ask('start', { name: 'Returns' })).path;
  await window.holds(basename(second));
  const branch = git(worktree, 'branch', '--show-current');
  const made = commit(worktree, { 'src/discount.txt': 'ten percent\n' }, 'Add a discount');
  const done = await chat.ask('done');
  assert.deepEqual([done.ok, done.root], [true, worktree], 'this chat’s gate runs where this chat works');

  const landed = await chat.ask('accept');
  assert.deepEqual([landed.ok, landed.root], [true, project]);
  assert.equal(git(project, 'rev-parse', 'main'), made);
  assert.ok(existsSync(join(project, 'src/discount.txt')));
  assert.deepEqual(worktrees(project), [project, second]);
  assert.equal(git(project, 'branch', '--list', branch), '', 'its branch is gone');
  await window.holds('app');
  await window.row('Root', /^Held root app, branch main/);
  assert.equal((await other.ask('status')).held, second, 'the other chat is still in its own worktree');
  assert.ok(chat.confirmed > 0, 'VS Code asked the person before a tool ran');
}
