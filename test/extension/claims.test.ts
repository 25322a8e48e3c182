import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Claims } from '../../src/extension/fleet/claims.ts';

describe('Which window tells of something', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'discern-claims-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('is one of them, and none again for a minute', async () => {
    const windows = Array.from({ length: 8 }, () => new Claims(dir));
    const took = await Promise.all(windows.map((one) => one.take('a')));
    assert.equal(took.filter(Boolean).length, 1);
    assert.equal(await new Claims(dir).take('a'), false);
    assert.equal(await new Claims(dir).take('b'), true, 'something else');
    assert.equal(await new Claims(dir).take('a', Date.now() + 61_000), true, 'when it has come up again');
  });

  it('is forgotten after a day', async () => {
    const claims = new Claims(dir);
    await claims.take('a');
    await claims.tidy();
    assert.equal((await readdir(dir)).length, 1);
    await claims.tidy(Date.now() + 2 * 24 * 60 * 60 * 1000);
    assert.deepEqual(await readdir(dir), []);
  });
});
