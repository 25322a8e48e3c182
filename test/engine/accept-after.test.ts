import assert from 'node:assert/strict';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { config, log, logged } from '../support/jobs.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const landed = {
  recovery_performed: false,
  trunk_landed: true,
  worktree_removed: true,
  branch_deleted: true,
};

/** Adds a line to the log, with the directory it ran in. */
const told = (word: string) =>
  `echo ${word} \${PWD##*/} >> "$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)")/../log"`;

async function proved(project: Project, files: Record<string, string> = { 'src/b.txt': 'b\n' }) {
  const { path, branch, id } = await started(project.root, { name: 'work' });
  const commit = await project.commit(files, path);
  assert.equal((await verb('done', path)).data?.proof?.state, 'valid');
  return { path, branch, id, commit };
}

describe('The landing checkout after a landing', () => {
  afterEach(removeAll);

  const rest = (ensure: string[], more = '') => `[repository]\nensure = ${JSON.stringify(ensure)}\n${more}`;
  const jobs = { smoke: JSON.stringify(told('smoke')), test: JSON.stringify('true') };

  it('is made ready: the ensures, then smoke, run in it', async () => {
    const project = await make({
      config: config(
        jobs,
        `${rest([told('first'), told('second')])}[worktree.setup]\nensure = [${JSON.stringify(told('own'))}]\n`,
      ),
    });
    const { path, id } = await proved(project);
    const before = (await logged(project)).length;
    const answer = await verb('accept', path);
    assert.deepEqual(succeeded(answer).landing, landed);
    assert.deepEqual((await logged(project)).slice(before), ['first app', 'second app', 'smoke app']);
    assert.ok(
      (await logged(project)).some((line) => line === `own ${id}`),
      'which are the worktree’s alone',
    );
    assert.deepEqual(
      answer.steps?.map(({ name, stage, outcome }) => [name, stage, outcome]),
      [
        ['repository.ensure[0]', 'setup', 'passed'],
        ['repository.ensure[1]', 'setup', 'passed'],
        ['jobs.smoke', 'setup', 'passed'],
      ],
    );
  });

  it('that cannot be made ready is told, and nothing that landed is undone', async () => {
    const project = await make({
      config: config(jobs, rest(['test ! -e src/b.txt || { echo no network; exit 7; }'])),
    });
    const { path, branch, commit } = await proved(project, { 'src/a.txt': 'changed\n' });
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    assert.equal((await verb('done', path)).data?.proof?.state, 'valid');
    const answer = await verb('accept', path);
    refusedWith(answer, 'partial_acceptance', /failed in .*\/app afterwards\. Nothing was undone/);
    assert.deepEqual(answer.data?.landing, landed);
    assert.equal(await git(project.root, 'merge-base', '--is-ancestor', commit, 'main'), '');
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
    assert.equal(await git(project.root, 'branch', '--list', branch ?? ''), '');
    assert.match(answer.diagnostics?.[0]?.message ?? '', /no network/);
    assert.ok(!(await logged(project)).includes('smoke app'), 'smoke does not run on what is not ready');
  });

  it('with a smoke job that fails there is told too', async () => {
    const project = await make({
      config: config({ smoke: '"test $(basename $PWD) != app"', test: '"true"' }),
    });
    const { path } = await proved(project);
    const answer = await verb('accept', path);
    refusedWith(answer, 'partial_acceptance', /\(jobs\.smoke\) failed in/);
    assert.deepEqual(answer.data?.landing, landed);
  });

  it('is left alone when nothing landed', async () => {
    const project = await make({ config: config(jobs, rest([log('ensure')])) });
    const { path } = await proved(project);
    const before = await logged(project);
    await project.write({ 'src/b.txt': 'in the way\n' });
    refusedWith(await verb('accept', path), 'dirty_landing_checkout');
    assert.deepEqual(await logged(project), before);
  });

  it('is that of the project below the git top, where it lies there', async () => {
    const inner = 'packages/app';
    const project = await make();
    await project.commit({
      [`${inner}/discern.toml`]: config({ smoke: JSON.stringify('pwd > ../../../smoked') }),
    });
    const { path } = await started(join(project.root, inner), { name: 'work' });
    await project.write({ x: 'x\n' }, path);
    await git(path, 'add', '.');
    await git(path, 'commit', '--quiet', '-m', 'x');
    const answer = await verb('accept', path);
    assert.deepEqual(succeeded(answer).landing, landed);
    assert.deepEqual(
      answer.steps?.map(({ name, outcome }) => [name, outcome]),
      [
        ['smoke', 'passed'],
        ['jobs.smoke', 'passed'],
      ],
    );
  });
});

