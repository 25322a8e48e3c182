import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../src/engine/index.ts';
import { succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { config, log, logged } from '../support/jobs.ts';
import { git, type Project, projects } from '../support/project.ts';
import { workshop } from '../support/workshop.ts';

const { make, removeAll } = projects();

const quiet = config({ test: '"true"' });

const plain = config({ lint: '"true"', test: JSON.stringify(log('test')) });

async function proofsOf(project: Project): Promise<Record<string, unknown>[]> {
  const dir = join(project.root, '.git', 'discern-vscode', 'proofs');
  const names = await readdir(dir).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (name) => JSON.parse(await readFile(join(dir, name), 'utf8'))),
  );
}

const proofOf = async (directory: string) => (await verb('status', directory)).data?.proof;

describe('A proof', () => {
  const here = workshop({ config: plain, files: { '.gitignore': 'out/\n' }, worktree: true });

  it('records commit, tree, config, trunk and jobs of a green run on a clean tree', async () => {
    const { path, project } = here;
    const commit = await here.commit({ 'src/b.txt': 'b\n' });
    const done = await verb('done', path);
    assert.deepEqual(done.data?.proof, { state: 'valid', commit });
    const [proof, ...others] = await proofsOf(here.project);
    assert.deepEqual(others, []);
    const {
      gated_at: when,
      jobs,
      at: place,
      seal,
      ...rest
    } = proof as {
      gated_at: string;
      jobs: Record<string, unknown>[];
      at: { path: string };
      seal: string;
    };
    assert.equal(place.path, join(project.root, '.git'));
    assert.match(seal, /^[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      version: 1,
      commit,
      tree: await git(path, 'rev-parse', 'HEAD^{tree}'),
      project: '',
      config_digest: (await loadConfig(path)).digest,
      trunk: 'main',
      trunk_commit: await git(project.root, 'rev-parse', 'main'),
    });
    assert.equal(new Date(when).toISOString(), when);
    assert.deepEqual(
      jobs.map(({ duration_ms: duration, ...one }) => {
        assert.equal(typeof duration, 'number');
        return one;
      }),
      [
        { name: 'lint', stage: 'check', outcome: 'passed' },
        { name: 'test', stage: 'test', outcome: 'passed' },
      ],
    );
    assert.deepEqual(await proofOf(path), { state: 'valid', commit });
  });

  it('is not earned while git was told to overlook an edit', async () => {
    const { path } = here;
    await git(path, 'update-index', '--assume-unchanged', 'src/a.txt');
    await writeFile(join(path, 'src/a.txt'), 'edited unseen\n');
    const done = await verb('done', path);
    assert.equal(done.data?.proof?.state, 'none');
    assert.match(done.data?.proof?.reason ?? '', /overlook edits in src\/a\.txt/);
    await git(path, 'update-index', '--no-assume-unchanged', 'src/a.txt');
  });

  it('is not earned when a job tells git to overlook an edit', async () => {
    const { path } = here;
    const hide = 'git update-index --assume-unchanged src/a.txt && echo hidden > src/a.txt';
    await here.commit({ 'discern.toml': config({ test: JSON.stringify(hide) }) });
    const done = await verb('done', path);
    assert.equal(done.ok, true);
    assert.match(done.data?.proof?.reason ?? '', /overlook edits in src\/a\.txt/);
    await git(path, 'update-index', '--no-assume-unchanged', 'src/a.txt');
  });

  it('is not earned by prepare or test, nor by a red run', async () => {
    await here.commit({ 'discern.toml': config({ test: '"test ! -e ../red"' }) });
    await verb('prepare', here.path);
    await verb('test', here.path);
    await writeFile(join(here.home, 'red'), '');
    const done = await verb('done', here.path);
    assert.equal(done.data?.proof?.state, 'none');
    assert.deepEqual(await proofsOf(here.project), []);
    assert.equal((await proofOf(here.path))?.state, 'none');
  });

  const dirt: Record<string, () => Promise<unknown>> = {
    'an edited file': () => here.write({ 'src/a.txt': 'edited\n' }),
    'a staged file': async () => {
      await here.write({ 'src/a.txt': 'staged\n' });
      await git(here.path, 'add', 'src/a.txt');
    },
    'an untracked file': () => here.write({ 'src/a.txt.new': 'new\n' }),
  };
  for (const [what, soil] of Object.entries(dirt)) {
    it(`is withheld from a green run with ${what}, which the reason names`, async () => {
      await soil();
      const done = await verb('done', here.path);
      assert.equal(done.ok, true, done.message);
      assert.equal(done.data?.clean, false);
      assert.equal(done.data?.proof?.state, 'none');
      assert.match(done.data?.proof?.reason ?? '', /src\/a\.txt/);
      assert.match(done.message ?? '', /No proof: .*src\/a\.txt/);
      assert.deepEqual(await logged(here), ['test'], 'the jobs did run');
      assert.deepEqual(await proofsOf(here.project), []);
    });
  }

  it('is withheld when a job leaves an untracked file, which no commit holds', async () => {
    const jobs = { build: '"echo generated > src/generated.txt"', test: '"test -f src/generated.txt"' };
    await here.commit({ 'discern.toml': config(jobs) });
    const done = await verb('done', here.path);
    assert.equal(done.ok, true, done.message);
    assert.equal(done.data?.clean, true, 'the tree was clean when the run began');
    assert.equal(done.data?.proof?.state, 'none');
    assert.match(done.data?.proof?.reason ?? '', /src\/generated\.txt/);
  });

  it('is not hindered by ignored files that jobs leave', async () => {
    await here.commit({ 'discern.toml': config({ build: '"mkdir -p out && date > out/stamp"' }) });
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'valid');
    assert.equal((await proofOf(here.path))?.state, 'valid');
  });

  for (const [what, tell] of [
    ['info/exclude', (root: string) => writeFile(join(root, '.git/info/exclude'), '*.made\n')],
    [
      'core.excludesFile',
      async (root: string) => {
        await writeFile(join(root, '../ignore'), '*.made\n');
        await git(root, 'config', 'core.excludesFile', join(root, '../ignore'));
      },
    ],
  ] as const) {
    it(`names the files that only this machine ignores, by ${what}`, async () => {
      const project = await make({ files: { '.gitignore': 'out/\n' } });
      await project.write({ 'out/x': '', 'src/x.made': '', 'own/deep/y.made': '' });
      await tell(project.root);
      const answer = await verb('done', project.root);
      assert.equal(succeeded(answer).proof?.state, 'valid');
      const hint =
        (answer.hints ?? []).find((one) => one.startsWith("Only this machine's git ignores")) ?? '';
      assert.ok(hint.includes('own/') && hint.includes('src/x.made') && !hint.includes('out'), hint);
      await git(project.root, 'add', '--force', 'src', 'own');
      await project.commit({});
      assert.deepEqual((await verb('done', project.root)).hints ?? [], []);
    });
  }

  it('is not hindered by a user who hides untracked files, nor fooled', async () => {
    await git(here.path, 'config', 'status.showUntrackedFiles', 'no');
    await here.write({ 'src/b.txt': 'b\n' });
    const done = await verb('done', here.path);
    await git(here.path, 'config', '--unset', 'status.showUntrackedFiles');
    assert.match(done.data?.proof?.reason ?? '', /src\/b\.txt/);
  });
});

