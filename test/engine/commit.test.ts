import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const files = (path: string, commit = 'HEAD') =>
  git(path, 'show', '--format=', '--name-only', commit).then((text) => text.split('\n').filter(Boolean));

/** The state that a refusal must leave as it was. */
const state = async (path: string) => [
  await git(path, 'rev-parse', 'HEAD'),
  await git(path, 'status', '--porcelain', '--ignored'),
];

async function worktree(options?: Parameters<typeof make>[0]): Promise<{ project: Project; path: string }> {
  const project = await make(options);
  return { project, path: (await started(project.root)).path };
}

describe('commit', () => {
  afterEach(removeAll);

  it('commits everything git does not ignore: new, changed, removed, and with odd names', async () => {
    const { project, path } = await worktree({ files: { '.gitignore': 'out/\n', 'src/old.txt': 'old\n' } });
    await project.write(
      {
        'src/a.txt': 'changed\n',
        'src/new file.txt': 'n\n',
        ':(top)x': 'x\n',
        'a*b': 'y\n',
        'out/log': 'z\n',
      },
      path,
    );
    await rm(join(path, 'src/old.txt'));
    const before = await git(path, 'rev-parse', 'HEAD');
    const data = succeeded(await verb('commit', path, { message: 'Change it\n\n# not a comment' }));
    assert.deepEqual(data.files.toSorted(), [
      ':(top)x',
      'a*b',
      'src/a.txt',
      'src/new file.txt',
      'src/old.txt',
    ]);
    assert.equal(data.changed, 5);
    assert.equal(data.before, before);
    assert.equal(data.commit, await git(path, 'rev-parse', 'HEAD'));
    assert.deepEqual((await files(path)).toSorted(), data.files.toSorted());
    assert.equal(await git(path, 'log', '-1', '--format=%B'), 'Change it\n\n# not a comment\n');
    assert.equal(await git(path, 'log', '-1', '--format=%an <%ae>'), 'A Developer <dev@example.invalid>');
    assert.equal(await git(path, 'status', '--porcelain'), '');
    assert.equal(await readFile(join(path, 'out/log'), 'utf8'), 'z\n');
  });

  it('leaves out a new env file that has inherited values, which git does not ignore, until it is named', async () => {
    const config = '[worktree]\ninherit_env = ["SECRET"]\nenv_files = ["./a*b.env", ".env"]\n';
    const project = await make({ config, files: { '.gitignore': '.env.local\n' } });
    await writeFile(join(project.root, 'a*b.env'), 'SECRET=hush\n');
    const { path } = await started(project.root);
    refusedWith(await verb('commit', path, { message: 'x' }), 'invalid_argument', /a\*b\.env was left out/);
    await project.write({ 'src/b.txt': 'b\n', 'aab.env': 'x\n' }, path);
    const args = { message: 'All of it' };
    const preview = await verb('commit', path, { ...args, dry_run: true });
    const answer = await verb('commit', path, args);
    for (const { hints } of [preview, answer]) assert.match(hints?.join() ?? '', /add it to \.gitignore/i);
    assert.deepEqual(preview.data?.files?.toSorted(), ['aab.env', 'src/b.txt']);
    assert.deepEqual(await files(path), ['aab.env', 'src/b.txt']);
    assert.equal(succeeded(await verb('done', path)).proof?.state, 'none');
    succeeded(await verb('commit', path, { message: 'Meant', paths: ['a*b.env'] }));
    assert.deepEqual(await files(path), ['a*b.env']);
  });

  it('stages only the paths that are named, a directory and a removed file among them', async () => {
    const { project, path } = await worktree({ files: { 'src/old.txt': 'old\n', 'pkg/x.txt': 'x\n' } });
    await project.write(
      { 'pkg/x.txt': 'y\n', 'pkg/new.txt': 'n\n', 'src/a.txt': 'left alone\n', '*': 'star\n' },
      path,
    );
    await rm(join(path, 'src/old.txt'));
    const preview = await verb('commit', path, { message: 'm', paths: ['pkg'], dry_run: true });
    assert.deepEqual(preview.plan?.steps.map(({ detail }) => detail).toSorted(), [
      'pkg/new.txt',
      'pkg/x.txt',
    ]);
    const data = succeeded(
      await verb('commit', path, { message: 'm', paths: ['pkg', join(path, 'src/old.txt'), '*'] }),
    );
    assert.deepEqual(data.files.toSorted(), ['*', 'pkg/new.txt', 'pkg/x.txt', 'src/old.txt']);
    assert.equal(await git(path, 'status', '--porcelain'), ' M src/a.txt');
  });

  it('runs the user’s hooks, and says what one of them said when it refuses', async () => {
    const { project, path } = await worktree();
    const hooks = join(project.root, '.git/hooks');
    await mkdir(hooks, { recursive: true });
    await writeFile(
      join(hooks, 'commit-msg'),
      '#!/bin/sh\ngrep -q TICKET "$1" || { echo "no ticket named"; exit 1; }\n',
    );
    await writeFile(join(hooks, 'post-commit'), '#!/bin/sh\ntouch ran-after\n');
    for (const hook of ['commit-msg', 'post-commit']) await chmod(join(hooks, hook), 0o755);
    await project.write({ 'src/b.txt': 'b\n' }, path);
    const before = await git(path, 'rev-parse', 'HEAD');
    const answer = await verb('commit', path, { message: 'no' });
    assert.equal(answer.error, 'gate_failed', JSON.stringify(answer));
    assert.ok(JSON.stringify(answer.diagnostics).includes('no ticket named'));
    assert.equal(await git(path, 'rev-parse', 'HEAD'), before);
    assert.equal(await git(path, 'status', '--porcelain'), 'A  src/b.txt', 'what was staged stays staged');
    succeeded(await verb('commit', path, { message: 'TICKET-1: yes' }));
    assert.ok((await readdir(path)).includes('ran-after'));
  });

  it('signs where the user’s git signs, and refuses where it cannot', async () => {
    const { project, path } = await worktree();
    await git(path, 'config', 'commit.gpgSign', 'true');
    await git(path, 'config', 'gpg.program', join(project.home, 'no-such-gpg'));
    await project.write({ 'src/b.txt': 'b\n' }, path);
    const before = await git(path, 'rev-parse', 'HEAD');
    const answer = await verb('commit', path, { message: 'signed' });
    assert.equal(answer.error, 'gate_failed');
    assert.ok(JSON.stringify(answer.diagnostics).includes('sign'), JSON.stringify(answer.diagnostics));
    assert.equal(await git(path, 'rev-parse', 'HEAD'), before, 'never unsigned in silence');
  });

  it('refuses in the trunk’s own checkout, wherever that is, and stages nothing', async () => {
    const project = await make();
    await project.write({ 'src/b.txt': 'b\n' });
    const before = await state(project.root);
    refusedWith(await verb('commit', project.root, { message: 'm' }), 'not_in_worktree', /call start/);
    assert.deepEqual(await state(project.root), before);
    await git(project.root, 'switch', '--quiet', '-c', 'parked');
    const landing = join(project.home, 'landing');
    await git(project.root, 'worktree', 'add', '--quiet', landing, 'main');
    refusedWith(await verb('commit', landing, { message: 'm' }), 'not_in_worktree');
    succeeded(await verb('commit', project.root, { message: 'm' }));
  });

  it('refuses what there is nothing of, what git ignores, what is not there and what lies outside', async () => {
    const { project, path } = await worktree({ files: { '.gitignore': '*.log\n' } });
    await project.write({ 'x.log': 'x\n' }, path);
    const before = await state(path);
    const cases: [string[] | undefined, 'invalid_argument' | 'path_not_found', RegExp][] = [
      [undefined, 'invalid_argument', /nothing to commit/],
      [['src/a.txt'], 'invalid_argument', /Nothing of src\/a\.txt changed/],
      [[], 'invalid_argument', /`paths` is empty/],
      [['x.log'], 'invalid_argument', /git ignores x\.log/],
      [['nowhere.txt'], 'path_not_found', /"nowhere\.txt" is not a file/],
      [['../app/src/a.txt'], 'invalid_argument', /does not lie in/],
      [[project.root], 'invalid_argument', /does not lie in/],
    ];
    for (const [paths, slug, words] of cases) {
      refusedWith(await verb('commit', path, { message: 'm', ...(paths && { paths }) }), slug, words);
    }
    refusedWith(await verb('commit', path, { message: ' \n' }), 'invalid_argument');
    assert.deepEqual(await state(path), before);
  });

  it('does not take conflict markers for a resolution, and concludes a merge whose files are named', async () => {
    const { project, path } = await worktree();
    await project.commit({ 'src/a.txt': 'theirs\n' });
    await project.commit({ 'src/a.txt': 'ours\n' }, path);
    await git(path, 'merge', 'main').catch(() => undefined);
    const before = await state(path);
    refusedWith(await verb('commit', path, { message: 'm' }), 'merge_conflict');
    assert.deepEqual(await state(path), before);
    await project.write({ 'src/a.txt': 'both\n' }, path);
    succeeded(await verb('commit', path, { message: 'Merge main', paths: ['src/a.txt'] }));
    assert.equal((await git(path, 'rev-list', '--parents', '-1', 'HEAD')).split(' ').length, 3);
  });
});
