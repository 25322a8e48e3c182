import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Session } from '../../src/server/session.ts';
import { MOST_CONVERSATIONS, StateStore } from '../../src/server/state-store.ts';
import { logged } from '../support/jobs.ts';
import { type Project, projects } from '../support/project.ts';
import { type Connection, connections } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

const config = `[project]\nname = "x"\n[jobs]\ntest = "echo $PWD >> ${'$'}(git rev-parse --git-common-dir)/ran"\n`;

const talk = (server: Connection, conversation: string, tool: string, args: Record<string, unknown> = {}) =>
  server.call(tool, args, { meta: { 'vscode.conversationId': conversation } });

/** More conversations than are remembered call once each. */
const crowd = async (server: Connection) => {
  for (let n = 0; n < MOST_CONVERSATIONS; n++) await talk(server, `other ${n}`, 'discern_help');
};

const ran = async ({ root }: Project) =>
  (await readFile(join(root, '.git/ran'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

describe('A conversation that was forgotten', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  for (const how of ['by a living server', 'with the server that knew it'] as const) {
    it(`${how} is told so, and acts on nobody else's worktree; a start holds again`, async () => {
      const project = await make({ config });
      const args = ['--root', project.root, '--state', join(project.home, 'state.json')];
      const first = await open({ args });
      const mine = await talk(first, 'mine', 'discern_start', { name: 'mine' });
      await crowd(first);
      const other = await talk(first, 'the last', 'discern_start', { name: 'other', path: project.root });
      assert.ok(mine.envelope.ok && other.envelope.ok, mine.text + other.text);
      if (how !== 'by a living server') await first.close();
      const server = how === 'by a living server' ? first : await open({ args });
      for (const tool of ['discern_done', 'discern_accept', 'discern_status']) {
        const { envelope } = await talk(server, 'mine', tool);
        assert.equal(envelope.error, 'root_missing', envelope.message);
        assert.match(envelope.message ?? '', /is forgotten/);
        assert.ok(envelope.message?.includes(`discern_start with path "${project.root}"`), envelope.message);
      }
      assert.deepEqual(await ran(project), [], 'no gate ran');
      const path = mine.envelope.data.path as string;
      assert.equal((await talk(server, 'mine', 'discern_done', { path })).envelope.data.root, path);
      const again = await talk(server, 'mine', 'discern_start', { name: 'again', path: project.root });
      const held = await talk(server, 'mine', 'discern_status');
      assert.equal(held.envelope.data.root, again.envelope.data.path);
      const kept = await talk(server, 'the last', 'discern_status');
      assert.equal(kept.envelope.data.root, other.envelope.data.path, 'one that called last is remembered');
      const fresh = await talk(server, 'new', 'discern_status');
      assert.equal(fresh.envelope.data.root, again.envelope.data.path, "a new one takes the window's");
    });
  }

  it('is not one that calls again and again, however long ago it moved', async () => {
    const project = await make({ config });
    const server = await open({ args: ['--root', project.root] });
    const mine = await talk(server, 'mine', 'discern_start', { name: 'mine' });
    for (let n = 0; n < MOST_CONVERSATIONS + 20; n++) {
      await talk(server, `other ${n}`, 'discern_help');
      if (n % 50 === 0) await talk(server, 'mine', 'discern_help');
    }
    await talk(server, 'other 0', 'discern_start', { name: 'other', path: project.root });
    const { envelope } = await talk(server, 'mine', 'discern_status');
    assert.equal(envelope.data.root, mine.envelope.data.path, envelope.message);
    assert.deepEqual(await logged(project), []);
  });

  it('is told from a new one whatever came between, and what is kept has a bound', async () => {
    await fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 900 }),
        (ids) => {
          const store = new StateStore(undefined);
          for (const id of ids) {
            store.keepConversation(id, { root: `/${id}`, movedBy: undefined, repository: undefined });
            assert.equal(store.conversation(id)?.root, `/${id}`);
            assert.equal(store.hasForgotten(id), false);
          }
          const kept = new Set(ids).size;
          const known = [...new Set(ids)].filter((id) => store.conversation(id) !== undefined);
          assert.equal(known.length, Math.min(kept, MOST_CONVERSATIONS));
          for (const id of ids)
            assert.equal(
              store.conversation(id) === undefined,
              store.hasForgotten(id),
              'known, or known to be gone',
            );
          assert.equal(store.hasForgotten('never seen, and longer than any of those above were'), false);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('is every unknown one, once more were forgotten than can be told from new ones', () => {
    const store = new StateStore(undefined);
    const kept = { root: '/x', movedBy: undefined, repository: undefined };
    for (let n = 0; n < 400; n++) store.keepConversation(`${n}`, kept);
    assert.equal(store.hasForgotten('new'), false);
    const full = new StateStore(undefined, { mostForgotten: 150 });
    for (let n = 0; n < 400; n++) full.keepConversation(`${n}`, kept);
    assert.equal(full.hasForgotten('new'), true);
    assert.equal(full.conversation('399')?.root, '/x');
  });

  it('costs no memory: a thousand conversations leave as many callers as are remembered', async () => {
    const project = await make({ config });
    const session = new Session({ root: project.root, env: {}, cwd: '/' });
    for (let n = 0; n < 1_000; n++) {
      await session.call({
        verb: 'help',
        args: {},
        signal: new AbortController().signal,
        emit: () => undefined,
        client: 'unknown',
        askRoots: undefined,
        conversation: `${n}`,
      });
    }
    assert.equal(session.conversations, MOST_CONVERSATIONS);
  });
});
