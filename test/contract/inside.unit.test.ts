import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { isInside } from '../../src/contract/inside.ts';
import { scrubbedEnv } from '../../src/engine/process/env.ts';
import { pathName } from '../../src/engine/process/program.ts';
import { folders } from '../../src/server/spawn-root.ts';

/** Names a file may have on every system: no separators, no dots alone. */
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((one) => !/[\\/:\0]|^\.+$/.test(one) && one.trim() === one);

const systems = [
  ['linux', posix, '/'],
  ['darwin', posix, '/'],
  ['win32', win32, 'C:\\'],
  ['win32', win32, '\\\\server\\share\\'],
] as const;

describe('A path', () => {
  for (const [platform, paths, root] of systems) {
    it(`lies in each directory above it, and in no directory beside it (${platform}, ${root})`, () => {
      fc.assert(
        fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), name, (parts, last) => {
          const folder = root + parts.join(paths.sep);
          const path = folder + paths.sep + last;
          assert.ok(isInside(folder, folder, platform));
          assert.ok(isInside(folder, folder + paths.sep, platform));
          assert.ok(isInside(path, folder, platform));
          assert.ok(isInside(path, root, platform));
          assert.ok(!isInside(folder, path, platform));
          assert.ok(!isInside(`${folder}x`, folder, platform));
          assert.ok(!isInside(`${folder}-${last}`, folder, platform));
        }),
      );
    });
  }

  it('is the same in any case on Windows and macOS, and nowhere else', () => {
    for (const [path, folder] of [
      ['c:\\Code\\Shop\\src', 'C:\\code\\shop'],
      ['C:/code/shop/src', 'c:\\code\\shop\\'],
      ['\\\\Server\\share\\a', '\\\\server\\Share'],
    ] as const) {
      assert.ok(isInside(path, folder, 'win32'), path);
    }
    assert.ok(!isInside('C:\\code\\shopping', 'c:\\code\\shop', 'win32'));
    assert.ok(!isInside('D:\\code\\shop', 'c:\\code\\shop', 'win32'));
    assert.ok(isInside('/Users/A/Code/x', '/users/a/code', 'darwin'));
    assert.ok(!isInside('/Users/A/Code/x', '/users/a/code', 'linux'));
  });

  it('is the same however its letters are composed on macOS, and nowhere else', () => {
    const [composed, parted] = ['/Users/a/\u00e9t\u00e9', '/Users/a/e\u0301te\u0301/x'];
    assert.ok(isInside(parted, composed, 'darwin'));
    assert.ok(!isInside(parted, composed, 'linux'));
  });

  it('may have a backslash in a name where that is no separator', () => {
    assert.ok(!isInside('/a\\b', '/a', 'linux'));
    assert.ok(isInside('C:\\a\\b', 'C:\\a', 'win32'));
  });
});

describe('What hosts export on Windows', () => {
  it('is taken apart by folder, whatever stands in their names', () => {
    const told: [value: string, folders: string[]][] = [
      ['C:\\a;D:\\b', ['C:\\a', 'D:\\b']],
      ['C:\\a,D:/b', ['C:\\a', 'D:/b']],
      ['\\\\server\\share; c:\\x', ['\\\\server\\share', 'c:\\x']],
      ['C:\\one;two\\x,y', ['C:\\one;two\\x,y']],
      ['', []],
    ];
    for (const [value, want] of told) assert.deepEqual(folders(value, 'win32'), want, value);
    assert.deepEqual(folders('/a:/b,/c:d', 'linux'), ['/a', '/b', '/c:d']);
  });

  it('has variables of any case: the PATH is found, and what redirects git does not get through', () => {
    assert.equal(pathName({ Path: 'C:\\bin' }, 'win32'), 'Path');
    assert.equal(pathName({ Path: 'x' }, 'linux'), 'PATH');
    const env = { git_dir: 'x', Git_Work_Tree: 'y', Discern_Mcp_Token: 'z', Path: 'C:\\bin' };
    assert.deepEqual(scrubbedEnv(env, 'win32'), { Path: 'C:\\bin' });
    assert.deepEqual(scrubbedEnv({ git_dir: 'x', GIT_DIR: 'y' }, 'linux'), { git_dir: 'x' });
  });
});
