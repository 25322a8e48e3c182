import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { StartData } from '../../src/contract/data.ts';
import { cli, json } from '../support/cli.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const ESC = '\u001b';
const failing = `[jobs]
format = "true"
typecheck = "cat errors.txt; exit 2"
test = "test -f src/a.txt"
[gate]
fail_fast = false
`;
const errors = `src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.
src/b.ts(22,5): error TS2304: Cannot find name 'foo'.
`;
const sources = { 'src/a.ts': '', 'src/b.ts': '' };

describe('What a person reads', () => {
  afterEach(removeAll);

  it('of a red gate: verdict, place, jobs, findings a terminal can follow, output file, what to do', async () => {
    const { root } = await make({ config: failing, files: { 'errors.txt': errors, ...sources } });
    const { code, stdout, stderr } = await cli(['done'], { cwd: root });
    assert.equal(code, 1);
    const lines = stdout.split('\n');
    const commit = (await git(root, 'rev-parse', 'HEAD')).slice(0, 10);
    assert.equal(lines[0], '✖ done failed (gate_failed)');
    assert.equal(lines[1], `  ${root} on main at ${commit}`);
    assert.match(stdout, /^ {2}✔ format {5}fix +[\d.]+m?s$/m);
    assert.match(stdout, /^ {2}✖ typecheck {2}check +[\d.]+m?s {2}exit 2$/m);
    const type = "src/a.ts:1:7: error: Type 'string' is not assignable to type 'number'. [TS2322]";
    assert.ok(lines.includes(type), stdout);
    assert.ok(lines.includes("src/b.ts:22:5: error: Cannot find name 'foo'. [TS2304]"), stdout);
    assert.match(stdout, /^typecheck again: {3}cat errors\.txt; exit 2$/m);
    assert.match(stdout, /^typecheck output: {2}\/.*typecheck\.log \(2 lines\)$/m);
    assert.match(lines.at(-2) ?? '', /^typecheck failed: fix what the diagnostics name/);
    assert.match(stderr, /^▸ typecheck started$/m);
    assert.match(stderr, /^✖ typecheck failed after [\d.]+m?s \(\d\/3\)$/m);
  });

  it('of a finding: the file from where they stand, or absolute when they stand elsewhere', async () => {
    const project = await make({ config: failing, files: { 'errors.txt': errors, ...sources } });
    const below = await cli(['done'], { cwd: join(project.root, 'src') });
    assert.match(below.stdout, /^a\.ts:1:7: error: /m);
    const elsewhere = await cli(['done', '--path', project.root], { cwd: project.home });
    assert.ok(elsewhere.stdout.includes(`\n${project.root}/src/a.ts:1:7: error: `), elsewhere.stdout);
  });

  it('of a failure without a place: the end of what the job printed', async () => {
    const { root } = await make({ config: '[jobs]\ntest = "seq 1 100; echo the disk is full; exit 1"\n' });
    const { stdout } = await cli(['test'], { cwd: root });
    assert.match(stdout, /^test: error: The job test failed, saying: the disk is full$/m);
    assert.match(stdout, /^ {2}│ 100\n {2}│ the disk is full$/m);
    assert.doesNotMatch(stdout, /^ {2}│ 50$/m);
    assert.match(stdout, /\(101 lines\)$/m);
  });

  it('of a refusal: which, where, and what to do next at the end', async () => {
    const { root } = await make();
    const { code, stdout } = await cli(['accept'], { cwd: root });
    assert.equal(code, 1);
    assert.match(stdout, /^✖ accept was refused \(not_in_worktree\)\n/);
    assert.match(stdout.trimEnd().split('\n').at(-1) ?? '', /name the worktree to land/);
  });

  it('of the status: branch, distance, changes, proof, and all worktrees with the current one marked', async () => {
    const project = await make();
    const one = (await json<StartData>(['start', 'one'], { cwd: project.root })).envelope.data;
    const two = (await json<StartData>(['start', 'two'], { cwd: project.root })).envelope.data;
    await project.commit({ 'src/one.txt': '1\n' }, one.path);
    await project.commit({ 'src/one.txt': '2\n' }, one.path);
    await project.commit({ 'src/trunk.txt': '1\n' });
    await project.write({ 'src/new.txt': 'new\n', 'src/a.txt': 'changed\n' }, one.path);
    const { code, stdout } = await cli(['status'], { cwd: one.path });
    assert.equal(code, 0);
    const lines = stdout.split('\n');
    assert.equal(lines[0], `On branch ${one.branch} (worktree of main, 2 ahead, 1 behind)`);
    assert.match(stdout, /^Uncommitted changes: src\/a\.txt, src\/new\.txt \(1 unstaged, 1 untracked\)$/m);
    assert.match(stdout, /^Proof: none\. /m);
    const listed = lines.slice(lines.indexOf('Worktrees:') + 1).filter((line) => line !== '');
    assert.deepEqual(
      listed.map((line) => [line.slice(0, 2), ...line.slice(2).split(/ {2,}/)]).sort(),
      [
        ['  ', 'main', 'trunk', project.root],
        ['* ', one.branch, 'one, changed, 2 ahead, 1 behind', one.path],
        ['  ', two.branch, 'two, 1 behind', two.path],
      ].sort(),
    );
    const trunk = await cli(['status'], { cwd: project.root });
    assert.match(trunk.stdout, /^On branch main \(the trunk\)\n/);
    assert.match(trunk.stdout, /^\* main /m);
  });

  it('of the scopes: which changed, what their gates are, and what is in none', async () => {
    const project = await make({
      config:
        '[jobs]\nlint = "true"\n[scopes.docs]\npaths = ["docs/"]\nneutral = true\npreviewable = true\n[scopes.api]\npaths = ["api/"]\ngate = "check-api"\n',
    });
    const { path } = (await json<StartData>(['start'], { cwd: project.root })).envelope.data;
    await project.commit({ 'docs/x.md': 'x\n', 'docs/y.md': 'y\n', 'src/b.txt': 'b\n' }, path);
    const { stdout } = await cli(['scopes'], { cwd: path });
    assert.match(stdout, /^\* docs {2}2 changed paths {2}neutral, previewable$/m);
    assert.match(stdout, /^ {2}api +check-api$/m);
    assert.match(stdout, /^In no scope, so judged as code:\n {2}src\/b\.txt$/m);
  });

  it('of the standards: how each fared, its bound, what pinning would set, and its history', async () => {
    const one = (name: string, limit: number) =>
      `[standards.${name}]\ndirection = "up"\nlimit = ${limit}\nrun = "echo DISCERN_METRIC ${name} $(cat value)"\n`;
    const project = await make({ config: one('good', 3) + one('bad', 9), files: { value: '4\n' } });
    await cli(['standards'], { cwd: project.root });
    await project.commit({ value: '5\n' });
    const { code, stdout } = await cli(['standards'], { cwd: project.root });
    assert.equal(code, 1);
    assert.match(stdout, /^✖ standards failed \(standard_regressed\)\n/);
    assert.match(stdout, /^ {2}✔ good {2}holds: 5 {6}floor 3 {2}could be 5 {2}▁█$/m);
    assert.match(stdout, /^ {2}✖ bad {3}got worse: 5 {2}floor 9 {2}▁█$/m);
    assert.match(stdout, /^standard:bad: error: bad is 5, below its floor 9: raise what it measures/m);
    const pinned = await cli(['standards', 'good', '--pin'], { cwd: project.root });
    assert.equal(pinned.code, 0, pinned.stdout);
    assert.match(pinned.stdout, /^✔ standards {2}Pinned good 3 → 5 in [0-9a-f]{10}\.$/m);
  });

  it('holds no control character of a file’s name', async () => {
    const project = await make({ files: { 'src/\u001b[31mred\u0007.txt': 'x\n' } });
    await project.write({ 'src/\u001b[31mred\u0007.txt': 'changed\n' });
    const { stdout } = await cli(['status'], { cwd: project.root });
    assert.match(stdout, /red\\u\{7\}\.txt/);
    assert.ok(!stdout.includes(ESC) && !stdout.includes('\u0007'));
  });
});

