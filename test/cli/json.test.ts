import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { commands } from '../../src/cli/commands.ts';
import type { DropData, StartData, StatusData, UpdateData } from '../../src/contract/data.ts';
import { envelopeSchema } from '../../src/contract/envelope.ts';
import { needsNoRoot } from '../../src/contract/traits.ts';
import { type Verb, verbNames, verbs } from '../../src/contract/verbs.ts';
import { cliFile, json } from '../support/cli.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** What a verb must be told, whatever it is. */
function needed(verb: Verb): string[] {
  const { options } = commands[verb];
  const { required = [], properties = {} } = z.toJSONSchema(verbs[verb].args, { io: 'input' });
  return required.flatMap((name) => {
    const option = name.replaceAll('_', '-');
    const property = properties[name];
    const among = typeof property === 'object' ? property.enum?.[0] : undefined;
    if (options[option] === undefined) return [String(among ?? 'nothing-of-the-kind')];
    return options[option].type === 'boolean' ? [`--${option}`] : [`--${option}`, 'x'];
  });
}

describe('With --json', () => {
  afterEach(removeAll);

  it('every verb that is about a project refuses a directory of no project, and exits with 1', async () => {
    const { home } = await make();
    for (const verb of verbNames.filter((one) => one !== 'doctor' && !needsNoRoot(one))) {
      const { envelope, result } = await json([verb, ...needed(verb)], { cwd: home });
      assert.equal(envelope.error, verb === 'init' ? 'not_a_git_repository' : 'not_initialized', verb);
      assert.ok(envelope.message?.includes(home));
      assert.equal(result.code, 1);
      assert.equal(result.stderr, '');
    }
  });

  it('the gate’s verbs and scopes answer their envelopes', async () => {
    const project = await make();
    for (const verb of ['prepare', 'test', 'done', 'scopes', 'standards'] as const) {
      const { envelope, result } = await json([verb], { cwd: project.root });
      assert.equal(envelope.ok, true, envelope.message);
      assert.equal(envelope.data.root, project.root);
      assert.equal(result.code, 0);
    }
  });

  it('the verbs of a worktree’s life answer their envelopes', async () => {
    const project = await make();
    const { root } = project;
    const started = await json<StartData>(['start', 'one'], { cwd: root });
    const { path, id } = started.envelope.data;
    await project.commit({ 'src/trunk.txt': 't\n' });
    const update = await json<UpdateData>(['update'], { cwd: path });
    assert.equal(update.envelope.data.merged, true);
    const status = await json<StatusData>(['status'], { cwd: root });
    assert.equal(status.envelope.data.worktrees.length, 2);
    const drop = await json<DropData>(['drop', id, '--delete-branch'], { cwd: root });
    assert.equal(drop.envelope.data.branch_deleted, true);
    assert.equal(drop.result.code, 0);
  });

  it('a refusal exits with 1', async () => {
    const { root } = await make();
    const refused: [[Verb, ...string[]], string][] = [
      [['start', '--from', 'no-such-ref'], 'unknown_ref'],
      [['update'], 'not_in_worktree'],
      [['accept'], 'not_in_worktree'],
      [['drop', 'no-such-worktree', '--no-delete-branch'], 'path_not_found'],
    ];
    for (const [command, error] of refused) {
      const { envelope, result } = await json(command, { cwd: root });
      assert.equal(envelope.error, error, `${command.join(' ')}: ${envelope.message}`);
      assert.equal(result.code, 1);
    }
  });

  it('a red gate exits with 1, and so does a drop of its work, until it is forced', async () => {
    const project = await make();
    const started = await json<StartData>(['start'], { cwd: project.root });
    const { path } = started.envelope.data;
    await project.commit({ 'src/b.txt': 'BROKEN\n' }, path);
    const done = await json(['done'], { cwd: path });
    assert.equal(done.envelope.error, 'gate_failed');
    assert.equal(done.result.code, 1);
    const drop = await json(['drop', '.', '--delete-branch'], { cwd: path });
    assert.equal(drop.envelope.error, 'dirty_worktree');
    assert.equal(drop.result.code, 1);
    const forced = await json<DropData>(['drop', '.', '--delete-branch', '--force'], { cwd: path });
    assert.equal(forced.result.code, 0);
    assert.ok(forced.envelope.data.recovery_ref);
  });

  it('stdout is the envelope alone and stderr is silent, however much the jobs print', async () => {
    const project = await make({
      config:
        '[jobs]\nlint = "seq 1 20000; seq 1 20000 >&2"\ntest = "yes 0123456789 | head -n 100000; exit 3"\n[gate]\nfail_fast = false\n',
    });
    const { envelope, result } = await json(['done'], { cwd: project.root });
    assert.deepEqual(
      envelope.steps?.map(({ output_lines }) => output_lines),
      [40_000, 100_000],
    );
    assert.equal(result.stdout.trimEnd().split('\n').length, 1);
    assert.equal(result.stderr, '');
  });

  it('a wrong option of a known verb is an envelope too, beside the words on stderr', async () => {
    const project = await make();
    const { envelope, result } = await json(['status', '--pth', 'x'], { cwd: project.root });
    assert.equal(envelope.error, 'unknown_argument');
    assert.match(envelope.message ?? '', /--path/);
    assert.equal(result.code, 2);
    assert.match(result.stderr, /Unknown option --pth/);
  });

  it('a path that does not exist, or is a file, is an envelope', async () => {
    const project = await make();
    const missing = await json(['status', '--path', 'no/such'], { cwd: project.root });
    assert.equal(missing.envelope.error, 'path_not_found');
    assert.ok(missing.envelope.message?.includes(join(project.root, 'no/such')));
    const file = await json(['status', '--path', 'discern.toml'], { cwd: project.root });
    assert.equal(file.envelope.error, 'invalid_argument');
  });
});

/** Runs the program from a shell whose directory has been removed. */
function fromNowhere(home: string, ...args: string[]): Promise<{ code: number; stdout: string }> {
  const gone = join(home, 'gone');
  const script = 'mkdir "$1" && cd "$1" && rmdir "$1" && shift && exec "$@"';
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', script, 'sh', gone, process.execPath, cliFile, ...args],
      { cwd: home },
      (error, stdout) => resolve({ code: error ? Number(error.code) : 0, stdout }),
    );
  });
}

describe('From a current directory that is gone', () => {
  afterEach(removeAll);

  it('the answer is an envelope that says so', async () => {
    const project = await make();
    const { code, stdout } = await fromNowhere(project.home, 'status', '--json');
    const envelope = envelopeSchema('status', verbs.status.data).parse(JSON.parse(stdout));
    assert.equal(envelope.error, 'path_not_found');
    assert.match(envelope.message ?? '', /current directory is gone/);
    assert.equal(code, 1);
    assert.equal((await fromNowhere(project.home, 'status', '--path', 'app')).code, 1);
  });

  it('an absolute path is enough', async () => {
    const project = await make();
    const { code, stdout } = await fromNowhere(project.home, 'status', '--json', '--path', project.root);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).data.root, project.root);
  });
});
