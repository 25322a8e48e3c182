import assert from 'node:assert/strict';
import fc from 'fast-check';
import { wantsColor, wantsUnicode } from '../../src/cli/ink.ts';
import { clickable, namedFrom, startingPoint } from '../../src/cli/place.ts';
import { duration, printable, table } from '../../src/cli/words.ts';
import { shellWord } from '../../src/engine/words/shell-word.ts';

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

describe('Words for people', () => {
  it('durations are short, and never say 60 seconds or 60 minutes', () => {
    const said: [number, string][] = [
      [0, '0ms'],
      [999.4, '999ms'],
      [999.6, '1.0s'],
      [59_940, '59.9s'],
      [59_960, '1m 00s'],
      [125_000, '2m 05s'],
      [3_599_600, '1h 00m'],
      [7_380_000, '2h 03m'],
    ];
    for (const [ms, text] of said) assert.equal(duration(ms), text);
    fc.assert(fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => !/\b60/.test(duration(ms))));
  });

  it('printable text has no control character but newline and tab, at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        for (const one of textsOf(printable({ value, list: [text] }))) {
          assert.doesNotMatch(one, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        }
      }),
    );
    assert.deepEqual(printable({ a: [1, true, null, 'x\u001b[0m'] }), { a: [1, true, null, 'x?[0m'] });
  });

  it('a quoted path is one word to a shell', () => {
    assert.equal(shellWord('/a/b-c_1.x'), '/a/b-c_1.x');
    assert.equal(shellWord("/it's here"), "'/it'\\''s here'");
  });

  it('columns are as wide as their widest cell, counted without colour', () => {
    const rows = [
      [{ text: 'a', shown: '\u001b[1ma\u001b[22m' }, { text: 'x' }],
      [{ text: 'long' }, { text: '' }],
    ];
    assert.deepEqual(table(rows), ['\u001b[1ma\u001b[22m     x', 'long']);
  });
});

describe('Where a person stands', () => {
  it('a named worktree is a directory only when it is written as one', () => {
    assert.equal(namedFrom('/w/app', '.'), '/w/app');
    assert.equal(namedFrom('/w/app', '../app.worktrees/x/'), '/w/app.worktrees/x');
    assert.equal(namedFrom('/w/app', '/w/x/'), '/w/x');
    for (const name of ['agent/x-1f', 'x-1f', '.hidden', '..x'])
      assert.equal(namedFrom('/w/app', name), name);
  });

  it('a search starts from the path, and without a current directory only from an absolute one', () => {
    assert.equal(startingPoint('/w/app', undefined), '/w/app');
    assert.equal(startingPoint('/w/app', '../b'), '/w/b');
    assert.equal(startingPoint(undefined, '/w/b'), '/w/b');
    assert.equal(startingPoint(undefined, 'b'), undefined);
    assert.equal(startingPoint(undefined, undefined), undefined);
  });

  it('a file is named so that a click finds it', () => {
    assert.equal(clickable('src/a.ts', '/w/app', '/w/app'), 'src/a.ts');
    assert.equal(clickable('test/a.ts', '/w/app', '/w/app/src'), '../test/a.ts');
    assert.equal(clickable('src/a.ts', '/w/app', '/w/app.worktrees/x'), '/w/app/src/a.ts');
    assert.equal(clickable('src/a.ts', '/w/app', undefined), '/w/app/src/a.ts');
    assert.equal(clickable('/lib/x.h', '/w/app', '/w/app'), '/lib/x.h');
  });
});

describe('What a terminal can show', () => {
  it('a dumb terminal gets neither colour nor marks', () => {
    assert.equal(wantsColor(undefined, { TERM: 'dumb' }, true), false);
    assert.equal(wantsUnicode({ TERM: 'dumb', LANG: 'C.UTF-8' }, 'linux'), false);
  });

  it('NO_COLOR comes before FORCE_COLOR, and either before what the stream is', () => {
    assert.equal(wantsColor(undefined, {}, true), true);
    assert.equal(wantsColor(undefined, {}, false), false);
    assert.equal(wantsColor(undefined, { NO_COLOR: '1' }, true), false);
    assert.equal(wantsColor(undefined, { NO_COLOR: '', FORCE_COLOR: '' }, false), true);
    assert.equal(wantsColor(undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, true), false);
    assert.equal(wantsColor(undefined, { FORCE_COLOR: '0' }, true), false);
    assert.equal(wantsColor(true, { NO_COLOR: '1' }, false), true);
    assert.equal(wantsColor(false, { FORCE_COLOR: '1' }, true), false);
  });

  it('the first locale variable that is set decides', () => {
    assert.equal(wantsUnicode({ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, 'linux'), false);
    assert.equal(wantsUnicode({ LC_ALL: '', LC_CTYPE: 'en_US.utf8', LANG: 'C' }, 'linux'), true);
    assert.equal(wantsUnicode({}, 'linux'), false);
    assert.equal(wantsUnicode({}, 'darwin'), true);
    assert.equal(wantsUnicode({ WT_SESSION: 'x' }, 'win32'), true);
  });
});
