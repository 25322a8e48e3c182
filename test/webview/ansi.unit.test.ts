import assert from 'node:assert/strict';
import fc from 'fast-check';
import { piecesOf } from '../../src/webview/model/ansi.ts';
import { plainText } from '../../src/webview/model/output.ts';

describe('An output in colours', () => {
  it('is cut into pieces of one look each', () => {
    assert.deepEqual(piecesOf('a \u001b[1;31mred\u001b[22m still\u001b[0m \u001b[94;42mx\u001b[39my'), [
      { text: 'a ', classes: [] },
      { text: 'red', classes: ['bold', 'red'] },
      { text: ' still', classes: ['red'] },
      { text: ' ', classes: [] },
      { text: 'x', classes: ['bright-blue', 'on-green'] },
      { text: 'y', classes: ['on-green'] },
    ]);
  });

  it('has no colour it does not know, and takes nothing else for one', () => {
    assert.deepEqual(piecesOf('\u001b[38;2;1;2;3ma\u001b[38;5;9mb\u001b[38;5;200mc\u001b[2Kd'), [
      { text: 'a', classes: [] },
      { text: 'b', classes: ['bright-red'] },
      { text: 'cd', classes: [] },
    ]);
  });

  it('leads to places and pages, though they be coloured in parts', () => {
    const links = (text: string) =>
      piecesOf(text).flatMap(({ text: shown, link }) => (link ? [[shown, link]] : []));
    const place = { kind: 'place', file: 'src/a.ts', line: 3, column: 7 };
    assert.deepEqual(links('\u001b[96msrc/a.ts\u001b[0m:\u001b[93m3\u001b[0m:7 - error'), [
      ['src/a.ts', place],
      [':', place],
      ['3', place],
      [':7', place],
    ]);
    assert.deepEqual(links('src/a.ts(3,7): error, see https://a.example/b?c=1.'), [
      ['src/a.ts(3,7)', place],
      ['https://a.example/b?c=1', { kind: 'url', url: 'https://a.example/b?c=1' }],
    ]);
    assert.deepEqual(links('at 12:30:11 on localhost:3000, version 1.2.3'), []);
  });

  it('loses nothing of what a terminal would show', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b[0m',
        'src/a.ts:3:7',
        'https://a.example/',
        '\r',
        '\n',
        '\u001b[38;5;',
      ),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('').replace(/[\u001b\u009b]/g, '');
        const whole = piecesOf(text)
          .map((piece) => piece.text)
          .join('');
        assert.equal(whole, plainText(text));
      }),
    );
    fc.assert(fc.property(fc.array(part), (parts) => void piecesOf(parts.join(''))));
  });
});
