import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { GateData } from '../../src/contract/data.ts';
import type { Envelope } from '../../src/contract/envelope.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, makeProject, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const config = '[jobs]\ntest = "true"\n';

/** A worktree with a commit of its own, which a gate would prove as it stands. */
async function work(files: Record<string, string> = {}): Promise<{ project: Project; path: string }> {
  const project = await make({ config, files: { '.gitignore': 'out/\n', ...files } });
  const { path } = await started(project.root);
  await project.commit({ 'src/b.txt': 'bbbb\n' }, path);
  return { project, path };
}

/** The gate is green about the tree, but the tree is not the commit: no proof, and a reason that names what is not. */
function noProof(envelope: Envelope<GateData>, what: string): void {
  assert.equal(envelope.ok, true, envelope.message);
  assert.equal(envelope.data?.proof?.state, 'none', JSON.stringify(envelope.data?.proof));
  assert.ok(envelope.data?.proof?.reason?.includes(what), envelope.data?.proof?.reason);
}

const proved = async (path: string) =>
  assert.equal(succeeded(await verb('done', path)).proof?.state, 'valid');

/** Lets `how` make git believe that a file is what the index has, and checks that git does believe it. */
async function believed(path: string, how: () => Promise<unknown>): Promise<void> {
  await how();
  await git(path, 'add', 'src/b.txt');
  assert.equal(await git(path, 'status', '--porcelain'), '', 'git itself sees nothing');
}

const attributes = (project: Project, text: string) =>
  writeFile(join(project.root, '.git/info/attributes'), text);

