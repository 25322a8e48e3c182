import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { type Edited, set, unset } from '../../src/engine/setup/json-edit.ts';
import { setTable, unsetTable } from '../../src/engine/setup/toml-edit.ts';

const textOf = (edited: Edited) => ('text' in edited ? edited.text : assert.fail(edited.problem));
const value = { command: '/a b/node', args: ['/x/server.js'] };

describe('What setup writes into a client’s JSON', () => {
  const path = ['mcpServers', 'discern'];
  const texts: Record<string, string> = {
    'an empty object': '{}',
    'an empty object over lines': '{\n}\n',
    'a server of somebody’s': '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
    'an empty table': '{"mcpServers": {}, "z": 1}',
    'an empty table with a blank': '{ "mcpServers": { } }',
    'comments and a trailing comma':
      '// mine\n{\n\t// keep\n\t"a": [1, /* two */ 2,],\n\t"mcpServers": { // here\n\t\t"o": {},\n\t},\n}\n',
    'nothing but a comment': '{ /* nothing */ }',
    'CRLF and a byte order mark':
      '\uFEFF{\r\n    "a": 1,\r\n    "mcpServers": {\r\n        "o": {}\r\n    }\r\n}',
    'one line': '{"a":1,"mcpServers":{"o":{"command":"x"}}}',
  };
  for (const [what, text] of Object.entries(texts)) {
    it(`keeps every other byte, and goes again without a trace: ${what}`, () => {
      const written = textOf(set(text, path, value));
      const errors: never[] = [];
      const before = parse(text.replace('\uFEFF', ''), [], { allowTrailingComma: true });
      const after = parse(written.replace('\uFEFF', ''), errors, { allowTrailingComma: true });
      assert.deepEqual(errors, []);
      assert.deepEqual(after, { ...before, mcpServers: { ...before.mcpServers, discern: value } });
      assert.equal(textOf(set(written, path, value)), written, 'once is enough');
      const newer = textOf(set(written, path, { command: 'newer' }));
      assert.equal(textOf(unset(newer, path)), text);
      assert.equal(textOf(unset(written, path)), text);
      assert.equal(/(?<!\r)\n/.test(written), /(?<!\r)\n/.test(text) || !text.includes('\r\n'));
    });
  }

  it('goes out of any place somebody moved it to', () => {
    const moved = '{"mcpServers": {"a": {}, /* , */ "discern": {"command": "x"} /* , */ , "b": {}}}';
    assert.deepEqual(parse(textOf(unset(moved, path))), { mcpServers: { a: {}, b: {} } });
    const last = '{"mcpServers": {"a": {} /* , */ , "discern": {} // it\n}}';
    assert.deepEqual(parse(textOf(unset(last, path))), { mcpServers: { a: {} } });
  });

  it('is refused where it would have to guess', () => {
    for (const text of [
      '{',
      '[]',
      '1',
      '{"a": }',
      '{"mcpServers": []}',
      '{"mcpServers": {}, "mcpServers": {}}',
    ]) {
      assert.ok('problem' in set(text, path, value), text);
    }
    assert.ok('problem' in set('['.repeat(100_000), path, value));
  });

  it('round trips over any object and any layout', () => {
    const names = fc.constantFrom('mcpServers', 'discern', 'a', '__proto__', 'ü "');
    const objects = fc.dictionary(names, fc.oneof(fc.integer(), fc.dictionary(names, fc.integer())));
    const layouts = fc.constantFrom(undefined, 1, 2, '\t');
    fc.assert(
      fc.property(objects, layouts, (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        if (typeof object.mcpServers === 'number') return;
        if (object.mcpServers?.discern !== undefined) return;
        assert.equal(textOf(unset(textOf(set(text, path, value)), path)), text);
      }),
    );
  });
});

describe('What setup writes into a client’s TOML', () => {
  const start = { command: '/a b/"node"', args: ['/x/server.js'] };
  for (const text of [
    '',
    'a = 1',
    '# mine\na = 1\n',
    '[mcp_servers.o]\r\ncommand = "x" # c\r\n',
    '\uFEFFa = 1\r\n\r\n',
  ]) {
    it(`keeps every other byte, and goes again without a trace: ${JSON.stringify(text)}`, () => {
      const written = textOf(setTable(text, start));
      assert.ok(written.startsWith(text));
      assert.equal(textOf(setTable(written, start)), written);
      assert.equal(textOf(unsetTable(written)), text);
    });
  }

  it('is refused where it would have to guess', () => {
    const block = textOf(setTable('', start));
    const more = block.replace('args =', 'enabled = false\nargs =');
    assert.ok('problem' in unsetTable(more));
    assert.ok('problem' in setTable(more, { ...start, args: [] }));
    assert.equal(textOf(setTable(more, start)), more);
    for (const text of [
      'a = ',
      'mcp_servers = {}\n',
      '[mcp_servers.discern]\ncommand = "mine"\n',
      block.slice(0, block.indexOf('# discern: end.')),
    ]) {
      assert.ok('problem' in setTable(text, { ...start, args: [] }), text);
    }
  });

  it('leaves a table that a client put between our lines, at a second setup and at the end', () => {
    const text = 'a = 1\n';
    const written = textOf(setTable(text, start));
    const theirs = '[projects."/p"]\ntrust_level = "trusted"\n';
    const between = written.replace('# discern: end.', `\n${theirs}# discern: end.`);
    assert.equal(textOf(unsetTable(between)), text + theirs);
    assert.equal(
      textOf(unsetTable(textOf(setTable(between, { ...start, args: ['/new.js'] })))),
      text + theirs,
    );
  });
});
