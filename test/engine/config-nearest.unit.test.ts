import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editDistance, nearest } from '../../src/engine/words/nearest.ts';

describe('nearest', () => {
  const keys = ['stage', 'run', 'provides', 'timeout'];
  const verbs = ['status', 'start', 'prepare', 'test', 'done', 'update', 'accept'];

  const cases: [string, readonly string[], string | undefined][] = [
    ['stage', keys, 'stage'],
    ['stge', keys, 'stage'],
    ['satge', keys, 'stage'],
    ['stagee', keys, 'stage'],
    ['rnu', keys, 'run'],
    ['timeot', keys, 'timeout'],
    ['tiemot', keys, 'timeout'],
    ['Timeout', keys, 'timeout'],
    ['TIMEOT', keys, 'timeout'],
    ['command', keys, undefined],
    ['statsu', verbs, 'status'],
    ['strat', verbs, 'start'],
    ['don', verbs, 'done'],
    ['tests', verbs, 'test'],
    ['merge', verbs, undefined],
    ['lnt', ['lint'], 'lint'],
    ['', keys, undefined],
    ['x', ['y'], undefined],
    ['X', ['x'], 'x'],
    ['ab', ['ax'], 'ax'],
    ['ab', ['xy'], undefined],
    ['', [''], undefined],
    ['anything', [], undefined],
    ['bat', ['cat', 'bar'], 'cat'],
    ['bar', ['cat', 'bat', 'bar'], 'bar'],
  ];
  for (const [word, known, meant] of cases) {
    it(`takes "${word}" among ${JSON.stringify(known)} for ${JSON.stringify(meant)}`, () => {
      assert.equal(nearest(word, known), meant);
    });
  }

  it('finds a word of five letters and more behind any one slip', () => {
    const word = fc.stringMatching(/^[a-z]{5,12}$/);
    fc.assert(
      fc.property(
        word,
        fc.nat(),
        fc.constantFrom('drop', 'double', 'swap', 'change'),
        (meant, where, slip) => {
          const at = where % (meant.length - 1);
          const [before, one, two, after] = [
            meant.slice(0, at),
            meant[at],
            meant[at + 1],
            meant.slice(at + 2),
          ];
          const slipped = {
            drop: `${before}${two}${after}`,
            double: `${before}${one}${one}${two}${after}`,
            swap: `${before}${two}${one}${after}`,
            change: `${before}0${two}${after}`,
          }[slip];
          assert.equal(nearest(slipped, [meant]), meant);
        },
      ),
    );
  });

  it('costs nothing for a word of any length', () => {
    assert.equal(nearest('x'.repeat(10_000_000), keys), undefined);
  });
});

describe('editDistance', () => {
  /** The definition, without a limit and without thrift. */
  function distance(from: string, to: string): number {
    if (from === '' || to === '') return from.length + to.length;
    const same = from[0] === to[0] ? 0 : 1;
    const least = Math.min(
      distance(from.slice(1), to) + 1,
      distance(from, to.slice(1)) + 1,
      distance(from.slice(1), to.slice(1)) + same,
    );
    const swapped = from.length > 1 && to.length > 1 && from[0] === to[1] && from[1] === to[0];
    return swapped ? Math.min(least, distance(from.slice(2), to.slice(2)) + 1) : least;
  }

  it('is the distance up to its limit, and just more than the limit beyond it', () => {
    const word = fc.stringMatching(/^[ab]{0,6}$/);
    fc.assert(
      fc.property(word, word, fc.nat(6), (from, to, limit) => {
        assert.equal(editDistance(from, to, limit), Math.min(distance(from, to), limit + 1));
      }),
    );
  });
});
