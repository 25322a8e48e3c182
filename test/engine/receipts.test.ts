import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { startCli } from '../support/cli.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';
import { Dice } from '../support/random.ts';

const { make, removeAll } = projects();

/** A project whose jobs write down that they ran, outside the repository. */
async function work(config: (ran: string) => string, files: Record<string, string> = {}, settings = '') {
  const probe = await make();
  const ran = join(probe.home, 'ran');
  await writeFile(ran, '');
  const project = await make({
    config: config(ran),
    files: {
      'src/a.txt': 'a\n',
      'lib/b.txt': 'b\n',
      'docs/c.txt': 'c\n',
      '.gitignore': 'out/\n.tool\n',
      ...(settings && { 'discern-vscode.toml': settings }),
      ...files,
    },
  });
  const { path } = succeeded(await verb('start', project.root, { name: 'first' }));
  return { project, path, ran: () => jobsIn(ran) };
}

/** The jobs that ran since the last look. */
async function jobsIn(file: string): Promise<string[]> {
  const jobs = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  await writeFile(file, '');
  return jobs.sort();
}

const twoJobs = (ran: string) => `[jobs.a]
stage = "check"
run = "echo a >> ${ran} && ! grep -rq BROKEN src"
inputs = ["src/**"]
toolchain = [".tool"]
environment = ["PROBE_MODE"]

[jobs.b]
stage = "test"
run = "echo b >> ${ran}"
inputs = ["lib/**", "!lib/skip/**"]
`;
const never = '[receipts]\ncheck_every = 0\n';

const commit = (project: Project, path: string, files: Record<string, string> = {}) =>
  project.commit({ 'docs/c.txt': `${Math.random()}\n`, ...files }, path);

async function green(path: string, args: { rerun?: boolean } = {}) {
  const answer = await verb('done', path, args);
  assert.equal(succeeded(answer).proof?.state, 'valid', answer.message);
  return answer;
}

const stateOf = async (path: string) =>
  join(await git(path, 'rev-parse', '--path-format=absolute', '--git-common-dir'), 'discern-vscode');

