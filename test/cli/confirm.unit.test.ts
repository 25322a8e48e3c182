import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { confirm } from '../../src/cli/confirm.ts';

describe('A question in a terminal', () => {
  for (const [typed, preset, expected] of [
    ['\n', false, false],
    ['\n', true, true],
    ['y\n', false, true],
    ['n\n', true, false],
    ['what\nyes\n', false, true],
    ['', true, false],
  ] as const) {
    it(`${JSON.stringify(typed)} is ${expected ? 'yes' : 'no'} where ${preset ? 'yes' : 'no'} is preset`, async () => {
      const input = new PassThrough();
      const output = new PassThrough();
      input.end(typed);
      assert.equal(await confirm('Land?', { input, output }, new AbortController().signal, preset), expected);
      assert.ok(String(output.read()).startsWith(preset ? 'Land? [Y/n] ' : 'Land? [y/N] '));
    });
  }
});
