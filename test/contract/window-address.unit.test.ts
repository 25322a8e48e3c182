import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import fc from 'fast-check';
import { isWindowPipe, windowAddress } from '../../src/contract/window-address.ts';

const id = '0123456789abcdef';

describe('The address of a window', () => {
  it('is a pipe of this machine on Windows, whatever the folder for temporary files is, and needs no folder', () => {
    for (const temp of ['C:\\Users\\A B\\AppData\\Local\\Temp', '\\\\server\\share\\x', '']) {
      assert.deepEqual(windowAddress(id, temp, 'win32'), { address: `\\\\.\\pipe\\discern-${id}` });
    }
    const { address } = windowAddress(id, '', 'win32');
    assert.ok(isWindowPipe(address));
    // To path.win32 it is absolute and whole, so nothing resolves it against a directory.
    assert.deepEqual([win32.isAbsolute(address), win32.resolve('D:\\x', address)], [true, address]);
  });

  it('is taken for a pipe only as a whole: not another machine’s, another program’s, a file’s, or a part of one', () => {
    for (const other of [
      `\\\\server\\pipe\\discern-${id}`,
      `\\\\?\\pipe\\discern-${id}`,
      `\\\\.\\pipe\\discern-${id}\\x`,
      `\\\\.\\pipe\\discern-${id}\n`,
      `\\\\.\\pipe\\other-${id}`,
      '\\\\.\\pipe\\discern-0123',
      `C:\\\\.\\pipe\\discern-${id}`,
      `//./pipe/discern-${id}`,
      `/tmp/discern-${id}/s`,
    ]) {
      assert.equal(isWindowPipe(other), false, other);
    }
    const hex = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(hex, (digits) => isWindowPipe(windowAddress(digits.join(''), '/tmp', 'win32').address)),
    );
    fc.assert(fc.property(fc.string(), (text) => !isWindowPipe(text)));
  });

  it('is elsewhere a socket in a folder of its own, short enough for the system wherever temporary files lie', () => {
    assert.deepEqual(windowAddress(id, '/tmp', 'linux'), {
      address: `/tmp/discern-${id}/s`,
      folder: `/tmp/discern-${id}`,
    });
    const onMac = '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T';
    assert.equal(windowAddress(id, onMac, 'darwin').folder, `${onMac}/discern-${id}`);
    const part = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
      .filter((one) => !/[/\0]/.test(one));
    fc.assert(
      fc.property(part, (name) => {
        const { address, folder } = windowAddress(id, `/${name}`, 'darwin');
        assert.ok(Buffer.byteLength(address) <= 103, address);
        assert.equal(address, `${folder}/s`);
      }),
    );
  });
});
