import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VerbEvent } from '../../src/contract/events.ts';
import { everything, refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const makefile = 'test:\n\ttest -f src/a.txt\nlint:\n\t! grep -rn BROKEN src\n';
const unmade = (options: Parameters<typeof make>[0] = {}) =>
  make({ config: null, ...options, files: { Makefile: makefile, ...options.files } });

const written = (root: string) => readFile(join(root, 'discern.toml'), 'utf8');

/** Everything of a project but the file an init writes. */
async function others(project: Project) {
  const { refs, worktrees, files } = await everything(project);
  return { refs, worktrees, files: files.filter((one) => !one.includes('discern.toml')) };
}

describe('init', () => {
  afterEach(removeAll);

  it('writes what it showed, proves it in a worktree that is gone afterwards, and touches nothing else', async () => {
    const project = await unmade();
    const before = await everything(project);
    const preview = await verb('init', project.root, { dry_run: true });
    assert.deepEqual(await everything(project), before);
    assert.equal(preview.data?.written, false);
    const plan = preview.plan?.steps.map(({ action, detail }) => `${action}: ${detail}`) ?? [];
    assert.ok(plan.includes('check: lint: make lint (Makefile lint)'), plan.join('\n'));
    assert.match(plan.at(-1) ?? '', /^prove: .* throwaway worktree/);

    const events: VerbEvent[] = [];
    const answer = await verb('init', project.root, {}, { events });
    const data = succeeded(answer);
    assert.equal(data.text, preview.data?.text);
    assert.equal(await written(project.root), data.text);
    assert.equal(data.proved?.state, 'passed');
    assert.deepEqual(
      answer.steps?.map(({ name, outcome }) => `${name} ${outcome}`),
      ['lint passed', 'test passed'],
    );
    const ran = events.find((event) => event.type === 'run_started');
    assert.ok(ran?.type === 'run_started' && ran.root !== project.root, 'the gate ran elsewhere');
    assert.ok(answer.hints?.some((hint) => hint.includes('commit -m "Add discern.toml" -- discern.toml')));
    assert.deepEqual(await others(project), { ...before });
    assert.equal(await git(project.root, 'status', '--porcelain'), '?? discern.toml');
  });

  it('makes a project whose work starts, is judged and lands', async () => {
    const project = await unmade();
    succeeded(await verb('init', project.root));
    await git(project.root, 'add', 'discern.toml');
    await git(project.root, 'commit', '--quiet', '-m', 'Add discern.toml');
    const { path } = succeeded(await verb('start', project.root, { name: 'first' }));
    await project.commit({ 'src/b.txt': 'BROKEN\n' }, path);
    refusedWith(await verb('done', path), 'gate_failed');
    await project.commit({ 'src/b.txt': 'fine\n' }, path);
    assert.equal(succeeded(await verb('done', path)).proof?.state, 'valid');
    succeeded(await verb('accept', path));
  });

  it('makes a gate of an npm workspace that judges its packages, all the way to a commit on the trunk', async () => {
    const member = (name: string) => ({
      [`packages/${name}/package.json`]: `{"name": "@shop/${name}", "version": "1.0.0", "scripts": {"test": "node --test"}}`,
      [`packages/${name}/sum.test.js`]:
        "require('node:test')('sums', () => require('node:assert').equal(1 + 1, 2));\n",
    });
    const project = await make({
      config: null,
      files: {
        'package.json': '{"name": "shop", "private": true, "workspaces": ["packages/*"]}',
        'package-lock.json': JSON.stringify({
          name: 'shop',
          lockfileVersion: 3,
          requires: true,
          packages: {
            '': { name: 'shop', workspaces: ['packages/*'] },
            'node_modules/@shop/a': { resolved: 'packages/a', link: true },
            'node_modules/@shop/b': { resolved: 'packages/b', link: true },
            'packages/a': { name: '@shop/a', version: '1.0.0' },
            'packages/b': { name: '@shop/b', version: '1.0.0' },
          },
        }),
        '.gitignore': 'node_modules/\n',
        ...member('a'),
        ...member('b'),
      },
    });
    const made = succeeded(await verb('init', project.root));
    assert.equal(made.proved?.state, 'passed');
    assert.deepEqual(
      made.proposed.map(({ run }) => run),
      ['npm test --workspaces --if-present'],
    );
    await git(project.root, 'add', 'discern.toml');
    await git(project.root, 'commit', '--quiet', '-m', 'Add discern.toml');
    const { path } = succeeded(await verb('start', project.root, { name: 'first' }));
    await project.commit(
      {
        'packages/b/sum.test.js': "require('node:test')('sums', () => require('node:assert').equal(1, 2));\n",
      },
      path,
    );
    refusedWith(await verb('done', path), 'gate_failed');
    await project.commit({ 'packages/b/more.js': '', ...member('b') }, path);
    assert.equal(succeeded(await verb('done', path)).proof?.state, 'valid');
    succeeded(await verb('accept', path));
    assert.equal(await git(project.root, 'ls-files', 'packages/b/more.js'), 'packages/b/more.js');
  });

  it('leaves a person’s changes alone, staged ones too, and does not judge them', async () => {
    const project = await unmade();
    await project.write({ 'src/a.txt': 'BROKEN\n', 'loose.txt': 'x\n' });
    await git(project.root, 'add', 'loose.txt');
    const before = await git(project.root, 'status', '--porcelain');
    assert.equal(succeeded(await verb('init', project.root)).proved?.state, 'passed');
    assert.equal(await git(project.root, 'status', '--porcelain'), `${before}\n?? discern.toml`);
  });

  it('tells a gate that is red with the jobs that failed, and keeps the file to be corrected', async () => {
    const project = await unmade({ files: { 'src/b.txt': 'BROKEN\n' } });
    const before = await others(project);
    const answer = await verb('init', project.root);
    refusedWith(
      answer,
      'gate_failed',
      /is written, but its gate is not green yet\. In a new worktree .*lint failed/,
    );
    assert.equal(answer.data?.written, true);
    assert.equal(answer.data?.proved?.state, 'failed');
    assert.ok(answer.diagnostics?.some(({ tool }) => tool === 'lint'));
    assert.equal(await written(project.root), answer.data?.text);
    assert.deepEqual(await others(project), before);
  });

  it('tells a setup that fails, and that jobs left files git does not ignore', async () => {
    const files = {
      'package.json': '{"scripts":{"test":"x"},"dependencies":{"a":"1"}}',
      'package-lock.json': '{}',
    };
    const project = await unmade({ files });
    refusedWith(await verb('init', project.root), 'gate_failed', /the setup command "npm ci" failed/);
    const other = await unmade({ files: { Makefile: 'test:\n\ttouch left.txt\n' } });
    const answer = await verb('init', other.root);
    assert.equal(answer.ok, true, answer.message);
    assert.ok(
      answer.hints?.some((hint) => /left\.txt.*\.gitignore/.test(hint)),
      answer.hints?.join('\n'),
    );
  });

  it('only writes where it is not to prove', async () => {
    const project = await unmade({ files: { Makefile: 'test:\n\tfalse\n' } });
    const answer = await verb('init', project.root, { prove: false });
    assert.equal(succeeded(answer).proved?.state, 'not_run');
    assert.equal(answer.steps, undefined);
    assert.equal(await written(project.root), answer.data?.text);
  });

  it('keeps the file and nothing of the worktree when it is cancelled', async () => {
    const project = await unmade({ files: { Makefile: 'test:\n\tsleep 600\n' } });
    const before = await others(project);
    const abort = new AbortController();
    const events: VerbEvent[] = [];
    events.push = (...added) => {
      if (added.some((event) => event.type === 'job_started')) abort.abort();
      return added.length;
    };
    const answer = await verb('init', project.root, {}, { signal: abort.signal, events });
    refusedWith(answer, 'cancelled');
    assert.equal(answer.data?.written, true);
    assert.deepEqual(await others(project), before);
  });

  it('makes a project of the package that is named, in a repository of several', async () => {
    const files = {
      'packages/a/Makefile': makefile,
      'packages/a/src/a.txt': '',
      'packages/b/go.mod': 'module b\n',
      'packages/b/in/x.go': '',
    };
    const project = await unmade({ files });
    const package_ = join(project.root, 'packages/a');
    const data = succeeded(await verb('init', package_));
    assert.equal(data.root, package_);
    assert.equal(data.proved?.state, 'passed');
    assert.equal(await git(project.root, 'status', '--porcelain'), '?? packages/a/discern.toml');
    const below = await verb('init', join(project.root, 'packages/b/in'), { dry_run: true });
    assert.equal(below.data?.root, join(project.root, 'packages/b'));
    const top = await verb('init', join(project.root, 'src'), { dry_run: true });
    assert.equal(top.data?.root, project.root);
  });

  it('names a trunk that could not be found out', async () => {
    const project = await unmade({ branch: 'develop' });
    const { text, proved } = succeeded(await verb('init', project.root));
    assert.match(text, /trunk = "develop"/);
    assert.equal(proved?.state, 'passed');
    const usual = await unmade();
    assert.doesNotMatch((await verb('init', usual.root, { dry_run: true })).data?.text ?? '', /trunk/);
  });

  it('says what a worktree would not have: ignored and uncommitted files, another branch’s', async () => {
    const project = await unmade({ files: { '.gitignore': '*.toml\npackage-lock.json\n' } });
    await git(project.root, 'switch', '--quiet', '-c', 'feature');
    await project.write({
      'package.json': '{"scripts":{"build":"x"},"dependencies":{"a":"1"}}',
      'package-lock.json': '{}',
    });
    const { hints = [], data } = await verb('init', project.root, { dry_run: true });
    const said = hints.join('\n');
    assert.match(said, /git ignores discern\.toml/);
    assert.match(said, /package\.json is not committed/);
    assert.match(said, /Worktrees start from main/);
    assert.equal(
      data?.setup?.[0]?.command,
      'npm install --no-package-lock',
      'an ignored lock file is in no worktree',
    );
  });

  it('writes a file that proves nothing where nothing is known, and says so', async () => {
    const project = await make({ config: null });
    const answer = await verb('init', project.root);
    assert.deepEqual(succeeded(answer).proposed, []);
    assert.ok(answer.hints?.some((hint) => /proves nothing/.test(hint)));
  });

  it('writes into a linked checkout it is called in', async () => {
    const project = await unmade();
    const other = join(project.home, 'other');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'side', other);
    assert.equal(succeeded(await verb('init', other)).root, other);
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
    assert.deepEqual((await readdir(project.home)).sort(), ['app', 'other']);
  });
});

