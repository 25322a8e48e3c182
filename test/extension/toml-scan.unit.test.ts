import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { namesIn, scan, type Zone, zoneAt } from '../../src/extension/toml/scan.ts';
import { tomlPieces } from '../support/toml-pieces.ts';

/** The zone at the mark `|` of a text, without its place. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  const zone = zoneAt(scan(text), offset);
  return (
    zone && `${zone.kind} ${zone.path.join('.')} ${zone.gap ? '(gap)' : text.slice(zone.start, zone.end)}`
  );
}

describe('Where a cursor is in a TOML text', () => {
  const cases: [string, string | undefined][] = [
    ['|', 'key  (gap)'],
    ['[gate]\n|', 'key gate (gap)'],
    ['[gate]\n  |\n[jobs]', 'key gate (gap)'],
    ['[gate]\nfail|', 'key gate fail'],
    ['[gate]\nfail|_fast = true', 'key gate fail_fast'],
    ['[gate]\nfail_fast = |', 'value gate.fail_fast (gap)'],
    ['[gate]\nfail_fast =|', 'value gate.fail_fast (gap)'],
    ['[gate]\nfail_fast = tr|', 'value gate.fail_fast tr'],
    ['[gate]\nfail_fast = true |', undefined],
    ['[gate]\nfail_fast = true # no|te', undefined],
    ['# no|te', undefined],
    ['[|', 'header  (gap)'],
    ['[ga|te]', 'header  gate'],
    ['[worktree.|]', 'header worktree (gap)'],
    ['[worktree.set|]\n', 'header worktree set'],
    ['[worktree.re|sources.db]', 'header worktree resources'],
    ['[jobs.x]\nstage = "|"', 'value jobs.x.stage ""'],
    ['[jobs.x]\nstage = "fi|', 'value jobs.x.stage "fi'],
    ['[jobs]\ntest = { ru| }', 'key jobs.test ru'],
    ['[jobs]\ntest = { run = "a", | }', 'key jobs.test (gap)'],
    ['[jobs]\ntest = { run = ["a", |] }', 'value jobs.test.run (gap)'],
    ['[jobs]\ntest = [\n  "a",\n  |\n]\n', 'value jobs.test (gap)'],
    ['worktree.setup.|', 'key worktree.setup (gap)'],
    ['worktree.setup.ens| = []', 'key worktree.setup ens'],
    ['["a b".|]', 'header a b (gap)'],
    ['[jobs]\ntest = [\n  "a",\n\n[gate]\nfail|', 'key gate fail'],
    ['[jobs]\ntest = ["a"\nlint| = "l"', 'key jobs lint'],
    ['[jobs]\ntest = "a\nli|', 'key jobs li'],
    ['[jobs]\ntest = { run = "a"\nli|', 'key jobs li'],
    ['[jobs]\ntest = """\n[gate]\n|', 'value jobs.test """\n[gate]\n'],
    ['[x]\na = [[1], [true]\n, [|2]]', 'value x.a 2'],
  ];
  for (const [marked, expected] of cases) {
    it(`is found in ${JSON.stringify(marked)}`, () => assert.equal(at(marked), expected));
  }

  it('comes with the names the table has already', () => {
    const zones = scan(
      '[gate]\nfail_fast = true\nti\n[worktree]\nport = true\n[worktree.setup]\n[other]\ntimeout = 1\n',
    );
    assert.deepEqual([...namesIn(zones, ['gate'], zoneAt(zones, 25))], ['fail_fast']);
    assert.deepEqual([...namesIn(zones, ['worktree'])], ['port', 'setup']);
  });
});

const pieces = [
  ...tomlPieces,
  ...['\\u00e9', 'jobs', 'lint', 'true', '0', '[jobs]\n', 'lint = "x"\n', '"a b"'],
];
const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/).map((one) => ({ toml: one, name: one })),
  fc.string({ maxLength: 5, unit: 'grapheme' }).map((one) => ({ toml: quoted(one), name: one })),
  fc.stringMatching(/^[a-z .#=[\]]{0,5}$/).map((one) => ({ toml: `'${one}'`, name: one })),
);
const dotted = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((all) => all.map(({ toml }) => toml).join(' . '));
const plain = fc.oneof(
  fc.constantFrom(
    'true',
    '1',
    '-1.5e3',
    'inf',
    '1979-05-27T07:32:00Z',
    "'a # [b] = \"'",
    '"""\n[x]\ny = 1 \\\n"""',
    "''",
  ),
  fc.string({ maxLength: 6, unit: 'grapheme' }).map(quoted),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    plain,
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[ # first\n ${all.join(' ,\n ')} ]`),
    fc
      .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), tie('value')), {
        maxLength: 3,
        selector: ([key]) => key,
      })
      .map((all) => `{ ${all.map(([key, one]) => `${key} = ${one}`).join(', ')} }`),
  ),
}));
const sound = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('', '  '), dotted, value)
        .map(([pad, key, one]) => `${pad}${key} = ${one} # note`),
      dotted.map((key) => `[ ${key} ] # = [x]`),
      fc.constantFrom('', '# a = [', '\t'),
    ),
    { maxLength: 8 },
  )
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((eol) => lines.join('\n').replaceAll('\n', eol)))
  .map((text) => ({ text, program: parsed(text) }))
  .filter((one): one is { text: string; program: AST.TOMLProgram } => one.program !== undefined);

describe('The scanner', function () {
  this.timeout(60_000);

  it('reads any text, and each zone lies inside it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { start, end, gap, text: said } of scan(text)) {
          assert.ok(0 <= start && start <= end && end <= text.length);
          if (gap) assert.equal(said, '');
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('is quick on long and deeply nested texts', () => {
    for (const text of [
      '['.repeat(200_000),
      `a = ${'{a = '.repeat(10_000)}`,
      `a = [${'\n'.repeat(200_000)}`,
    ]) {
      assert.ok(scan(text).length > 0);
    }
  });

  it('finds every key and every scalar where the parser finds it, in every sound text', () => {
    let keys = 0;
    fc.assert(
      fc.property(sound, ({ text, program }) => {
        const zones = scan(text);
        for (const expected of parts(program)) {
          const zone = zones.find(
            ({ gap, start, end }) => !gap && start === expected.start && end === expected.end,
          );
          assert.ok(zone, `${JSON.stringify(expected)} in ${text}`);
          assert.deepEqual(
            { kind: zone.kind, path: zone.path },
            { kind: expected.kind, path: expected.path },
            text,
          );
          keys++;
        }
        assert.equal(zones.filter(({ gap }) => !gap).length, parts(program).length, text);
      }),
      { numRuns: 1000 },
    );
    assert.ok(keys > 1000, `${keys} parts were compared`);
  });

  it('knows the table of a line that is just begun, whatever stands above it', () => {
    fc.assert(
      fc.property(sound, ({ text }) => {
        const zone = zoneAt(scan(`${text}\n[gate]\nfai`), text.length + '\n[gate]\nfai'.length);
        assert.deepEqual([zone?.kind, zone?.path, zone?.text], ['key', ['gate'], 'fai']);
      }),
    );
  });
});

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}

function parsed(text: string): AST.TOMLProgram | undefined {
  try {
    return parseTOML(text);
  } catch (error) {
    // Keys may clash in a text made at random; such texts are left out.
    assert.match(String(error), /key|table|already/i);
    return undefined;
  }
}

type Part = Pick<Zone, 'kind' | 'path' | 'start' | 'end'>;

/** Every name and scalar of a parsed text, as zones say them. */
function parts(program: AST.TOMLProgram): Part[] {
  const found: Part[] = [];
  const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted) => (key.type === 'TOMLBare' ? key.name : key.value);
  const names = (kind: 'key' | 'header', key: AST.TOMLKey, base: string[]) => {
    const path = [...base];
    for (const one of key.keys) {
      found.push({ kind, path: [...path], start: one.range[0], end: one.range[1] });
      path.push(nameOf(one));
    }
    return path;
  };
  const pair = (one: AST.TOMLKeyValue, base: string[]) => content(one.value, names('key', one.key, base));
  const content = (node: AST.TOMLContentNode, path: string[]): void => {
    if (node.type === 'TOMLArray') for (const one of node.elements) content(one, path);
    else if (node.type === 'TOMLInlineTable') for (const one of node.body) pair(one, path);
    else found.push({ kind: 'value', path, start: node.range[0], end: node.range[1] });
  };
  for (const statement of program.body[0].body) {
    if (statement.type === 'TOMLKeyValue') pair(statement, []);
    else {
      const path = names('header', statement.key, []);
      for (const one of statement.body) pair(one, path);
    }
  }
  return found;
}
