import assert from 'node:assert/strict';
import fc from 'fast-check';
import { locate } from '../../src/engine/diagnostics/locate.ts';

describe('locating a printed file in a root', () => {
  for (const [printed, root, expected] of [
    ['src/a.ts', '/repo', 'src/a.ts'],
    ['./src/a.ts', '/repo', 'src/a.ts'],
    ['/repo/src/a.ts', '/repo', 'src/a.ts'],
    ['src/../lib/a.ts', '/repo', 'lib/a.ts'],
    ['/repository/a.ts', '/repo', '/repository/a.ts'],
    ['../other/a.ts', '/repo', '../other/a.ts'],
    ['..a/b.ts', '/repo', '..a/b.ts'],
    ['/usr/include/stdio.h', '/repo', '/usr/include/stdio.h'],
    ['/repo', '/repo', '/repo'],
    ['My Files/a b.ts', '/repo', 'My Files/a b.ts'],
    ['100%.ts', '/repo', '100%.ts'],
    ['file:///repo/a%20b.ts', '/repo', 'a b.ts'],
    ['file:///repo/%E0%A4%A.ts', '/repo', '%E0%A4%A.ts'],
    ['file://localhost/repo/a.ts', '/repo', 'a.ts'],
    ['file:/repo/a.ts', '/repo', 'a.ts'],
    ['file:///elsewhere/a%20b.ts', '/repo', '/elsewhere/a b.ts'],
    ['file://server/share/a.ts', '/repo', '//server/share/a.ts'],
    ['C:\\repo\\a.ts', '/repo', 'C:\\repo\\a.ts'],
    ['src\\a.ts', 'C:\\repo', 'src/a.ts'],
    ['C:\\repo\\src\\a.ts', 'C:\\repo', 'src/a.ts'],
    ['c:/Repo/src/a.ts', 'C:\\repo', 'src/a.ts'],
    ['D:\\repo\\a.ts', 'C:\\repo', 'D:\\repo\\a.ts'],
    ['file:///C:/repo/src/a.ts', 'C:\\repo', 'src/a.ts'],
    ['\\\\server\\share\\a.ts', '\\\\server\\share', 'a.ts'],
  ] as const) {
    it(`places ${printed} under ${root} at ${expected}`, () => {
      assert.equal(locate(printed, root), expected);
    });
  }

  it('finds any file inside a root again, absolute or relative', () => {
    const name = fc.stringMatching(/^[\w .%+()[\]é-]{1,12}$/).filter((part) => !/^\.{1,2}$/.test(part));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (parts) => {
        const path = parts.join('/');
        assert.equal(locate(path, '/some/root'), path);
        assert.equal(locate(`/some/root/${path}`, '/some/root'), path);
        assert.equal(
          locate(`file:///some/root/${parts.map(encodeURIComponent).join('/')}`, '/some/root'),
          path,
        );
        assert.equal(locate(`C:\\some\\root\\${parts.join('\\')}`, 'C:\\some\\root'), path);
      }),
    );
  });
});