describe('A result stands in for a job', () => {
  afterEach(removeAll);

  it('whose declared inputs are the same, in every worktree, and is named by answer, preview and proof', async () => {
    const { project, path, ran } = await work(twoJobs, {}, never);
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['a', 'b']);
    const first = await git(path, 'rev-parse', 'HEAD');

    await commit(project, path, { 'lib/b.txt': 'other\n' });
    const preview = await verb('done', path, { dry_run: true });
    const detail = preview.plan?.steps.map(({ detail: one }) => one).join('\n') ?? '';
    assert.match(detail, new RegExp(`\\(reused: its inputs are those of ${first.slice(0, 10)}\\)`));
    assert.match(detail, /\(runs: no result of these inputs is known\)/);
    const second = await green(path);
    assert.deepEqual(await ran(), ['b']);
    assert.match(second.message ?? '', /^2 jobs passed, 1 of them reused\./);
    const [a] = second.steps ?? [];
    assert.equal(a?.reused?.commit, first);
    assert.equal(a?.reused?.worktree, path);
    const proofs = join(await stateOf(path), 'proofs');
    const head = await git(path, 'rev-parse', 'HEAD');
    const names = (await readdir(proofs, { recursive: true })).filter((name) => name.includes(head));
    const proof = await Promise.all(names.map((name) => readFile(join(proofs, name), 'utf8')));
    assert.match(proof.join('\n'), new RegExp(`"commit": "${first}"`), 'the proof names what it rests on');

    const other = succeeded(await verb('start', project.root, { name: 'second' })).path;
    await commit(project, other, { 'src/a.txt': 'more\n' });
    await green(other);
    assert.deepEqual(await ran(), ['a'], 'lib is as it was on the first commit');

    await commit(project, other);
    await green(other, { rerun: true });
    assert.deepEqual(await ran(), ['a', 'b']);
  });

  it('only as long as it passed, and a failure is no pass later', async () => {
    const { project, path, ran } = await work(twoJobs, {}, never);
    await commit(project, path, { 'src/a.txt': 'BROKEN\n' });
    refusedWith(await verb('done', path), 'gate_failed');
    await ran();
    await commit(project, path);
    refusedWith(await verb('done', path), 'gate_failed');
    assert.ok((await ran()).includes('a'));
    await commit(project, path, { 'src/a.txt': 'a\n' });
    await green(path);
    assert.ok((await ran()).includes('a'));
  });

  it('but never for one without inputs, or on a tree that is not a commit', async () => {
    const config = (ran: string) =>
      `[jobs]\ntest = "echo t >> ${ran}"\n[jobs.b]\nstage = "check"\nrun = "echo b >> ${ran}"\ninputs = ["lib/**"]\n`;
    const { project, path, ran } = await work(config, {}, never);
    await commit(project, path);
    await green(path);
    await ran();
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['t']);
    await writeFile(join(path, 'lib/b.txt'), 'edited\n');
    const dirty = await verb('done', path);
    assert.equal(dirty.data?.proof?.state, 'none');
    assert.deepEqual(await ran(), ['b', 't']);
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['b', 't'], 'what was judged dirty says nothing of the commit');
  });

  it('with what it makes put back as it was, or the job runs', async () => {
    const config = (ran: string) => `[jobs.made]
stage = "build"
run = "echo made >> ${ran} && mkdir -p out && cat src/a.txt > out/x && chmod 755 out/x"
inputs = ["src/**"]
artifacts = ["out/x"]

[jobs.uses]
stage = "test"
run = "echo uses >> ${ran} && test -x out/x && cmp out/x src/a.txt"
needs = ["jobs.made"]
`;
    const { project, path, ran } = await work(config, {}, never);
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['made', 'uses']);
    await rm(join(path, 'out'), { recursive: true });
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['uses']);

    await writeFile(join(path, 'out/x'), 'a person’s\n');
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['uses'], 'what git ignores there is the job’s to write');

    await chmod(join(path, 'out/x'), 0o644);
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['uses'], 'which may be run again');

    await rm(join(path, 'out'), { recursive: true });
    const outside = join(project.home, 'elsewhere');
    await mkdir(outside);
    await symlink(outside, join(path, 'out'));
    await commit(project, path);
    await verb('done', path);
    assert.ok((await ran()).includes('made'), 'nothing is put back through a link');
    await rm(join(path, 'out'));

    const copies = join(await stateOf(path), 'receipts', 'artifacts');
    for (const name of await readdir(copies)) await writeFile(join(copies, name), 'damaged\n');
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['made', 'uses']);
  });

  it('not where a file among its inputs has changed that git ignores, before the run or in it', async () => {
    const config = (ran: string) => `[jobs.reads]
stage = "test"
run = "echo reads >> ${ran} && ! grep -q BROKEN src/local.gen"
inputs = ["src/**"]

[jobs.makes]
stage = "build"
run = "echo makes >> ${ran} && cat docs/c.txt > src/local.gen"
inputs = ["docs/**"]
artifacts = ["src/local.gen"]
`;
    const { project, path, ran } = await work(config, { '.gitignore': '*.gen\nsrc/deep/\n' }, never);
    await project.commit({ 'docs/c.txt': 'one\n' }, path);
    await green(path);
    assert.deepEqual(await ran(), ['makes', 'reads']);
    await project.commit({ 'lib/b.txt': 'x\n' }, path);
    await green(path);
    await ran();
    await project.commit({ 'lib/b.txt': 'y\n' }, path);
    await green(path);
    assert.deepEqual(await ran(), []);

    await mkdir(join(path, 'src/deep'), { recursive: true });
    await writeFile(join(path, 'src/deep/more'), 'm\n');
    await project.commit({ 'lib/b.txt': 'z\n' }, path);
    await green(path);
    assert.deepEqual(await ran(), ['reads']);

    await project.commit({ 'docs/c.txt': 'BROKEN\n' }, path);
    refusedWith(await verb('done', path), 'gate_failed');
    assert.deepEqual(await ran(), ['makes', 'reads'], 'the build before it has made another file');
  });

  it('only where it is whole, this user’s, and of this version', async () => {
    const { project, path, ran } = await work(twoJobs, {}, never);
    await commit(project, path);
    await green(path);
    await ran();
    const dir = join(await stateOf(path), 'receipts');
    const files = (await readdir(dir)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
    assert.equal(files.length, 2);
    const change = async (edit: (text: string) => string) => {
      for (const name of files) {
        const file = join(dir, name);
        await writeFile(file, edit(await readFile(file, 'utf8')));
      }
      await commit(project, path);
      await green(path);
      assert.deepEqual(await ran(), ['a', 'b']);
      await commit(project, path);
      await green(path);
      assert.deepEqual(await ran(), [], 'the damaged one is replaced');
    };
    await change((text) => text.slice(0, text.length / 2));
    await change((text) => text.replace('"duration_ms": ', '"duration_ms": 1'));
    await change((text) => text.replace('"version": 1', '"version": 2'));
    await change(() => '');
    for (const name of files) {
      await rm(join(dir, name));
      await mkdir(join(dir, name));
    }
    await commit(project, path);
    const answer = await green(path);
    assert.deepEqual(await ran(), ['a', 'b']);
    assert.ok(
      answer.hints?.some((hint) => hint.startsWith('The results were not kept')),
      answer.hints?.join('\n'),
    );
  });

  it('for inputs of the commit alone: what names no file, a submodule or a link elsewhere is not seen, so the job runs', async () => {
    const config = (ran: string) =>
      ['none/**', 'link', 'deep/**']
        .map(
          (inputs, index) =>
            `[jobs.j${index}]\nstage = "check"\nrun = "echo j${index} >> ${ran}"\ninputs = ["${inputs}"]\n`,
        )
        .join('\n');
    const { project, path, ran } = await work(config, { 'deep/x.txt': 'x\n' }, never);
    await symlink('docs', join(path, 'link'));
    await git(path, 'add', 'link');
    await commit(project, path);
    await green(path);
    await ran();
    await commit(project, path);
    await green(path);
    assert.deepEqual(await ran(), ['j0', 'j1']);
  });

  it('and one reuse in so many is checked by a run, which tells when the two disagree', async () => {
    const config = (ran: string) =>
      `[jobs.flaky]\nstage = "check"\nrun = "echo flaky >> ${ran} && test ! -e out/broken"\ninputs = ["src/**"]\n`;
    const { project, path, ran } = await work(config, {}, '[receipts]\ncheck_every = 3\n');
    await commit(project, path);
    await green(path);
    for (const runs of [[], [], ['flaky'], [], []]) {
      await ran();
      await commit(project, path);
      await green(path);
      assert.deepEqual(await ran(), runs);
    }
    await mkdir(join(path, 'out'), { recursive: true });
    await writeFile(join(path, 'out/broken'), '');
    await commit(project, path);
    const answer = await verb('done', path);
    refusedWith(answer, 'gate_failed');
    assert.ok(
      answer.hints?.some((hint) =>
        /^flaky passed on .* with the same declared inputs, and failed now/.test(hint),
      ),
      answer.hints?.join('\n'),
    );
  });

  it('for whatever is done to the tree: exactly when its declared inputs were judged before', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom('src', 'lib', 'docs', 'skip', 'tool', 'env'),
        value: fc.integer({ min: 0, max: 2 }),
      }),
      fc.record({
        kind: fc.constantFrom('mode', 'rename', 'back', 'checkout', 'killed', 'killed'),
        value: fc.integer({ min: 0, max: 2 }),
      }),
    );
    const dice = new Dice(15);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 7 }), async (steps) => {
        const { path, ran } = await work(twoJobs, { 'lib/skip/s.txt': 's\n' }, never);
        const seen = { a: new Set<string>(), b: new Set<string>() };
        // Judged by a run that was killed: its result may have been kept, or not.
        const begun = { a: new Set<string>(), b: new Set<string>() };
        let tool = 'absent';
        let mode = 'unset';
        const start = await git(path, 'rev-parse', 'HEAD');
        const commits: string[] = [start];
        delete process.env.PROBE_MODE;
        try {
          for (const { kind, value } of [{ kind: 'docs', value: 0 }, ...steps]) {
            const file = join(path, 'src', value === 0 ? 'a.txt' : `n${value}.txt`);
            if (kind === 'src') await writeFile(file, `${value}\n`);
            if (kind === 'lib') await writeFile(join(path, 'lib/b.txt'), `${value}\n`);
            if (kind === 'skip') await writeFile(join(path, 'lib/skip/s.txt'), `${value}\n`);
            if (kind === 'tool') {
              tool = `${value}`;
              await writeFile(join(path, '.tool'), tool);
            }
            if (kind === 'env') {
              mode = `${value}`;
              process.env.PROBE_MODE = mode;
            }
            if (kind === 'mode') await chmod(join(path, 'lib/b.txt'), value === 0 ? 0o755 : 0o644);
            if (kind === 'rename') {
              const names = await readdir(join(path, 'src'));
              await git(path, 'mv', '-f', `src/${names[0]}`, `src/r${value}.txt`).catch(() => undefined);
            }
            if (kind === 'back') {
              const to = commits[Math.min(value, commits.length - 1)] ?? start;
              await git(path, 'read-tree', '-u', '--reset', to);
            }
            if (kind === 'checkout') {
              const to = commits[Math.min(value, commits.length - 1)] ?? start;
              await git(path, 'checkout', '--quiet', '--detach', to);
            } else {
              await git(path, 'add', '--all');
              await git(path, 'commit', '--quiet', '--allow-empty', '-m', kind);
            }
            commits.push(await git(path, 'rev-parse', 'HEAD'));
            const tree = (await git(path, 'ls-tree', '-r', 'HEAD')).split('\n');
            const parts = {
              a: JSON.stringify([tree.filter((line) => line.includes('\tsrc/')), tool, mode]),
              b: JSON.stringify(
                tree.filter((line) => line.includes('\tlib/') && !line.includes('\tlib/skip/')),
              ),
            };
            const jobs = ['a', 'b'] as const;
            if (kind === 'killed') {
              const run = startCli(['done'], { cwd: path });
              const moment = dice.next() * 900;
              await Promise.race([run.ended, sleep(moment)]);
              run.child.kill('SIGKILL');
              await run.ended;
              for (const job of jobs) begun[job].add(parts[job]);
              await ran();
            }
            await green(path);
            const now = await ran();
            for (const job of jobs) {
              if (seen[job].has(parts[job])) assert.ok(!now.includes(job), `${kind}: ${job} ran again`);
              else if (!begun[job].has(parts[job]))
                assert.ok(now.includes(job), `${kind}: ${job} was reused`);
              seen[job].add(parts[job]);
            }
          }
        } finally {
          delete process.env.PROBE_MODE;
          await removeAll();
        }
      }),
      { numRuns: 6 },
    );
  });
});