describe('A proof goes stale', () => {
  const here = workshop({ config: quiet, worktree: true });
  let commit: string;
  beforeEach(async () => {
    commit = await here.commit({ 'src/c.txt': 'c\n' });
    assert.equal((await verb('done', here.path)).data?.proof?.state, 'valid');
  });

  it('with a new commit, and is valid again back on the old one', async () => {
    await here.commit({ 'src/d.txt': 'd\n' });
    const stale = await proofOf(here.path);
    assert.equal(stale?.state, 'stale');
    assert.equal(stale?.commit, commit);
    assert.match(stale?.reason ?? '', new RegExp(commit.slice(0, 10)));
    await git(here.path, 'reset', '--quiet', '--hard', commit);
    assert.equal((await proofOf(here.path))?.state, 'valid');
  });

  it('with an amended commit of the same tree', async () => {
    await git(here.path, 'commit', '--quiet', '--amend', '-m', 'other words');
    assert.equal((await proofOf(here.path))?.state, 'stale');
  });

  it('with an uncommitted change, which the reason names', async () => {
    await here.write({ 'src/c.txt': 'edited\n' });
    const stale = await proofOf(here.path);
    assert.equal(stale?.state, 'stale');
    assert.match(stale?.reason ?? '', /src\/c\.txt/);
  });

  it('with a changed config', async () => {
    await here.write({ 'discern.toml': `${quiet}\n# changed\n` });
    const stale = await proofOf(here.path);
    assert.equal(stale?.state, 'stale');
    assert.match(stale?.reason ?? '', /discern\.toml changed/);
  });

  it('with a rewound trunk, but not with one that moved on to it', async () => {
    const { root } = here.project;
    const tree = await git(root, 'rev-parse', 'HEAD^{tree}');
    await git(root, 'reset', '--quiet', '--hard', await git(root, 'commit-tree', '-m', 'another past', tree));
    const stale = await proofOf(here.path);
    assert.equal(stale?.state, 'stale');
    assert.match(stale?.reason ?? '', /main was rewound/);
    await git(root, 'reset', '--quiet', '--hard', commit);
    assert.equal((await proofOf(here.path))?.state, 'valid');
  });

  it('in no other checkout state: another worktree has its own commit to prove', async () => {
    const { root } = here.project;
    const other = (await verb('start', root)).data?.path ?? '';
    assert.equal((await proofOf(other))?.state, 'none');
    await git(other, 'reset', '--quiet', '--hard', commit);
    assert.equal((await proofOf(other))?.state, 'valid', 'the same commit, config and a clean tree');
    await here.project.write({ 'src/c.txt': 'edited\n' }, other);
    assert.equal((await proofOf(other))?.state, 'stale');
    assert.equal((await proofOf(here.path))?.state, 'valid');
    assert.equal((await verb('drop', root, { worktree: other, delete_branch: true, force: true })).ok, true);
  });

  it('and a damaged one counts as none', async () => {
    const dir = join(here.project.root, '.git', 'discern-vscode', 'proofs');
    for (const name of await readdir(dir, { recursive: true })) {
      if (name.endsWith('.json')) await writeFile(join(dir, name), '{"version": 1, "commit"');
    }
    const { state, reason } = (await proofOf(here.path)) ?? {};
    assert.equal(state, 'stale');
    assert.match(reason ?? '', /cannot be read, so it counts for nothing/);
  });

  it('for one project of a repository, not for its neighbour', async () => {
    await here.commit({ 'one/discern.toml': quiet, 'two/discern.toml': quiet });
    assert.equal((await verb('done', join(here.path, 'one'))).data?.proof?.state, 'valid');
    assert.equal((await proofOf(join(here.path, 'two')))?.state, 'none');
  });
});

