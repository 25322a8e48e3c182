import assert from 'node:assert/strict';
import { readNameStatus } from '../../src/extension/changed-files.ts';

describe('What git says of changed files', () => {
  it('is read with both names of a rename, and with the side that is missing', () => {
    const printed = [
      'M',
      'a b.ts',
      'A',
      'new\n.ts',
      'D',
      'old.ts',
      'R087',
      'x.ts',
      'y.ts',
      'T',
      'link',
      '',
    ].join('\0');
    assert.deepEqual(readNameStatus(printed), [
      { before: 'a b.ts', after: 'a b.ts' },
      { before: undefined, after: 'new\n.ts' },
      { before: 'old.ts', after: undefined },
      { before: 'x.ts', after: 'y.ts' },
      { before: 'link', after: 'link' },
    ]);
    assert.deepEqual(readNameStatus(''), []);
  });
});
