import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { type HookClient, hooksFor, isOurHook } from '../../src/engine/setup/hooks.ts';
import { removeItem, setItem } from '../../src/engine/setup/json-items.ts';

const programs = { node: '/opt/my node/bin/node', hook: '/opt/discern/dist/hook.js' };
const older = { node: 'node', hook: '/usr/lib/node_modules/discern-vscode/dist/hook.js' };
const clients: HookClient[] = ['claude', 'codex', 'copilot', 'gemini', 'cursor'];

const text = (edited: ReturnType<typeof setItem>): string => {
  if ('problem' in edited) throw new Error(edited.problem);
  return edited.text;
};

/** All hooks of a client, put into a text. */
const put = (client: HookClient, into: string, from = programs) =>
  hooksFor(client, from).reduce(
    (now, { event, item }) => text(setItem(now, ['hooks', event], item, isOurHook(client, event))),
    into,
  );
const takeBack = (client: HookClient, from: string) =>
  hooksFor(client, programs)
    .toReversed()
    .reduce((now, { event }) => text(removeItem(now, ['hooks', event], isOurHook(client, event))), from);

describe('Hooks in a client’s file', () => {
  for (const client of clients) {
    it(`are ${client}’s own form, stand once, and go without a trace`, () => {
      const others = { matcher: 'Bash', hooks: [{ type: 'command', command: 'mine.sh' }], bash: 'mine.sh' };
      const { event } = hooksFor(client, programs)[0] ?? { event: '' };
      for (const before of [
        '',
        '{}',
        '// mine\r\n{\r\n\t"a": 1, // c\r\n}\r\n',
        JSON.stringify({ hooks: { [event]: [others] } }, null, 4),
        JSON.stringify({ hooks: { [event]: [] } }),
        '{ "hooks": { "Other": [{"command": "x"}] } }',
      ]) {
        const first = put(client, before, older);
        const now = put(client, first);
        assert.equal(put(client, now), now);
        const { hooks } = parse(now);
        for (const { event: name, item } of hooksFor(client, programs)) {
          assert.deepEqual(hooks[name][0], item);
          assert.equal(hooks[name].length, name === event && before.includes('mine.sh') ? 2 : 1);
        }
        assert.equal(takeBack(client, now), before === '' ? '{}\n' : before);
      }
    });
  }

  it('are known for ours by what they start, and by nothing else', () => {
    const ours = isOurHook('claude', 'Stop');
    const [stop] = hooksFor('claude', programs).filter(({ event }) => event === 'Stop');
    assert.ok(stop && ours(stop.item));
    const mine = { type: 'command', command: 'my-hook.js claude Stop' };
    for (const item of [
      null,
      'Stop',
      {},
      { hooks: [] },
      { hooks: [mine] },
      { hooks: [{ command: '/x/hook.js claude Stop; mine' }] },
      { hooks: [{ command: '/x/hook.js claude Stop' }, mine] },
      { hooks: [{ command: '/x/hook.js codex Stop' }] },
    ]) {
      assert.equal(ours(item), false, JSON.stringify(item));
    }
  });

  it('refuse a place where there is no list', () => {
    const edited = setItem('{"hooks": {"Stop": {}}}', ['hooks', 'Stop'], {}, () => false);
    assert.deepEqual(edited, { problem: 'has no list at "hooks.Stop"' });
  });

  it('leave every other byte, whatever stands there', () => {
    const item = fc.record({ command: fc.string(), n: fc.integer() });
    const lists = fc.dictionary(fc.constantFrom('Stop', 'PreToolUse', 'x'), fc.array(item));
    const file = fc.record(
      { a: fc.json().map((one) => JSON.parse(one)), hooks: lists },
      { requiredKeys: [] },
    );
    const indent = fc.constantFrom('', '  ', '\t');
    fc.assert(
      fc.property(file, indent, fc.boolean(), fc.constantFrom(...clients), (value, unit, crlf, client) => {
        const plain = JSON.stringify(value, null, unit);
        const before = crlf ? plain.replaceAll('\n', '\r\n') : plain;
        assert.equal(takeBack(client, put(client, before)), before);
      }),
    );
  });
});
