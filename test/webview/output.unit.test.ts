import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FromGateView } from '../../src/contract/gate-view.ts';
import { bytes, cutText, plainText } from '../../src/webview/model/output.ts';
import { Outputs } from '../../src/webview/model/outputs.ts';
import { job, running } from './samples.ts';

describe('The text of an output', () => {
  it('is what a terminal would be left showing', () => {
    assert.equal(plainText('\u001b[1;31mred\u001b[0m\n'), 'red\n');
    assert.equal(plainText('\u001b]8;;https://a.b\u0007link\u001b]8;;\u001b\\ end'), 'link end');
    assert.equal(plainText('10%\r50%\r100%\nnext'), '100%\nnext');
    assert.equal(plainText('one\r\ntwo\r\n'), 'one\ntwo\n');
    assert.equal(plainText('a\u0000b\u0007\tc'), 'ab\tc');
  });

  it('keeps no control character but tab and newline, and loses nothing of plain text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.doesNotMatch(plainText(text), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (lines) => {
        assert.equal(plainText(lines.join('\n')), lines.join('\n'));
      }),
    );
  });

  it('tells how much of it is missing', () => {
    assert.equal(cutText(0), '');
    assert.equal(cutText(18_234), '17.8 KB before this not shown');
    assert.deepEqual([312, 1024, 1024 * 1024 - 1, 3_600_000].map(bytes), [
      '312 B',
      '1.0 KB',
      '1.0 MB',
      '3.4 MB',
    ]);
  });
});

describe('The outputs that are open', () => {
  let posted: FromGateView[] = [];
  let outputs = new Outputs((message) => posted.push(message));
  const asked = () =>
    posted.splice(0).map((message) => (message.type === 'output' ? message.job : message.type));

  beforeEach(() => {
    posted = [];
    outputs = new Outputs((message) => posted.push(message));
  });

  it('are asked for once, and once more when the job has ended', () => {
    outputs.want([running('unit')], 0);
    outputs.want([running('unit')], 50);
    assert.deepEqual(asked(), ['unit']);
    outputs.want([job('unit', { state: 'failed' })], 60);
    outputs.want([job('unit', { state: 'failed' })], 90_000);
    assert.deepEqual(asked(), ['unit']);
  });

  it('are followed while the job runs, a second after each answer', () => {
    outputs.want([running('unit')], 0);
    outputs.want([running('unit')], 5000);
    assert.deepEqual(asked(), ['unit'], 'there is no second question before the answer');
    outputs.receive('unit', { text: 'a', cut: 0 }, 5000);
    outputs.want([running('unit')], 5900);
    assert.deepEqual(asked(), []);
    outputs.want([running('unit')], 6000);
    assert.deepEqual(asked(), ['unit']);
  });

  it('are not asked for of a job that was not run', () => {
    outputs.want([job('unit', { state: 'skipped' })], 0);
    assert.deepEqual(asked(), []);
  });

  it('are news only when they differ', () => {
    assert.equal(outputs.receive('unit', { text: 'a', cut: 0 }, 0), true);
    assert.equal(outputs.receive('unit', { text: 'a', cut: 0 }, 1), false);
    assert.equal(outputs.receive('unit', { text: 'a', cut: 9 }, 2), true);
    assert.equal(outputs.texts.get('unit')?.cut, 9);
  });

  it('are forgotten with their run', () => {
    outputs.want([job('unit')], 0);
    outputs.receive('unit', { text: 'a', cut: 0 }, 1);
    outputs.forget();
    assert.equal(outputs.texts.size, 0);
    outputs.want([job('unit')], 2);
    assert.deepEqual(asked(), ['unit', 'unit']);
  });
});
