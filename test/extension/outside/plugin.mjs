import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../../../scripts/vscode/chat.mjs';
import { worktrees } from '../../../scripts/vscode/stage.mjs';

export const name =
  'Where the plugin brings the server, every tool is there once, and an agent in the chat starts a worktree by it';

export const agent = true;

export async function run(stage) {
  const project = stage.project();
  mkdirSync(join(project, '.vscode'));
  writeFileSync(join(project, '.vscode', 'settings.json'), '{ "discern.serverFrom": "plugin" }\n');
  const window = await stage.open(project);
  await window.holds('app');
  await window.openContainer();
  const chat = await Chat.inPanel(window);
  const seen = await chat.ask('status');
  assert.deepEqual([seen.ok, seen.root, seen.held], [true, project, project]);
  const { names } = await chat.ask('tools');
  assert.deepEqual(
    names.filter((one) => one.endsWith('_discern_status')).length,
    1,
    `each tool is listed once: ${names.join(', ')}`,
  );
  assert.ok(!names.some((one) => one.includes('Discern')), names.join(', '));
  const started = await chat.ask('start', { name: 'By the plugin' });
  assert.equal(started.ok, true, JSON.stringify(started));
  assert.deepEqual(worktrees(project), [project, started.path]);
}