describe('An index that lies', () => {
  afterEach(removeAll);

  /** Each makes git write down that src/b.txt is committed, and takes what it did away again. */
  const lies: Record<string, (project: Project, path: string) => Promise<() => Promise<unknown>>> = {
    'a clean filter': async (project, path) => {
      await git(path, 'config', 'filter.lie.clean', 'cat >/dev/null; echo bbbb');
      await attributes(project, 'src/b.txt filter=lie\n');
      await believed(path, () => writeFile(join(path, 'src/b.txt'), 'cccc\n'));
      return async () => {
        await git(path, 'config', '--remove-section', 'filter.lie');
        await attributes(project, '');
      };
    },
    'core.autocrlf': async (_, path) => {
      await git(path, 'config', 'core.autocrlf', 'input');
      await believed(path, () => writeFile(join(path, 'src/b.txt'), 'bbbb\r\n'));
      return () => git(path, 'config', '--unset', 'core.autocrlf');
    },
    'an attribute of eol': async (project, path) => {
      await attributes(project, '*.txt text eol=crlf\n');
      await believed(path, () => writeFile(join(path, 'src/b.txt'), 'bbbb\r\n'));
      return () => attributes(project, '');
    },
    'an attribute of ident': async (project, path) => {
      await attributes(project, '*.txt ident\n');
      await project.commit({ 'src/b.txt': '$Id$\n' }, path);
      await believed(path, () => writeFile(join(path, 'src/b.txt'), '$Id: anything at all $\n'));
      return () => attributes(project, '');
    },
    'an attribute of working-tree-encoding': async (project, path) => {
      await attributes(project, 'src/b.txt working-tree-encoding=UTF-16LE\n');
      await believed(path, () => writeFile(join(path, 'src/b.txt'), Buffer.from('bbbb\n', 'utf16le')));
      return () => attributes(project, '');
    },
    'an ignored .gitattributes': async (_, path) => {
      await writeFile(join(path, '.gitignore'), 'out/\nsrc/.gitattributes\n');
      await git(path, 'commit', '--quiet', '--all', '-m', 'ignores');
      await git(path, 'config', 'filter.lie.clean', 'cat >/dev/null; echo bbbb');
      await writeFile(join(path, 'src/.gitattributes'), 'b.txt filter=lie\n');
      await believed(path, () => writeFile(join(path, 'src/b.txt'), 'cccc\n'));
      return () => git(path, 'config', '--remove-section', 'filter.lie');
    },
  };
  for (const [what, lie] of Object.entries(lies)) {
    it(`written by ${what} proves nothing, while that is set and after it`, async () => {
      const { project, path } = await work();
      await proved(path);
      const undo = await lie(project, path);
      noProof(await verb('done', path), 'src/b.txt');
      await undo();
      noProof(await verb('done', path), 'src/b.txt');
      const status = succeeded(await verb('status', path));
      assert.equal(status.clean, false, 'status says so as well');
      const here = succeeded(await verb('status', project.root)).worktrees.find((one) => one.path === path);
      assert.equal(here?.clean, false, 'and of all worktrees');
      const before = await everything(project);
      refusedWith(await verb('accept', path), 'dirty_worktree', /src\/b\.txt/);
      const dropping = { worktree: path, delete_branch: true };
      refusedWith(await verb('drop', project.root, dropping), 'dirty_worktree', /src\/b\.txt/);
      assert.deepEqual(await everything(project), before);
    });
  }

  it('written by a filter that the commit names proves nothing when only one way of it is true', async () => {
    const { project, path } = await work({ '.gitattributes': '*.txt filter=odd\n' });
    await project.commit({ 'src/z.txt': '' }, path);
    // The index has to be written in a later second than the file, or git reads that again.
    const slow = 'sed s/bbbb/cccc/; case %f in *z.txt) sleep 1.1;; esac';
    await git(path, 'config', 'filter.odd.smudge', slow);
    for (const name of ['src/b.txt', 'src/z.txt']) await rm(join(path, name));
    await git(path, 'checkout', '--quiet', '.');
    assert.equal(await readFile(join(path, 'src/b.txt'), 'utf8'), 'cccc\n');
    assert.equal(await git(path, 'status', '--porcelain', 'src/b.txt'), '', 'git wrote it, and believes it');
    noProof(await verb('done', path), 'src/b.txt');
    await git(path, 'config', 'filter.odd.smudge', 'cat');
    await git(path, 'config', 'filter.odd.clean', 'cat >/dev/null; echo bbbb');
    await git(path, 'add', 'src/b.txt');
    assert.equal(await git(path, 'status', '--porcelain', 'src/b.txt'), '');
    noProof(await verb('done', path), 'src/b.txt');
    await project.write({ 'src/b.txt': 'bbbb\n' }, path);
    await git(path, 'config', '--remove-section', 'filter.odd');
    await proved(path);
  });

  it('does not: what the commit’s own attributes convert is what a checkout writes, and is proved', async () => {
    const { project, path } = await work({
      '.gitattributes':
        '*.win text eol=crlf\n*.sec filter=rot\n*.id ident\n*.16 working-tree-encoding=UTF-16LE\n',
    });
    for (const way of ['clean', 'smudge']) await git(path, 'config', `filter.rot.${way}`, 'tr a-z n-za-m');
    await project.commit({ 'a.win': 'one\r\ntwo\r\n', 'a.sec': 'secret\n', 'a.id': '$Id$\n' }, path);
    await writeFile(join(path, 'a.16'), Buffer.from('wide\n', 'utf16le'));
    await project.commit({}, path);
    assert.equal(await git(path, 'show', 'HEAD:a.sec'), 'frperg');
    for (const name of ['a.win', 'a.sec', 'a.id']) await rm(join(path, name));
    await git(path, 'checkout', '--quiet', '.');
    await proved(path);
    await proved(path);
    assert.equal(succeeded(await verb('status', path)).clean, true);
    // Another filter makes another file of the same commit.
    for (const way of ['clean', 'smudge']) await git(path, 'config', `filter.rot.${way}`, 'tr a-z b-za');
    noProof(await verb('done', path), 'a.sec');
    for (const way of ['clean', 'smudge']) await git(path, 'config', `filter.rot.${way}`, 'tr a-z n-za-m');
    succeeded(await verb('accept', path));
  });

  it('does not, where line ends are converted for the whole machine', async () => {
    const project = await make({ config });
    await git(project.root, 'config', 'core.autocrlf', 'true');
    const { path } = await started(project.root);
    await project.commit({ 'src/b.txt': 'written by an editor that knows LF only\n' }, path);
    assert.equal(await readFile(join(path, 'src/a.txt'), 'utf8'), 'a\r\n');
    await proved(path);
    succeeded(await verb('accept', path));
  });
});

