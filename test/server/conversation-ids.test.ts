import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projects } from '../support/project.ts';
import { connections } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

describe('The id of a conversation', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('of three megabytes stands by its digest: nothing of it is stored, and no other shares it', async () => {
    const project = await make();
    const state = join(project.home, 'state.json');
    const server = await open({ args: ['--root', project.root, '--state', state] });
    const long = 'x'.repeat(3_000_000);
    const talk = (id: string, tool: string, args: Record<string, unknown> = {}) =>
      server.call(tool, args, { meta: { 'vscode.conversationId': id } });
    const one = await talk(`${long}1`, 'discern_start', { name: 'one' });
    const other = await talk(`${long}2`, 'discern_start', { name: 'two', path: project.root });
    assert.equal(one.envelope.ok && other.envelope.ok, true, one.text + other.text);
    const again = await talk(`${long}1`, 'discern_status');
    assert.equal(again.envelope.data.root, one.envelope.data.path, 'each keeps its own');
    assert.ok((await readFile(state, 'utf8')).length < 5_000);
  });
});
