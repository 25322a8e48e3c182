import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DoctorData } from '../../src/contract/data.ts';
import { programOnPath } from '../../src/engine/process/program.ts';
import { json } from '../support/cli.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();

const config = `[jobs.check]
stage = "check"
run = ["cat src/a.txt lib/b.txt > out/made", "./tools/run.sh && cat out/made cache/big local.txt"]
inputs = ["src/**", "tools/**"]
toolchain = ["lock"]

[jobs.whole]
stage = "test"
run = "cat src/a.txt lock"
inputs = ["src/**"]
toolchain = ["lock"]

[jobs.red]
stage = "test"
run = "cat lib/b.txt; exit 3"
inputs = ["src/**"]

[jobs.plain]
stage = "test"
run = "exit 9"

[jobs.moved]
stage = "test"
run = "cat src/a.txt && (cd bin && ./own x)"
inputs = ["src/**"]
`;

describe('discern doctor --inputs', () => {
  afterEach(removeAll);

  const project = async () => {
    const made = await make({
      config,
      files: {
        'lib/b.txt': 'b\n',
        'tools/run.sh': '#!/bin/sh\ncat "lib/c é.txt" lock\n',
        'lib/c é.txt': 'c\n',
        lock: '1\n',
        '.gitignore': 'out/\ncache/\nlocal.txt\n',
        'bin/own': '',
      },
    });
    await chmod(join(made.root, 'tools/run.sh'), 0o755);
    // A program that nothing opens: the kernel reads it.
    await copyFile('/bin/echo', join(made.root, 'bin/own'));
    await made.commit({});
    for (const dir of ['out', 'cache']) await mkdir(join(made.root, dir));
    await writeFile(join(made.root, 'cache/big'), 'x\n');
    await writeFile(join(made.root, 'local.txt'), 'x\n');
    return made;
  };

  it('lists the files a job read that its inputs leave out, and nothing else', async () => {
    const { root } = await project();
    const { envelope, result } = await json(['doctor', '--inputs'], { cwd: root });
    // On a machine without a tracer that is all there is to say.
    if (programOnPath('strace', process.env.PATH, false) === undefined)
      return assert.equal(envelope.error, 'unavailable', envelope.message);
    const { findings } = envelope.data as DoctorData;
    const said = findings.map(({ level, what }) => `${level} ${what}`);
    assert.deepEqual(
      said.map((one) => one.replace(/Its output: .*/, '')),
      [
        'warn check read 2 files that its inputs leave out: lib/b.txt, lib/c é.txt.',
        'warn check read what git ignores and its inputs leave out: cache/ (1 file), local.txt.',
        'warn red failed (exit 3) while it was traced, so it may read more than is told here. ',
        'warn red read 1 file that its inputs leave out: lib/b.txt.',
        'warn moved read 1 file that its inputs leave out: bin/own.',
        'ok whole read 2 files of the project, all of them declared.',
      ],
    );
    assert.equal(result.code, 0);
    const one = await json(['doctor', 'jobs.whole', '--inputs'], { cwd: root });
    assert.deepEqual(
      (one.envelope.data as DoctorData).findings.map(({ level }) => level),
      ['ok'],
    );
  });

  it('says unavailable where there is no tracer, and runs nothing; and names the jobs it can trace', async () => {
    const { root, home } = await project();
    const bin = join(home, 'bin');
    await mkdir(bin);
    await writeFile(
      join(bin, 'strace'),
      '#!/bin/sh\necho "strace: ptrace(PTRACE_TRACEME): Operation not permitted" >&2\nexit 1\n',
    );
    await chmod(join(bin, 'strace'), 0o755);
    const denied = await json(['doctor', '--inputs'], {
      cwd: root,
      env: { PATH: `${bin}:${process.env.PATH}` },
    });
    assert.equal(denied.envelope.error, 'unavailable');
    assert.equal(denied.result.code, 1);
    const unknown = await json(['doctor', 'plain', '--inputs'], { cwd: root });
    assert.equal(unknown.envelope.error, 'invalid_argument');
    assert.match(unknown.envelope.message ?? '', /These do: check, whole, red, moved\./);
    const misuse = await json(['doctor', 'plain'], { cwd: root });
    assert.equal(misuse.result.code, 2);
  });
});
