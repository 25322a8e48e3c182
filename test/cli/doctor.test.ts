import assert from 'node:assert/strict';
import type { DoctorData } from '../../src/contract/data.ts';
import { cli, json } from '../support/cli.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();

describe('discern doctor', () => {
  afterEach(removeAll);

  it('exits with 0 where nothing is wrong, and with 1 where something is', async () => {
    const { root, home } = await make();
    const env = { HOME: home };
    const sound = await cli(['doctor'], { cwd: root, env });
    assert.equal(sound.code, 0, sound.stdout);
    assert.match(sound.stdout, /^doctor {2}Nothing is wrong\.$/m);
    assert.match(sound.stdout, /^✔ git: git version/m);
    const outside = await cli(['doctor'], { cwd: home, env });
    assert.equal(outside.code, 1);
    assert.match(outside.stdout, /^✖ config: No discern\.toml.*\n {4}discern init proposes one\.$/m);
    assert.equal(outside.stderr, '');
  });

  it('answers its envelope wherever it is asked', async () => {
    const { home } = await make();
    for (const path of [home, '/', '/no/such/place']) {
      const { envelope, result } = await json<DoctorData>(['doctor', '--path', path], {
        cwd: '/',
        env: { HOME: home },
      });
      assert.equal(envelope.ok, true, envelope.message);
      assert.equal(envelope.data.healthy, false);
      assert.equal(result.code, 1);
    }
  });
});
