import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { foreignOwnDirs, madeOwnDir } from '../../src/engine/state/own-dir.ts';
import { inodeOf, removeNamedTree, removeOwnFile } from '../../src/engine/state/remove.ts';
import { started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const there = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('What deletes', () => {
  let home: string;
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'discern-remove-')));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function tree(path: string): Promise<string> {
    await mkdir(join(path, 'deep'), { recursive: true });
    await writeFile(join(path, 'deep/file'), 'x');
    return (await inodeOf(path)) ?? '';
  }

  it('deletes the very directory that was named, and is content where it is gone already', async () => {
    const path = join(home, 'a');
    const ino = await tree(path);
    assert.equal(await removeNamedTree({ path, within: home, ino }), undefined);
    assert.equal(await there(path), false);
    assert.equal(await removeNamedTree({ path, within: home, ino }), undefined);
  });

  it('leaves another directory, a link, a file, and one that lies elsewhere than it must', async () => {
    const path = join(home, 'a');
    const ino = await tree(path);
    await rename(path, join(home, 'moved'));
    const another = await tree(path);
    assert.match((await removeNamedTree({ path, within: home, ino })) ?? '', /not the directory/);
    await symlink(path, join(home, 'link'));
    const link = { path: join(home, 'link'), within: home, ino: another };
    assert.match((await removeNamedTree(link)) ?? '', /not a directory/);
    await writeFile(join(home, 'file'), '');
    const file = { path: join(home, 'file'), within: home, ino: another };
    assert.match((await removeNamedTree(file)) ?? '', /not a directory/);
    await symlink(home, join(home, 'b'));
    const behind = { path: join(home, 'b', 'a'), within: join(home, 'b'), ino: another };
    assert.match((await removeNamedTree(behind)) ?? '', /lies behind/);
    for (const within of [join(home, 'x'), join(home, '..'), '/', join(home, 'a')])
      assert.match((await removeNamedTree({ path, within, ino: another })) ?? '', /does not lie in/);
    for (const odd of [`${path}/`, `${home}/x/../a`, `${home}//a`])
      assert.notEqual(await removeNamedTree({ path: odd, within: home, ino: another }), undefined, odd);
    assert.ok(await there(join(path, 'deep/file')));
    assert.ok(await there(join(home, 'moved/deep/file')));
  });

  it('deletes nothing by any path but the one of the directory itself', async () => {
    const path = join(home, 'a');
    const ino = await tree(path);
    const piece = fc.constantFrom('a', '.', '..', '', 'deep', 'b', '/', basename(home));
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 5 }),
        fc.array(piece, { maxLength: 4 }),
        async (one, two) => {
          const named = { path: [home, ...one].join('/'), within: [home, ...two].join('/'), ino };
          fc.pre(!(named.path === path && named.within === home));
          await removeNamedTree(named);
          assert.ok(await there(join(path, 'deep/file')), JSON.stringify(named));
        },
      ),
      // A slash at the end once let a second name of the directory pass.
      { numRuns: 300, examples: [[['a'], ['']]] },
    );
  });

  it('deletes a file of ours alone, and through no link', async () => {
    const ours = join(home, 'discern-vscode');
    await madeOwnDir(join(ours, 'runs'));
    await writeFile(join(ours, 'runs/a.json'), '');
    assert.equal(await removeOwnFile(join(ours, 'runs/a.json')), undefined);
    assert.equal(await removeOwnFile(join(ours, 'runs/a.json')), undefined, 'it is gone already');
    await mkdir(join(home, 'photos'));
    await writeFile(join(home, 'photos/a.json'), 'mine');
    await symlink(join(home, 'photos'), join(ours, 'locks'));
    assert.match((await removeOwnFile(join(ours, 'locks/a.json'))) ?? '', /lies behind/);
    await symlink(join(home, 'photos/a.json'), join(ours, 'runs/link.json'));
    assert.match((await removeOwnFile(join(ours, 'runs/link.json'))) ?? '', /not a regular file/);
    await assert.rejects(
      removeOwnFile(join(home, 'photos/a.json')),
      /does not lie in a directory of discern/,
    );
    await assert.rejects(madeOwnDir(join(ours, 'locks/deeper')), { slug: 'untrusted' });
    assert.deepEqual(await readdir(join(home, 'photos')), ['a.json']);
    assert.deepEqual(await foreignOwnDirs(ours), [join(ours, 'locks')]);
  });

  const mounting = ['-Urm', '--propagation', 'private', 'sh', '-c'];
  if (process.platform === 'linux' && spawnSync('unshare', [...mounting, 'true']).status === 0) {
    it('leaves a directory that has something mounted in it', async () => {
      const path = join(home, 'a');
      await tree(path);
      await mkdir(join(home, 'photos'));
      await writeFile(join(home, 'photos/a.jpg'), 'mine');
      // The part of this file's own build that deletes, run where the mount is.
      const script = `mount --bind "$0/photos" "$0/a/deep" && exec "$1" --input-type=module -e "
        const { removeNamedTree, inodeOf } = await import('$2');
        const path = '$0/a';
        console.log(await removeNamedTree({ path, within: '$0', ino: await inodeOf(path) }));"`;
      const built = join(home, 'remove.mjs');
      const { build } = await import('esbuild');
      await build({
        entryPoints: [join(process.env.INIT_CWD ?? process.cwd(), 'src/engine/state/remove.ts')],
        bundle: true,
        platform: 'node',
        format: 'esm',
        outfile: built,
        logLevel: 'error',
      });
      const said = execFileSync('unshare', [...mounting, script, home, process.execPath, built], {
        encoding: 'utf8',
      });
      assert.match(said, /has something mounted in it, at .*\/a\/deep/);
      assert.ok(await there(join(path, 'deep/file')));
      assert.deepEqual(await readdir(join(home, 'photos')), ['a.jpg']);
    });
  }
});

describe('A directory beside the worktrees', () => {
  afterEach(removeAll);

  it('whose .git is a pipe keeps nobody waiting', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const odd = join(path, '..', 'odd-abcdef');
    await mkdir(odd);
    execFileSync('mkfifo', [join(odd, '.git')]);
    succeeded(await verb('status', project.root));
    await verb('prune', project.root, { dry_run: false });
    assert.deepEqual(await readdir(odd), ['.git']);
    assert.equal((await git(project.root, 'worktree', 'list')).split('\n').length, 2);
  });
});
