import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSealed, sealed } from '../../src/engine/state/seal.ts';

describe('A record that this user sealed', () => {
  it('is known by each of many looks at once, the first ones of a process included', async () => {
    const home = await mkdtemp(join(tmpdir(), 'discern-seal-'));
    const before = process.env.XDG_STATE_HOME;
    try {
      for (let round = 0; round < 5; round++) {
        // A key that this process has not read yet.
        process.env.XDG_STATE_HOME = join(home, `state-${round}`);
        const record = JSON.parse(await sealed(home, 'kept', { version: 1 }));
        const found = await Promise.all(Array.from({ length: 8 }, () => isSealed(home, 'kept', record)));
        assert.deepEqual(found, Array(8).fill(true));
        assert.equal(await isSealed(home, 'kept', { ...record, version: 2 }), false);
      }
    } finally {
      if (before === undefined) delete process.env.XDG_STATE_HOME;
      else process.env.XDG_STATE_HOME = before;
      await rm(home, { recursive: true });
    }
  });
});
