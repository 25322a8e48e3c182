import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { Chat } from '../../../scripts/vscode/chat.mjs';
import { commit, git } from '../../../scripts/vscode/stage.mjs';

export const name =
  'An agent in the chat that works in a worktree of its own making is never told a bare green about main: done names the worktree first';

export const agent = true;

export async function run(stage) {
  const project = stage.project();
  const window = await stage.open(project);
  await window.holds('app');
  const chat = await Chat.inPanel(window);
  const seen = await chat.ask('status');
  assert.deepEqual([seen.root, seen.divergence], [project, undefined]);

  const own = join(dirname(project), 'own');
  git(project, 'worktree', 'add', '--quiet', '-b', 'own', own);
  commit(own, { 'src/b.txt': 'BROKEN\n' }, 'broken');
  const done = await chat.ask('done');
  assert.deepEqual([done.ok, done.root], [true, project]);
  assert.ok(done.divergence.includes(own), JSON.stringify(done));
  assert.ok(done.message.startsWith(`This is about ${project}`), done.message);
  assert.ok(done.message.indexOf(own) < done.message.indexOf('passed'), done.message);

  const there = await chat.ask('done', { path: own });
  assert.deepEqual([there.ok, there.error, there.root], [false, 'gate_failed', own]);
  assert.equal(there.divergence, undefined);
}