describe('What git is told of the file system', () => {
  afterEach(removeAll);

  it('is asked of a file of ours, not of .git/HEAD', async () => {
    const { project, path } = await work({ 'src/run.sh': '#!/bin/sh\n' });
    await chmod(join(project.root, '.git/HEAD'), 0o755);
    await chmod(join(await git(path, 'rev-parse', '--absolute-git-dir'), 'HEAD'), 0o755);
    await writeFile(join(project.root, '.git/head'), '');
    await writeFile(join(await git(path, 'rev-parse', '--absolute-git-dir'), 'head'), '');
    await git(path, 'config', 'core.fileMode', 'false');
    await git(path, 'config', 'core.ignoreCase', 'true');
    // In another process, which has asked no file system yet.
    const done = () => inAnother(path, 'done');
    await chmod(join(path, 'src/run.sh'), 0o755);
    noProof(done(), 'src/run.sh');
    await chmod(join(path, 'src/run.sh'), 0o644);
    await writeFile(join(path, 'src/B.txt'), 'a file of its own\n');
    const apart = (await readFile(join(path, 'src/b.txt'), 'utf8')) === 'bbbb\n';
    noProof(done(), apart ? 'src/B.txt' : 'src/b.txt');
    const left = await git(project.root, 'status', '--porcelain', '--ignored');
    assert.equal(left, '', 'nothing is left of the question');
    const state = join(project.root, '.git/discern-vscode');
    assert.ok(!execFileSync('ls', ['-A', state], { encoding: 'utf8' }).includes('probe'));
  });
});

declare const DISCERN_HOME: string;

function inAnother(path: string, name: string): Envelope<GateData> {
  const cli = join(process.env.DISCERN_DIST ?? join(DISCERN_HOME, 'dist'), 'cli.js');
  const args = [cli, name, '--json', '--path', path];
  const stdout = execFileSync(process.execPath, args, { encoding: 'utf8', cwd: path });
  return JSON.parse(stdout);
}