describe('A HEAD that moves while the gate runs', () => {
  afterEach(removeAll);

  it('makes the run tree_drift, without a proof', async () => {
    const project = await make({
      config: config({
        test: '"git -c user.name=x -c user.email=x@example.invalid commit --quiet --allow-empty -m moved"',
      }),
    });
    const before = await git(project.root, 'rev-parse', 'HEAD');
    const done = await verb('done', project.root);
    assert.equal(done.error, 'tree_drift');
    assert.equal(done.data?.commit, before);
    assert.match(done.message ?? '', /HEAD moved/);
    assert.equal(done.data?.proof?.state, 'none');
    assert.deepEqual(await proofsOf(project), []);
  });

  it('is noticed also when the gate of a scope moved it', async () => {
    const project = await make({
      config: config(
        { test: '"true"' },
        '[scopes.docs]\npaths = ["docs/"]\ngate = "git checkout --quiet HEAD^"',
      ),
    });
    const path = (await verb('start', project.root)).data?.path ?? '';
    await project.commit({ 'docs/a.md': 'a\n' }, path);
    assert.equal((await verb('done', path)).error, 'tree_drift');
  });
});

describe('A branch that lacks commits of the trunk', () => {
  afterEach(removeAll);

  it('is refused before anything runs, by done alone', async () => {
    const project = await make({
      config: config({ format: JSON.stringify(log('fix')), test: JSON.stringify(log('test')) }),
    });
    const path = (await verb('start', project.root)).data?.path ?? '';
    await project.commit({ 'src/trunk.txt': 'x\n' });
    const done = await verb('done', path);
    assert.equal(done.error, 'behind_trunk');
    assert.match(done.message ?? '', /lacks 1 commit of main/);
    assert.equal(done.steps, undefined);
    assert.deepEqual(await logged({ ...project, home: join(path, '..') }), []);
    assert.equal((await verb('done', path, { dry_run: true })).error, 'behind_trunk');
    assert.equal((await verb('test', path)).ok, true);
  });
});
