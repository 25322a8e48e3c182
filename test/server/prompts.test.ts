import assert from 'node:assert/strict';
import { verbNames } from '../../src/contract/verbs.ts';
import { projects } from '../support/project.ts';
import { hello, rawServers } from '../support/stdio.ts';

const { make, removeAll } = projects();
const raw = rawServers();

describe('The prompts', () => {
  afterEach(async () => {
    await raw.stopAll();
    await removeAll();
  });

  const get = (id: number, name: string, given?: Record<string, string>) => ({
    jsonrpc: '2.0',
    id,
    method: 'prompts/get',
    params: { name, ...(given && { arguments: given }) },
  });

  it('are for starting, landing and a red gate, and name only tools there are', async () => {
    const project = await make();
    const server = raw.start(['--root', project.root]);
    server.send(...hello, { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: {} });
    const listed = ((await server.answer(1)).result as { prompts?: { name: string; title: string }[] })
      .prompts;
    assert.deepEqual(
      listed?.map(({ name }) => name),
      ['start-work', 'finish-and-land', 'why-red'],
    );
    const given: Record<string, Record<string, string>> = {
      'start-work': { work: 'Discounts for $& students' },
    };
    for (const [index, { name, title }] of (listed ?? []).entries()) {
      assert.ok(title, name);
      server.send(get(10 + index, name, given[name]));
      const { messages } = (await server.answer(10 + index)).result as unknown as {
        messages: { role: string; content: { text: string } }[];
      };
      assert.equal(messages.length, 1);
      assert.equal(messages[0]?.role, 'user');
      const text = messages[0]?.content.text ?? '';
      if (name === 'start-work') assert.ok(text.includes('Discounts for $& students'), text);
      const tools = [...text.matchAll(/discern_([a-z]+)/g)].map(([, verb]) => verb);
      assert.ok(tools.length >= 3, text);
      for (const verb of tools) assert.ok((verbNames as string[]).includes(verb ?? ''), `${name}: ${verb}`);
    }
  });

  it('refuse in words what is of the wrong shape, as params that are wrong', async () => {
    const project = await make();
    const server = raw.start(['--root', project.root]);
    server.send(...hello);
    for (const [index, [params, says]] of [
      [{ name: 5 }, '"name" is a string.'],
      [{ name: 'start-work', arguments: { work: 7 } }, '"arguments.work" is a string.'],
      [{ name: 'start-work', arguments: [] }, '"arguments" is an object.'],
      [{}, '"name" is a string.'],
    ].entries()) {
      server.send({ jsonrpc: '2.0', id: 20 + index, method: 'prompts/get', params });
      const { error } = await server.answer(20 + index);
      assert.deepEqual(error, { code: -32602, message: `Invalid params for prompts/get: ${says}` });
    }
    server.send({
      jsonrpc: '2.0',
      id: 30,
      method: 'prompts/get',
      params: { name: 'why-red', arguments: null },
    });
    assert.equal((await server.answer(30)).error, undefined);
  });

  it('refuse in words what they do not know, and what is missing', async () => {
    const project = await make();
    const server = raw.start(['--root', project.root]);
    server.send(...hello, get(1, 'start-wrok'), get(2, 'start-work'), get(3, 'why-red', { work: 'x' }));
    server.send(get(4, 'start-work', { work: '  ' }));
    for (const [id, says] of [
      [1, /no prompt "start-wrok"; did you mean "start-work"\? There are: start-work, /],
      [2, /"start-work" needs "work": What is to be done/],
      [3, /"why-red" takes no arguments, not "work"/],
      [4, /"start-work" needs "work"/],
    ] as const) {
      const { error } = await server.answer(id);
      assert.equal(error?.code, -32602);
      assert.match(error.message, says);
    }
  });

  it('are not there on a server that only looks', async () => {
    const project = await make();
    const server = raw.start(['--root', project.root, '--read-only']);
    server.send(...hello, { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: {} });
    assert.equal((await server.answer(1)).error?.code, -32601);
  });
});