describe('An index of any kind', () => {
  afterEach(removeAll);

  const kinds: Record<string, (path: string) => Promise<unknown>> = {
    'version 4': (path) => git(path, 'update-index', '--index-version', '4'),
    split: (path) => git(path, 'update-index', '--split-index'),
    sparse: async (path) => {
      await git(path, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
      await git(path, 'sparse-checkout', 'reapply');
    },
  };
  for (const [kind, make] of Object.entries(kinds)) {
    it(`(${kind}) hides no edit of equal size and second`, async () => {
      const { path } = await work();
      await make(path);
      await proved(path);
      const file = join(path, 'src/b.txt');
      const old = new Date(Date.now() - 60_000);
      await utimes(file, old, old);
      await git(path, 'update-index', '--refresh');
      await git(path, 'config', 'core.trustctime', 'false');
      await writeFile(file, 'cccc\n');
      await utimes(file, old, old);
      assert.equal(await git(path, 'status', '--porcelain'), '', 'git itself does not see it');
      noProof(await verb('done', path), 'src/b.txt');
      const names = execFileSync('ls', [await git(path, 'rev-parse', '--absolute-git-dir')], {
        encoding: 'utf8',
      });
      if (kind !== 'split') assert.ok(!names.includes('sharedindex'), 'and no part of ours lies beside it');
    });
  }

  it('of a repository with SHA-256 is compared too', async () => {
    const project = await make({ config });
    const root = join(project.home, 'long');
    await git(project.home, 'init', '--quiet', '--initial-branch=main', '--object-format=sha256', root);
    await project.commit({ 'discern.toml': config, 'src/a.txt': 'a\n' }, root);
    const { path } = await started(root);
    await project.commit({ 'src/b.txt': 'bbbb\n' }, path);
    await proved(path);
    await git(path, 'config', 'filter.lie.clean', 'cat >/dev/null; echo bbbb');
    await writeFile(join(root, '.git/info/attributes'), 'src/b.txt filter=lie\n');
    await believed(path, () => writeFile(join(path, 'src/b.txt'), 'cccc\n'));
    noProof(await verb('done', path), 'src/b.txt');
  });

  it('believes no link to another directory with the same files', async () => {
    const { path } = await work();
    await git(path, 'update-index', '--skip-worktree', 'src/a.txt', 'src/b.txt');
    await mkdir(join(path, 'out'));
    await rename(join(path, 'src'), join(path, 'out/src'));
    await writeFile(join(path, '../../app/.git/info/exclude'), '/src\n');
    await symlink('out/src', join(path, 'src'));
    assert.equal(await git(path, 'status', '--porcelain'), '');
    noProof(await verb('done', path), 'src/b.txt');
  });
});

describe('The index of ours', () => {
  afterEach(removeAll);

  const ours = async (path: string) =>
    join(await git(path, 'rev-parse', '--absolute-git-dir'), 'discern-vscode.tree');

  /** An edit that git believes to be none, and that an index of ours would show. */
  const hidden = (project: Project, path: string) =>
    git(path, 'config', 'filter.lie.clean', 'cat >/dev/null; echo bbbb')
      .then(() => attributes(project, 'src/b.txt filter=lie\n'))
      .then(() => believed(path, () => writeFile(join(path, 'src/b.txt'), 'cccc\n')));

  const damages: Record<string, (file: string) => Promise<unknown>> = {
    'cut off': (file) => truncate(file, 100),
    empty: (file) => truncate(file, 0),
    'added to': (file) => appendFile(file, '100644 0 r 1\tx\0'),
    'of another version': async (file) =>
      writeFile(file, (await readFile(file, 'latin1')).replace('"version": 1', '"version": 2'), 'latin1'),
    'without files': async (file) => {
      const [header] = (await readFile(file, 'latin1')).split('\0');
      await writeFile(file, `${header}\0`, 'latin1');
    },
    'without files, and with a sum that says so': async (file) => {
      const header = JSON.parse((await readFile(file, 'latin1')).split('\0')[0] ?? '');
      const sum = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
      await writeFile(file, `${JSON.stringify({ ...header, sum })}\0`, 'latin1');
    },
    'a pipe': async (file) => {
      await rm(file);
      execFileSync('mkfifo', [file]);
    },
    'a directory': async (file) => {
      await rm(file);
      await mkdir(file);
    },
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`is made anew where it is ${what}`, async () => {
      const { project, path } = await work();
      await proved(path);
      await damage(await ours(path));
      await proved(path);
      await hidden(project, path);
      await damage(await ours(path)).catch(() => undefined);
      noProof(await verb('done', path), 'src/b.txt');
    });
  }

  it('is written whole by several that look at once, and goes with its worktree', async () => {
    const { project, path } = await work();
    const file = await ours(path);
    await Promise.all(Array.from({ length: 8 }, () => verb('status', path)));
    await proved(path);
    assert.ok((await stat(file)).isFile());
    await Promise.all([...Array.from({ length: 4 }, () => verb('status', path)), verb('done', path)]);
    succeeded(await verb('accept', path));
    assert.equal(existsSync(file), false);
    const left = execFileSync('find', [join(project.root, '.git'), '-name', '*.tmp'], { encoding: 'utf8' });
    assert.equal(left, '');
  });

  it('sees an edit in the very instant of the look before', async () => {
    const { path } = await work();
    const file = join(path, 'src/b.txt');
    for (const text of ['cccc\n', 'dddd\n', 'eeee\n']) {
      await writeFile(file, 'bbbb\n');
      await verb('status', path);
      await writeFile(file, text);
      assert.equal(succeeded(await verb('status', path)).clean, false, text);
    }
  });
});

