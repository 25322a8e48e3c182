import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projects } from '../support/project.ts';
import { connections, environment, serverFile } from '../support/server.ts';

const { make, removeAll } = projects();
const { open, closeAll } = connections();

describe('A file of somebody else’s that a flag names', () => {
  afterEach(async () => {
    await closeAll();
    await removeAll();
  });

  it('is not replaced by a window’s socket', async () => {
    const project = await make();
    const file = join(project.home, 'notes.txt');
    await writeFile(file, 'precious');
    const child = spawn(process.execPath, [serverFile, '--root', project.root, '--socket', file], {
      env: environment(),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(code, 1);
    assert.match(said, /notes\.txt is there and no socket: name another file/);
    assert.equal(await readFile(file, 'utf8'), 'precious');
  });

  for (const content of ['precious', '{"name":"package"}']) {
    it(`is not replaced by a window’s state: ${content}`, async () => {
      const project = await make();
      const file = join(project.home, 'notes.json');
      await writeFile(file, content);
      const before = await lstat(file);
      const server = await open({ args: ['--root', project.root, '--state', file] });
      assert.equal((await server.call('discern_start')).isError, false);
      assert.equal(await readFile(file, 'utf8'), content);
      assert.equal((await lstat(file)).ino, before.ino);
    });
  }
});