describe('The owner’s policies', () => {
  afterEach(removeAll);

  const policy = `[scopes.docs]
paths = ["docs/"]
[acceptance]
pre_authorized = ["docs"]
[checkpoints.secrets]
paths = ["src/**"]
exclude_paths = ["src/old/**"]
question = """
What could
leak?
"""
[checkpoints.any]
mode = "advise"
question_file = "docs/q.md"
`;
  const hints = (answer: { hints?: string[] | undefined }) => answer.hints?.join('\n') ?? '';

  it('are told by done and accept: what is covered, and what is not asked', async () => {
    const project = await make({ config: config({ test: '"true"' }, policy) });
    const { path } = await started(project.root, { name: 'work' });
    await project.commit({ 'docs/a.md': 'a\n', 'src/old/x': 'x\n' }, path);
    const first = await verb('done', path);
    assert.match(hints(first), /may apply here: any \(advise\): docs\/q\.md\. Answer them/);
    assert.match(
      hints(await verb('accept', path, { dry_run: true })) +
        JSON.stringify((await verb('accept', path, { dry_run: true })).plan),
      /Not pre-authorized by \[acceptance\] of main: src\/old\/x lies outside docs\./,
    );
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    assert.match(
      hints(await verb('done', path)),
      /secrets \(stop\): \\?"What could leak\?\\?"; any \(advise\)/,
    );
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.match(hints(answer), /src\/b\.txt, src\/old\/x lie outside docs\. discern asks nobody/);
    assert.match(hints(answer), /does not ask checkpoints/);
  });

  it('say that a landing is covered, when every change is', async () => {
    const project = await make({ config: config({ test: '"true"' }, policy) });
    const { path } = await started(project.root, { name: 'work' });
    await project.commit({ 'docs/a.md': 'a\n' }, path);
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.match(hints(answer), /^Pre-authorized by \[acceptance\] of main: every change lies in docs\./m);
  });

  it('are those of the trunk: a branch grants itself nothing and silences nothing', async () => {
    const project = await make({ config: config({ test: '"true"' }, policy) });
    const { path } = await started(project.root, { name: 'work' });
    const own = config(
      { test: '"true"' },
      '[scopes.all]\npaths = ["**"]\n[acceptance]\npre_authorized = ["all"]\n',
    );
    await project.commit({ 'discern.toml': own, 'src/b.txt': 'b\n' }, path);
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.match(
      hints(answer),
      /Not pre-authorized by \[acceptance\] of main: discern\.toml, src\/b\.txt lie outside docs/,
    );
    assert.match(hints(answer), /secrets \(stop\)/);
  });

  it('that cannot be read on the trunk are said to be so', async () => {
    const project = await make({ config: `${config({ test: '"true"' }, policy)}[gate]\nunknown = 1\n` });
    await git(project.root, 'switch', '--quiet', '--detach');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'w', '../w', 'main');
    await git(project.root, 'switch', '--quiet', 'main');
    const path = join(project.home, 'w');
    await project.commit({ 'discern.toml': config({ test: '"true"' }) }, path);
    const answer = await verb('accept', path);
    succeeded(answer);
    assert.match(hints(answer), /discern\.toml on main cannot be read, so nothing is pre-authorized/);
  });

  it('and every key without effect are listed by doctor', async () => {
    const project = await make({
      config: config(
        { test: '"true"' },
        `${policy}[gate]\nstream_output = true\n[meta]\nschema_version = 1\n[scopes.idle]\npaths = ["x"]\nneutral = true\ngate = "x"\n`,
      ),
    });
    const answer = await verb('doctor', project.root);
    const said = (answer.data?.findings ?? []).map(({ check, level, what }) => `${level} ${check}: ${what}`);
    const expected = [
      /^ok config: \[gate\]\.stream_output \(line \d+\) has no effect here: /,
      /^ok config: \[meta\] \(line \d+\) has no effect here: /,
      /^ok policy: \[acceptance\]\.pre_authorized \(docs\): /,
      /^warn policy: \[checkpoints\] are not asked here: secrets \(stop\), any \(advise\)\./,
      /^warn config: The gate of \[scopes\.idle\] never runs/,
    ];
    for (const one of expected)
      assert.ok(
        said.some((line) => one.test(line)),
        `${one} in ${said.join('\n')}`,
      );
  });
});