describe('init refuses', () => {
  afterEach(removeAll);

  it('where there is a discern.toml, there or above, and leaves it', async () => {
    const project = await make({ files: { 'packages/a/package.json': '{}' } });
    const before = await everything(project);
    refusedWith(await verb('init', project.root), 'path_exists', /discern\.toml is there already: edit it/);
    const below = await verb('init', join(project.root, 'packages/a'));
    refusedWith(below, 'path_exists', /edit that one/);
    assert.equal(below.data?.root, project.root);
    await rm(join(project.root, 'discern.toml'));
    await symlink('nowhere', join(project.root, 'discern.toml'));
    refusedWith(await verb('init', project.root), 'path_exists');
    assert.ok((await lstat(join(project.root, 'discern.toml'))).isSymbolicLink());
    await rm(join(project.root, 'discern.toml'));
    await git(project.root, 'checkout', '--quiet', '.');
    assert.deepEqual(await everything(project), before);
  });

  it('outside git, in a bare repository and inside .git', async () => {
    const project = await unmade();
    refusedWith(await verb('init', project.home), 'not_a_git_repository');
    const bare = join(project.home, 'bare.git');
    await git(project.home, 'init', '--quiet', '--bare', bare);
    refusedWith(await verb('init', bare), 'not_a_git_repository');
    refusedWith(await verb('init', join(project.root, '.git')), 'not_a_git_repository');
  });

  it('before the first commit, and says what to do', async () => {
    const project = await unmade();
    const fresh = join(project.home, 'fresh');
    await git(project.home, 'init', '--quiet', fresh);
    refusedWith(await verb('init', fresh), 'unborn_repository', /git commit.*then call init again/);
  });

  it('the second of two at once, and exactly one file is written', async () => {
    const project = await unmade();
    const answers = await Promise.all([verb('init', project.root), verb('init', project.root)]);
    assert.deepEqual(answers.map(({ ok }) => ok).sort(), [false, true]);
    const refused = answers.find(({ ok }) => !ok);
    assert.ok(refused?.error === 'busy' || refused?.error === 'path_exists', refused?.message);
    assert.deepEqual(await readdir(project.home), ['app']);
  });

  it('a directory it may not write to, and leaves nothing', async () => {
    const project = await unmade({ files: { 'sub/Makefile': makefile } });
    const sub = await realpath(join(project.root, 'sub'));
    await rm(join(sub, 'Makefile'));
    await mkdir(join(sub, 'discern.toml.d'));
    await writeFile(join(sub, 'go.mod'), 'module x\n');
    await chmod(sub, 0o555);
    const answer = await verb('init', sub);
    await chmod(sub, 0o755);
    // root may write anywhere.
    if (process.getuid?.() === 0) assert.equal(answer.data?.written, true);
    else assert.equal(answer.error, 'unavailable');
  });
});
