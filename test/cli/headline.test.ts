import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { AcceptData, GateData, StartData, StatusData } from '../../src/contract/data.ts';
import { cli, json } from '../support/cli.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const printing =
  '[project]\nname = "sample"\n[jobs]\nlint = "pwd; ! grep -rn BROKEN src"\ntest = "pwd; test -f src/a.txt"\n';

describe('A person at a terminal', () => {
  afterEach(removeAll);

  it('starts in the main checkout, and is green and lands from inside the worktree', async () => {
    const project = await make({ config: printing });
    const started = await json<StartData>(['start', 'Add b'], { cwd: project.root });
    assert.equal(started.result.code, 0);
    const { path, branch } = started.envelope.data;
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);

    const done = await cli(['done'], { cwd: path });
    assert.equal(done.code, 0, done.stdout);
    assert.match(done.stdout, /^✔ done {2}2 jobs passed\. Proof recorded/);
    assert.ok(done.stdout.includes(`${path} on ${branch} at ${commit.slice(0, 10)}`), done.stdout);

    const accepted = await cli(['accept'], { cwd: path });
    assert.equal(accepted.code, 0, accepted.stdout);
    assert.match(accepted.stdout, /^✔ accept {2}Landed /);
    assert.ok(
      accepted.stdout.includes(`directory that no longer exists: cd ${project.root}\n`),
      accepted.stdout,
    );
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
    assert.equal(existsSync(path), false);
    assert.equal(await git(project.root, 'branch', '--list', branch as string), '');
  });

  it('is red for what only the worktree has, while the trunk is green', async () => {
    const project = await make();
    const { envelope } = await json<StartData>(['start', 'break', 'it'], { cwd: project.root });
    await project.commit({ 'src/b.txt': 'BROKEN\n' }, envelope.data.path);
    assert.equal((await cli(['done'], { cwd: envelope.data.path })).code, 1);
    assert.equal((await cli(['done'], { cwd: project.root })).code, 0);
  });

  it('may stand in a sub-directory: the jobs run in the root', async () => {
    const project = await make({ config: printing });
    const below = join(project.root, 'src', 'deep', 'er');
    await mkdir(below, { recursive: true });
    const { envelope } = await json<GateData>(['done'], { cwd: below });
    assert.equal(envelope.data.root, project.root);
    assert.equal(envelope.steps?.length, 2);
    for (const step of envelope.steps ?? []) {
      assert.equal((await readFile(step.output_path ?? '', 'utf8')).trim(), project.root);
    }
  });

  it('names another checkout by a path relative to the current directory', async () => {
    const project = await make();
    const started = await json<StartData>(['start'], { cwd: project.root });
    const { path } = started.envelope.data;
    const cwd = join(project.root, 'src');
    for (const option of ['--path', '-C']) {
      const { envelope } = await json<StatusData>(['status', option, relative(cwd, path)], { cwd });
      assert.equal(envelope.data.root, path);
    }
  });

  it('previews a landing, and nothing has happened', async () => {
    const project = await make();
    const { envelope } = await json<StartData>(['start'], { cwd: project.root });
    const { path } = envelope.data;
    const commit = await project.commit({ 'src/b.txt': 'b\n' }, path);
    const { code, stdout } = await cli(['accept', '-n'], { cwd: path });
    assert.equal(code, 0);
    assert.match(stdout, /a preview: nothing was changed/);
    assert.match(stdout, /^ {2}run the gate +there is no valid proof$/m);
    assert.equal(await git(path, 'rev-parse', 'HEAD'), commit);
    assert.notEqual(await git(project.root, 'rev-parse', 'main'), commit);
  });

  it('drops the worktree they stand in, and is told that the shell must leave', async () => {
    const project = await make();
    const { envelope } = await json<StartData>(['start'], { cwd: project.root });
    const { path, branch } = envelope.data;
    const dropped = await cli(['drop', '.', '--no-delete-branch'], { cwd: path });
    assert.equal(dropped.code, 0, dropped.stdout);
    assert.ok(dropped.stdout.includes(`cd ${project.root}\n`), dropped.stdout);
    assert.equal(existsSync(path), false);
    assert.notEqual(await git(project.root, 'branch', '--list', branch as string), '', 'the branch was kept');
  });

  it('lands a worktree whose gate has not run, in one command', async () => {
    const project = await make();
    const started = await json<StartData>(['start'], { cwd: project.root });
    await project.commit({ 'src/b.txt': 'b\n' }, started.envelope.data.path);
    const { envelope } = await json<AcceptData>(['accept'], { cwd: started.envelope.data.path });
    assert.equal(envelope.data.landing.trunk_landed, true);
    assert.equal(envelope.data.jobs?.passed, 2);
  });
});
