import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkConfig } from '../../src/engine/config/index.ts';
import { withLimits } from '../../src/engine/standards/edit.ts';
import { holds, isLooser, pinLimit } from '../../src/engine/standards/judge.ts';
import { limitsIn } from '../../src/engine/standards/limits.ts';

const limitsOf = (text: string) =>
  Object.fromEntries([...limitsIn(text)].map(([name, { limit }]) => [name, limit]));

describe('Editing a limit', () => {
  const cases: [title: string, before: string, after: string][] = [
    [
      'keeps comments, order and odd spacing',
      '# [standards.a] limit = 1\n[standards . "a"]  # limit = 2\n\t limit\t =\t89 # was 88\nrun = "limit = 3"\n\n\n',
      '# [standards.a] limit = 1\n[standards . "a"]  # limit = 2\n\t limit\t =\t91.5 # was 88\nrun = "limit = 3"\n\n\n',
    ],
    [
      'keeps CRLF and a BOM',
      '\uFEFF# é\r\n[standards.a]\r\nlimit = 89\r\n',
      '\uFEFF# é\r\n[standards.a]\r\nlimit = 91.5\r\n',
    ],
    [
      'finds it in an inline table',
      '[standards]\na = { limit = 89, run = "x" }\n',
      '[standards]\na = { limit = 91.5, run = "x" }\n',
    ],
    ['finds it under a dotted key', 'standards.a.limit = 89', 'standards.a.limit = 91.5'],
    [
      'finds it behind text of any alphabet',
      'x = "𝔘🎉" \n[standards.a]\n"limit" = 89',
      'x = "𝔘🎉" \n[standards.a]\n"limit" = 91.5',
    ],
    ['finds it in the older spelling', '[ratchets.a]\nlimit = 89', '[ratchets.a]\nlimit = 91.5'],
    [
      'changes the newer spelling where there are both',
      '[ratchets.a]\nlimit = 1\n[standards.a]\nlimit = 89',
      '[ratchets.a]\nlimit = 1\n[standards.a]\nlimit = 91.5',
    ],
    ['finds it written in any way', '[standards.a]\nlimit = +8_9.0e0', '[standards.a]\nlimit = 91.5'],
  ];
  for (const [title, before, after] of cases) {
    it(title, () => assert.equal(withLimits(before, new Map([['a', 91.5]])), after));
  }

  it('keeps a float a float and a whole number whole', () => {
    assert.equal(withLimits('standards.a.limit = 89.5', new Map([['a', 91]])), 'standards.a.limit = 91.0');
    assert.equal(withLimits('standards.a.limit = 0x59', new Map([['a', 91]])), 'standards.a.limit = 91');
  });

  it('throws where there is no such limit', () => {
    assert.throws(() => withLimits('[standards.b]\nlimit = 1', new Map([['a', 2]])), /no limit of a/);
  });

  const space = fc.stringMatching(/^[ \t]{0,3}$/);
  const comment = fc.stringMatching(/^(#[ a-z=0-9[\]."]{0,20})?$/);
  const eol = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\n');
  const table = fc.record({
    lead: space,
    before: space,
    after: space,
    note: comment,
    eol,
    first: fc.boolean(),
  });

  it('changes exactly the numbers it is told, in any layout', () => {
    const name = fc.constantFrom('a', 'b', 'long-name', '"quoted"', '9');
    const limits = fc.uniqueArray(fc.tuple(name, fc.integer({ min: -999, max: 999 }), table), {
      selector: ([one]) => one,
      minLength: 1,
    });
    fc.assert(
      fc.property(
        limits,
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (entries, bom, to) => {
          const write = (values: readonly (number | string)[]) =>
            (bom ? '\uFEFF' : '') +
            entries
              .map(([key, , { lead, before, after, note, eol: end, first }], at) => {
                const limit = `${lead}limit${before}=${after}${values[at]}${after}${note}${end}`;
                const other = `run = "limit = 7" ${note}${end}`;
                return `${lead}[standards.${key}]${after}${note}${end}${first ? limit + other : other + limit}`;
              })
              .join('');
          const bare = entries.map(([key]) => key.replaceAll('"', ''));
          const olds = entries.map(([, old]) => old);
          const changed = bare[0] ?? '';
          const edited = withLimits(write(olds), new Map([[changed, to]]));
          assert.equal(edited, write([String(to), ...olds.slice(1)]));
          assert.equal(limitsOf(edited)[changed], Number(String(to)));
          const config = checkConfig(edited.replaceAll('limit = 7"', 'x"\ndirection = "up"'), 'discern.toml');
          assert.deepEqual(config.problems, []);
        },
      ),
    );
  });
});

describe('The limit pinning sets', () => {
  const cases: [
    direction: 'up' | 'down',
    limit: number,
    margin: number,
    value: number,
    to: number | undefined,
  ][] = [
    ['up', 89, 0, 91.4, 91.4],
    ['up', 89, 0, 89, undefined],
    ['up', 89, 0, 91.456, 91.45],
    ['down', 16, 0, 15.001, 15.01],
    ['up', 1, 0, 1.15, 1.15],
    ['up', 89, 2, 91.4, 89.4],
    ['up', 89, 3, 91.4, undefined],
    ['down', 100, 5, 90, 95],
    ['down', 0.005, 0, 0.0042, undefined],
    ['down', 0.0051, 0, 0.0042, 0.0042],
    ['down', 0, 0, -3, -3],
    ['up', 1e21, 0, 2e21, 2e21],
  ];
  for (const [direction, limit, margin, value, to] of cases) {
    it(`is ${to ?? 'none'} for ${value}, ${direction} from ${limit} with a margin of ${margin}`, () => {
      assert.equal(pinLimit({ direction, limit, margin }, value), to);
    });
  }

  it('is always tighter, and always held by the measurement', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });
    const direction = fc.constantFrom('up' as const, 'down' as const);
    const margin = fc.double({ noNaN: true, min: 0, max: 1e6 });
    fc.assert(
      fc.property(direction, number, margin, number, (way, limit, room, value) => {
        const to = pinLimit({ direction: way, limit, margin: room }, value);
        if (to === undefined) return;
        assert.ok(holds({ direction: way, limit: to }, value), `${to}`);
        assert.ok(isLooser({ direction: way, limit }, { direction: way, limit: to }), `${to}`);
      }),
    );
  });
});
