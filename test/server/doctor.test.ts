import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import type { DoctorData } from '../../src/contract/data.ts';
import { projects } from '../support/project.ts';
import { connections } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

describe('discern_doctor', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('says how the held root was found, and what was tried where there is none', async () => {
    const { root, home } = await make();
    const env = { HOME: home };
    const { call } = await open({ args: ['--root', root], env });
    const { envelope, text } = await call('discern_doctor');
    const data = envelope.data as unknown as DoctorData;
    assert.equal(data.healthy, true, text);
    assert.equal(data.held?.root, root);
    assert.ok(
      data.findings.some(({ check, what }) => check === 'held root' && what.includes('found by --root')),
    );
    assert.match(text, /^checked and fine: held root, /m);

    const nowhere = await open({ args: ['--root', home], env, cwd: '/' });
    const lost = await nowhere.call('discern_doctor');
    assert.equal(lost.isError, false);
    assert.match(lost.text, /warn: held root: This server holds no project\. It tried --root .*cwd \/: /);
    assert.match(lost.text, /error: config: No discern\.toml .*Remedy: discern init/);
  });

  it('answers where the held root is gone', async () => {
    const { root, home } = await make();
    const { call } = await open({ args: ['--root', root], env: { HOME: home } });
    const path = (await call('discern_start')).envelope.data.path as string;
    await rm(path, { recursive: true });
    const { text, isError } = await call('discern_doctor');
    assert.equal(isError, false);
    assert.match(text, /error: held root: The held root .* is gone/);
    assert.match(text, /error: directory: .* does not exist/);
  });
});