describe('Colour and marks', () => {
  afterEach(removeAll);

  it('into a pipe there is not one escape sequence, on either stream', async () => {
    const { root } = await make({ config: failing, files: { 'errors.txt': errors, ...sources } });
    for (const verb of ['status', 'done', '--help']) {
      const { stdout, stderr } = await cli([verb], { cwd: root });
      assert.ok(!stdout.includes(ESC), verb);
      assert.ok(!stderr.includes(ESC), verb);
    }
  });

  it('FORCE_COLOR colours a pipe, and an option has the last word', async () => {
    // Outside any project, where the answer is short and quick.
    const { home } = await make();
    const colored = async (args: string[], env: Record<string, string> = {}) =>
      (await cli(['status', ...args], { cwd: home, env })).stdout.includes(ESC);
    assert.equal(await colored([], { FORCE_COLOR: '1' }), true);
    assert.equal(await colored(['--no-color'], { FORCE_COLOR: '1' }), false);
    assert.equal(await colored(['--color'], { NO_COLOR: '1' }), true);
    assert.equal(await colored(['--json'], { FORCE_COLOR: '1' }), false, 'JSON is never coloured');
  });

  it('without UTF-8, marks are ASCII', async () => {
    const { root } = await make({ config: failing, files: { 'errors.txt': errors, ...sources } });
    const { stdout, stderr } = await cli(['done'], { cwd: root, env: { LANG: 'C' } });
    assert.match(stdout, /^x done failed/);
    assert.match(stdout, /^ {2}\+ format /m);
    assert.doesNotMatch(stdout + stderr, /[^\x00-\x7f]/);
  });
});
