import assert from 'node:assert/strict';
import { chmod, lstat, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatusData } from '../../src/contract/data.ts';
import { listing, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const old = {
  'a.txt': 'old a\n',
  'b.txt': 'old b\n',
  'c.txt': 'old c\n',
  'dir/gone.txt': 'gone\n',
  'sp ace "q".txt': 'old\n',
};

interface Cut {
  project: Project;
  path: string;
  commit: string;
  text(name: string): Promise<string>;
  status(): Promise<StatusData>;
}

/**
 * A landing that died when the trunk had moved and the landing checkout had not followed: `landed` is what the worktree
 * changed. Tests then write the files that were through.
 */
async function cut(landed: (path: string, project: Project) => Promise<void>, files = {}): Promise<Cut> {
  const project = await make({ files: { ...old, ...files } });
  const { path } = await started(project.root);
  await landed(path, project);
  const commit = await project.commit({}, path);
  await killedAt('accept.moved', 'accept', path);
  return {
    project,
    path,
    commit,
    text: (name) => readFile(join(project.root, name), 'utf8'),
    status: async () => succeeded(await verb('status', project.root)),
  };
}

const edits = async (path: string, project: Project) => {
  await rm(join(path, 'dir/gone.txt'));
  await project.write(
    {
      'a.txt': 'new a\n',
      'b.txt': 'new b\n',
      'c.txt': 'new c\n',
      'n/new.txt': 'new\n',
      'sp ace "q".txt': 'new\n',
    },
    path,
  );
};

describe('A landing checkout that was cut off half written', () => {
  afterEach(removeAll);

  it('is taken forward: what was written stays, what was not is written', async () => {
    const { project, commit, status, text } = await cut(edits);
    await project.write({ 'a.txt': 'new a\n', 'n/new.txt': 'new\n' });
    const { recovery } = await status();
    assert.equal(recovery?.performed, true);
    assert.doesNotMatch(recovery?.detail ?? '', /edited/);
    assert.equal(await text('b.txt'), 'new b\n');
    assert.equal(await text('sp ace "q".txt'), 'new\n');
    assert.ok(!(await listing(project.root)).includes('dir/'), 'the empty directory went too');
    await assertSound(project, [commit]);
  });

  it('gets back a file that git had unlinked and not yet written', async () => {
    const { project, commit, status, text } = await cut(edits);
    await project.write({ 'a.txt': 'new a\n' });
    await rm(join(project.root, 'b.txt'));
    await status();
    assert.equal(await text('b.txt'), 'new b\n');
    await assertSound(project, [commit]);
  });

  it('keeps a person’s edits, and names them', async () => {
    const { project, commit, status, text } = await cut(edits, { 'other.txt': 'other\n' });
    await project.write({
      'a.txt': 'new a\n',
      'b.txt': 'precious b\n',
      'n/new.txt': 'precious new\n',
      'dir/gone.txt': 'precious gone\n',
      'other.txt': 'precious other\n',
    });
    const { recovery } = await status();
    assert.match(recovery?.detail ?? '', /were edited and kept: b\.txt, dir\/gone\.txt, n\/new\.txt/);
    assert.equal(await text('b.txt'), 'precious b\n');
    assert.equal(await text('n/new.txt'), 'precious new\n');
    assert.equal(await text('dir/gone.txt'), 'precious gone\n');
    assert.equal(await text('other.txt'), 'precious other\n');
    assert.equal(await text('c.txt'), 'new c\n');
    assert.equal(await git(project.root, 'rev-parse', 'HEAD'), commit);
    assert.equal(await git(project.root, 'diff', '--cached', '--name-only'), '', 'the index is at the trunk');
    assert.equal(
      await git(project.root, 'status', '--porcelain'),
      ' M b.txt\n M n/new.txt\n M other.txt\n?? dir/',
    );
  });

  it('keeps what a person has staged', async () => {
    const { project, status, text } = await cut(edits, { 'other.txt': 'other\n' });
    await project.write({ 'b.txt': 'precious b\n', 'other.txt': 'precious other\n', 'a.txt': 'new a\n' });
    await git(project.root, 'add', 'b.txt', 'other.txt');
    const { recovery } = await status();
    assert.match(recovery?.detail ?? '', /b\.txt/);
    assert.equal(await git(project.root, 'show', ':b.txt'), 'precious b');
    assert.equal(await git(project.root, 'show', ':other.txt'), 'precious other');
    assert.equal(await text('b.txt'), 'precious b\n');
    assert.equal(await git(project.root, 'status', '--porcelain'), 'M  b.txt\nM  other.txt');
  });

  it('never writes through, or deletes, what stands where a file goes', async () => {
    const { project, status, text } = await cut(async (path, made) => {
      await made.write(
        { 'x/deep/file.txt': 'landed\n', thing: 'landed\n', 'y.txt': 'landed\n', 'b.txt': 'new b\n' },
        path,
      );
    });
    await writeFile(join(project.root, 'x'), 'a file where a directory goes\n');
    await project.write({
      'thing/precious.txt': 'precious\n',
      'b.txt': 'new b\n',
      'outside.txt': 'outside\n',
    });
    await symlink('outside.txt', join(project.root, 'y.txt'));
    const { recovery } = await status();
    assert.match(recovery?.detail ?? '', /kept: thing, x\/deep\/file\.txt, y\.txt/);
    assert.equal(await text('x'), 'a file where a directory goes\n');
    assert.equal(await text('thing/precious.txt'), 'precious\n');
    assert.equal(await readlink(join(project.root, 'y.txt')), 'outside.txt');
    assert.equal(await text('outside.txt'), 'outside\n');
  });

  it('has modes and symlinks right, and a directory in a file’s place', async () => {
    const { project, commit, status } = await cut(async (path, made) => {
      await chmod(join(path, 'a.txt'), 0o755);
      await rm(join(path, 'b.txt'));
      await symlink('a.txt', join(path, 'b.txt'));
      await rm(join(path, 'c.txt'));
      await made.write({ 'c.txt/inside.txt': 'new\n', 'd.txt': 'new\n' }, path);
      await rm(join(path, 'dir'), { recursive: true });
      await writeFile(join(path, 'dir'), 'a file now\n');
    });
    await project.write({ 'd.txt': 'new\n' });
    await status();
    assert.equal((await lstat(join(project.root, 'a.txt'))).mode & 0o111, 0o111);
    assert.equal(await readlink(join(project.root, 'b.txt')), 'a.txt');
    assert.equal(await readFile(join(project.root, 'c.txt/inside.txt'), 'utf8'), 'new\n');
    assert.equal(await readFile(join(project.root, 'dir'), 'utf8'), 'a file now\n');
    await assertSound(project, [commit]);
  });

  it('has names that are no UTF-8, or hold a line end, right', async () => {
    const raw = (root: string) => Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9)]);
    const { project, commit, status } = await cut(async (path, made) => {
      await writeFile(raw(path), 'latin\n');
      await made.write({ 'line\nend.txt': 'new\n', '"quoted': 'new\n', 'b.txt': 'new b\n' }, path);
    });
    await project.write({ 'b.txt': 'new b\n' });
    await status();
    assert.equal(await readFile(raw(project.root), 'utf8'), 'latin\n');
    assert.equal(await readFile(join(project.root, 'line\nend.txt'), 'utf8'), 'new\n');
    await assertSound(project, [commit]);
  });

  it('is left alone while another git holds its index, and status says which file', async () => {
    const { project, commit, status, text } = await cut(edits);
    const lock = join(project.root, '.git/index.lock');
    await writeFile(lock, '');
    const { findings, recovery } = await status();
    assert.equal(recovery, undefined);
    assert.ok(findings?.[0]?.what.includes(lock));
    assert.equal(await text('b.txt'), 'old b\n');
    await rm(lock);
    assert.equal((await status()).recovery?.performed, true);
    await assertSound(project, [commit]);
  });

  it('that a person has taken to another branch is left there', async () => {
    const { project, path, commit, status } = await cut(edits);
    await git(project.root, 'switch', '--quiet', '--discard-changes', '-c', 'away', 'main~1');
    await status();
    assert.equal(await git(project.root, 'status', '--porcelain'), '');
    assert.equal(await git(project.root, 'branch', '--show-current'), 'away');
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
    assert.ok(
      !(await listing(project.home)).some((name) => name.startsWith(path.slice(project.home.length + 1))),
    );
  });

  it('is found where it is now, when the whole repository was moved', async () => {
    const { project, commit } = await cut(edits);
    const moved = join(project.home, 'moved');
    await rename(project.root, moved);
    await rename(`${project.root}.worktrees`, `${moved}.worktrees`);
    const status = succeeded(await verb('status', moved));
    assert.equal(status.recovery?.performed, true);
    assert.equal(await git(moved, 'rev-parse', 'HEAD'), commit);
    assert.equal(await git(moved, 'status', '--porcelain', '--untracked-files=no'), '');
  });
});

describe('Status asked in a worktree whose landing was cut off', () => {
  afterEach(removeAll);

  it('finishes the landing, and says that the worktree is gone and where to go on', async () => {
    const { project, path } = await cut(edits);
    const answer = await verb('status', path);
    refusedWith(answer, 'root_missing', /An interrupted landing .* was finished/);
    assert.ok(answer.message?.includes(project.root));
    await assertSound(project, []);
  });
});
