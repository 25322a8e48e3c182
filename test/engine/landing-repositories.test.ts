import assert from 'node:assert/strict';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { everything, nothingLanded, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitSubmodule, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A project with a checked-out submodule in which somebody works. */
async function withSubmodule(): Promise<Project> {
  const project = await make();
  const library = join(project.home, 'library');
  await git(project.home, 'init', '--quiet', library);
  await project.commit({ 'lib.txt': 'lib\n' }, library);
  await gitSubmodule(project.root, 'add', library, 'sub');
  await project.commit({});
  await project.write({ 'sub/loose.txt': 'precious\n' });
  return project;
}

/** What the branch makes of the submodule. */
const changes: Record<string, Record<string, string>> = {
  'a file': { sub: 'a file\n' },
  'a directory with a file of the submodule’s': { 'sub/lib.txt': 'lib\n' },
  'a directory with other files': { 'sub/deep/other.txt': 'other\n' },
};

describe('A repository in the landing checkout, where a landing would put files', () => {
  afterEach(removeAll);

  for (const [name, files] of Object.entries(changes)) {
    it(`a submodule that becomes ${name}: it is refused before the trunk moves, and goes on once it is away`, async () => {
      const project = await withSubmodule();
      const { path } = await started(project.root);
      await git(path, 'rm', '--quiet', 'sub', '.gitmodules');
      await rm(join(path, 'sub'), { recursive: true, force: true });
      const commit = await project.commit(files, path);
      succeeded(await verb('done', path));
      const before = await everything(project);
      for (const dry_run of [true, false]) {
        const answer = await verb('accept', path, { dry_run });
        refusedWith(answer, 'dirty_landing_checkout', /a repository lies in .*: sub\. Move it away/);
        assert.deepEqual(answer.data?.landing, nothingLanded);
      }
      assert.deepEqual(await everything(project), before);
      await rm(join(project.root, 'sub/loose.txt'));
      await git(project.root, 'submodule', '--quiet', 'deinit', 'sub');
      succeeded(await verb('accept', path));
      assert.equal(await git(project.root, 'rev-parse', 'HEAD'), commit);
      assert.equal(await git(project.root, 'status', '--porcelain'), '');
    });
  }

  it('one that is ignored and gets a file of the branch’s: nothing is written into it', async () => {
    const project = await make({ files: { '.gitignore': '/vendor/\n' } });
    const own = join(project.root, 'vendor/tool');
    await mkdir(own, { recursive: true });
    await git(own, 'init', '--quiet');
    await project.commit({ 'own.txt': 'own\n' }, own);
    const { path } = await started(project.root);
    await project.write({ 'vendor/tool/new.txt': 'new\n' }, path);
    await git(path, 'add', '--force', 'vendor');
    await git(path, 'commit', '--quiet', '-m', 'vendored');
    const before = await everything(project);
    refusedWith(
      await verb('accept', path),
      'dirty_landing_checkout',
      /a repository lies in .*: vendor\/tool\./,
    );
    assert.deepEqual(await everything(project), before);
  });

  it('more below a directory than is named: every file of it stays', async () => {
    const project = await make({ files: { '.gitignore': '/out/\n' } });
    const many = Array.from({ length: 450 }, (_, at) => `out/${at % 9}/${at}.txt`);
    await project.write(Object.fromEntries(many.map((name) => [name, name])));
    const { path } = await started(project.root);
    await project.write({ out: 'a file\n' }, path);
    await git(path, 'add', '--force', 'out');
    await git(path, 'commit', '--quiet', '-m', 'a file');
    const answer = await verb('accept', path);
    const message = refusedWith(answer, 'dirty_landing_checkout', /and \d+ more/);
    assert.ok(message.length < 1500, message);
    for (const name of many) await access(join(project.root, name));
    assert.equal(await git(project.root, 'rev-parse', 'HEAD'), await git(path, 'rev-parse', 'HEAD~1'));
  });

  it('a directory of the trunk’s with hundreds of strangers beside its files keeps them all', async () => {
    const project = await make({ files: { '.gitignore': '*.log\n', 'out/kept.txt': 'kept\n' } });
    const many = Array.from({ length: 250 }, (_, at) => `out/${at}.log`);
    await project.write(Object.fromEntries(many.map((name) => [name, name])));
    const { path } = await started(project.root);
    await rm(join(path, 'out'), { recursive: true });
    await project.commit({ out: 'a file\n' }, path);
    refusedWith(await verb('accept', path), 'dirty_landing_checkout', /would overwrite files/);
    for (const name of many) await access(join(project.root, name));
  });
});
