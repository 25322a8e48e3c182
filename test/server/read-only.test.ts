import assert from 'node:assert/strict';
import { type Verb, verbNames, verbs } from '../../src/contract/verbs.ts';
import { instructions } from '../../src/server/instructions.ts';
import { started } from '../support/checkouts.ts';
import { killedAt } from '../support/invariants.ts';
import { git, projects } from '../support/project.ts';
import { clients, connections, namesNothing, requiredArguments } from '../support/server.ts';
import { snapshot } from '../support/snapshot.ts';
import { hello, rawServers, toolCall } from '../support/stdio.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const raw = rawServers();

/** What the registry says only looks, and `status`, which can be told to. */
const looks = (verb: Verb) => verb === 'status' || verbs[verb].annotations.readOnlyHint;

describe('A server with --read-only', () => {
  afterEach(async () => {
    await closeAll();
    await raw.stopAll();
    await removeAll();
  });

  for (const client of clients) {
    it(`lists the tools that only look, each saying so, and answers them (${client})`, async () => {
      const project = await make();
      const connection = await open({ args: ['--root', project.root, '--read-only'] }, client);
      const tools = await connection.tools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        verbNames.filter(looks).map((verb) => `discern_${verb}`),
      );
      for (const { name, annotations } of tools) {
        assert.equal((annotations as { readOnlyHint: boolean }).readOnlyHint, true, name);
        const { envelope } = await connection.call(name, requiredArguments[name]);
        assert.equal(envelope.ok, !namesNothing(name), name);
      }
      assert.equal(connection.instructions(), instructions.holding.looking);
    });
  }

  it('withholds every other tool by name, whatever it is called with', async () => {
    const project = await make();
    const before = await snapshot(project.home);
    const server = raw.start(['--root', project.root, '--read-only']);
    server.send(...hello);
    const withheld = verbNames.filter((verb) => !looks(verb));
    assert.ok(withheld.length >= 9);
    for (const [index, verb] of withheld.entries()) {
      server.send(toolCall(2 * index + 1, `discern_${verb}`, { dry_run: true }));
      server.send(toolCall(2 * index + 2, verb));
      for (const id of [2 * index + 1, 2 * index + 2]) {
        const { error } = await server.answer(id);
        assert.equal(error?.code, -32602);
        assert.match(
          error.message,
          /started with --read-only, which withholds "\w+"\. There are: discern_status/,
        );
      }
    }
    assert.deepEqual(await snapshot(project.home), before);
  });

  it('names an interrupted landing and leaves it as it is; a server without the flag finishes it', async () => {
    const project = await make();
    const { path, branch } = await started(project.root, { name: 'cut-off' });
    const commit = await project.commit({ 'src/a.txt': 'landed\n' }, path);
    await killedAt('accept.moved', 'accept', path);
    const looking = await open({ args: ['--root', project.root, '--read-only'] });
    const before = await snapshot(project.home);
    const { envelope, text } = await looking.call('discern_status');
    assert.deepEqual(envelope.data.findings, [
      { what: `A landing of ${branch} on main was interrupted.`, remedy: 'discern status' },
    ]);
    assert.match(text, /found: A landing of .* was interrupted\. Remedy: discern status/);
    assert.equal(envelope.data.recovery, undefined);
    await looking.resource('discern://status');
    assert.deepEqual(await snapshot(project.home), before);

    const other = await open({ args: ['--root', project.root] });
    const finished = await other.call('discern_status');
    assert.match(finished.text, /An interrupted landing of .* was finished/);
    assert.equal(await git(project.root, 'rev-parse', 'HEAD'), commit);
  });

  it('has instructions of at most 200 words that name no tool it withholds', () => {
    for (const [kind, { all, looking }] of Object.entries(instructions)) {
      for (const text of [all, looking]) {
        const words = text.split(/\s+/).length;
        assert.ok(words > 50 && words <= 200, `${kind}: ${words} words`);
      }
      for (const [, verb] of looking.matchAll(/discern_([a-z]+)/g)) {
        assert.ok(looks(verb as Verb), `${kind}: ${verb}`);
      }
      for (const verb of verbNames.filter(looks)) {
        if (verb !== 'help') assert.ok(looking.includes(`discern_${verb}`), `${kind}: ${verb}`);
      }
    }
  });
});