describe('A file that git was told to overlook', () => {
  afterEach(removeAll);

  for (const flag of ['--assume-unchanged', '--skip-worktree']) {
    it(`(${flag}) is overwritten by no landing and no update`, async () => {
      const { project, path } = await work();
      await project.commit({ 'src/a.txt': 'landing\n' }, path);
      await git(project.root, 'update-index', flag, 'src/a.txt');
      await project.write({ 'src/a.txt': 'a person’s own\n' });
      const before = await everything(project);
      const preview = await verb('accept', path, { dry_run: true });
      refusedWith(preview, 'dirty_landing_checkout', /src\/a\.txt/);
      refusedWith(await verb('accept', path), 'dirty_landing_checkout', /src\/a\.txt/);
      assert.deepEqual(await everything(project), before);
      // The other way round: the trunk brings the file, and the worktree has the edit.
      await git(project.root, 'update-index', flag.replace('--', '--no-'), 'src/a.txt');
      await project.commit({ 'src/a.txt': 'from the trunk\n' });
      await git(path, 'reset', '--quiet', '--hard', 'HEAD~1');
      await git(path, 'update-index', flag, 'src/a.txt');
      await project.write({ 'src/a.txt': 'a person’s own\n' }, path);
      refusedWith(await verb('update', path), 'dirty_worktree', /src\/a\.txt/);
      assert.equal(await readFile(join(path, 'src/a.txt'), 'utf8'), 'a person’s own\n');
      assert.equal(await readFile(join(project.root, 'src/a.txt'), 'utf8'), 'from the trunk\n');
    });
  }

  it('by a filter, is overwritten by no landing and no update either', async () => {
    const { project, path } = await work();
    await project.commit({ 'src/b.txt': 'bbbb\n' });
    await git(path, 'reset', '--quiet', '--hard', 'main');
    await project.commit({ 'src/b.txt': 'landing\n' }, path);
    await git(project.root, 'config', 'filter.lie.clean', "sed 's/^a person.*/bbbb/'");
    await attributes(project, 'src/b.txt filter=lie\n');
    await believed(project.root, () => writeFile(join(project.root, 'src/b.txt'), 'a person’s own\n'));
    const before = await everything(project);
    refusedWith(await verb('accept', path, { dry_run: true }), 'dirty_landing_checkout', /src\/b\.txt/);
    refusedWith(await verb('accept', path), 'dirty_landing_checkout', /src\/b\.txt/);
    assert.deepEqual(await everything(project), before);
  });

  it('does not keep others from landing', async () => {
    const { project, path } = await work();
    await git(project.root, 'update-index', '--assume-unchanged', 'src/a.txt');
    await project.write({ 'src/a.txt': 'a person’s own\n' });
    succeeded(await verb('accept', path));
    assert.equal(await readFile(join(project.root, 'src/a.txt'), 'utf8'), 'a person’s own\n');
  });
});

describe('A submodule', () => {
  let inner: Project;
  before(async () => {
    inner = await makeProject({ name: 'inner' });
  });
  after(() => inner.remove());
  afterEach(removeAll);

  it('that is not as the commit has it earns no proof, whatever is flagged', async () => {
    const { project, path } = await work();
    await gitSubmodule(path, 'add', inner.root, 'sub');
    await project.commit({}, path);
    const sub = join(path, 'sub');
    await proved(path);

    await git(sub, 'update-index', '--assume-unchanged', 'src/a.txt');
    await writeFile(join(sub, 'src/a.txt'), 'edited\n');
    noProof(await verb('done', path), 'sub');
    await rm(join(sub, 'src/a.txt'));
    noProof(await verb('done', path), 'sub');
    await git(sub, 'update-index', '--no-assume-unchanged', 'src/a.txt');
    await git(sub, 'checkout', '--quiet', 'src/a.txt');

    await git(sub, 'config', 'status.showUntrackedFiles', 'no');
    await writeFile(join(sub, 'loose.txt'), '');
    noProof(await verb('done', path), 'sub');
    await rm(join(sub, 'loose.txt'));
    await proved(path);

    await git(path, 'update-index', '--assume-unchanged', 'sub');
    await git(sub, 'commit', '--quiet', '--allow-empty', '-m', 'moved');
    assert.equal(await git(path, 'status', '--porcelain'), '');
    noProof(await verb('done', path), 'sub');
    await git(sub, 'reset', '--quiet', '--hard', 'HEAD~1');
    await proved(path);

    await git(path, 'submodule', '--quiet', 'deinit', '--force', 'sub');
    noProof(await verb('done', path), 'sub is not checked out');
  });

  it('that no worktree has, and that the branch leaves as the trunk has it, is told and does not count', async () => {
    const { project, path } = await work();
    await gitSubmodule(project.root, 'add', inner.root, 'sub');
    await project.commit({}, project.root);
    await git(path, 'merge', '--quiet', 'main');
    await project.commit({ 'src/more.txt': 'more\n' }, path);
    const done = await verb('done', path);
    assert.equal(done.ok, true);
    assert.deepEqual((done.data as { proof?: { state: string } }).proof?.state, 'valid');
    assert.match((done.hints ?? []).join('\n'), /Judged without sub: not checked out here/);

    await git(path, 'update-index', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
    await git(path, 'commit', '--quiet', '-m', 'another submodule commit');
    noProof(await verb('done', path), 'sub is not checked out');
  });
});
