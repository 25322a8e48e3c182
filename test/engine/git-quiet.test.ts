import assert from 'node:assert/strict';
import { appendFile, chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { IgnoreRules } from '../../src/engine/git/ignored.ts';
import { isProvablyClean } from '../../src/engine/git/quiet.ts';
import { git, makeProject, type Project } from '../support/project.ts';

const files = {
  '.gitignore': 'node_modules/\n*.log\n/dist\n',
  'src/deep/b.txt': 'b\n',
  'src/ü.txt': 'ü\n',
  'node_modules/x/index.js': 'x\n',
  'src/noise.log': 'noise\n',
  'run.sh': '#!/bin/sh\n',
};

describe('A checkout that is looked at without git', () => {
  let project: Project;
  let path: string;
  let tree: string;

  before(async () => {
    project = await makeProject({ files });
    path = join(project.home, 'linked');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'work', path);
    tree = await git(path, 'rev-parse', 'HEAD^{tree}');
  });
  after(() => project.remove());

  const gitDir = () => join(project.root, '.git', 'worktrees', 'linked');
  const clean = () =>
    isProvablyClean({ top: path, gitDir: gitDir(), commonDir: join(project.root, '.git'), tree });
  const untouched = () => git(path, 'status', '--porcelain');
  const restore = async () => {
    await git(path, 'reset', '--quiet', '--hard', 'work');
    await git(path, 'clean', '-ffdxq');
  };
  afterEach(restore);

  it('is clean when it was just made, in a linked checkout and the main one', () => {
    assert.equal(clean(), true);
    const root = { top: project.root, gitDir: join(project.root, '.git') };
    // The project's files were copied, so the index does not know their stamps.
    assert.equal(isProvablyClean({ ...root, commonDir: root.gitDir, tree }), false);
  });

  it('is clean with ignored files and directories in it', async () => {
    await mkdir(join(path, 'node_modules/y'), { recursive: true });
    await writeFile(join(path, 'src/more.log'), '');
    await mkdir(join(path, 'dist'));
    assert.equal(await untouched(), '');
    assert.equal(clean(), true);
  });

  it('is never called clean for another tree', () => {
    assert.equal(
      isProvablyClean({
        top: path,
        gitDir: gitDir(),
        commonDir: join(project.root, '.git'),
        tree: '0'.repeat(40),
      }),
      false,
    );
  });

  const changes: Record<string, () => Promise<unknown>> = {
    'an edit': () => writeFile(join(path, 'src/a.txt'), 'A\n'),
    'an edit of the same length with the old time put back': async () => {
      await writeFile(join(path, 'src/a.txt'), 'Z\n');
      await utimes(join(path, 'src/a.txt'), 1, 1);
    },
    'a file that is gone': () => rm(join(path, 'src/a.txt')),
    'a file that became executable': () => chmod(join(path, 'src/a.txt'), 0o755),
    'a file that is a symlink now': async () => {
      await rm(join(path, 'src/a.txt'));
      await symlink('deep/b.txt', join(path, 'src/a.txt'));
    },
    'a directory that is a symlink now': async () => {
      await rename(join(path, 'src/deep'), join(project.home, 'deep'));
      await symlink(join(project.home, 'deep'), join(path, 'src/deep'));
    },
    'an untracked file': () => writeFile(join(path, 'src/new.txt'), ''),
    'an untracked file in a new directory': async () => {
      await mkdir(join(path, 'new'));
      await writeFile(join(path, 'new/file'), '');
    },
    'a file that an ignore file brings back': async () => {
      await writeFile(join(path, 'src/.gitignore'), '!kept.log\n');
      await git(path, 'add', '--all');
      await writeFile(join(path, 'src/kept.log'), '');
    },
    'something staged': async () => {
      await writeFile(join(path, 'src/a.txt'), 'staged\n');
      await git(path, 'add', '--all');
    },
    'a repository of its own inside': () => git(path, 'init', '--quiet', join(path, 'src/inner')),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`is left to git with ${what}`, async () => {
      await change();
      assert.equal(clean(), false);
      await rm(join(project.home, 'deep'), { recursive: true, force: true });
    });
  }

  it('is never called clean when git shows a change, whatever was done to it', async () => {
    const names = [
      'src/a.txt',
      'src/deep/b.txt',
      'src/new',
      'x.log',
      'dist/o',
      'run.sh',
      '.gitignore',
      'node_modules/z',
    ];
    const name = fc.constantFrom(...names);
    const act = fc.oneof(
      fc.record({
        do: fc.constant('write' as const),
        name,
        text: fc.constantFrom('', 'a\n', 'b\n', '!x.log\n'),
      }),
      fc.record({
        do: fc.constantFrom('remove' as const, 'add' as const, 'touch' as const, 'mode' as const),
        name,
      }),
    );
    let said = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 4 }), async (acts) => {
        await restore();
        for (const one of acts) {
          const file = join(path, one.name);
          await mkdir(dirname(file), { recursive: true });
          if (one.do === 'write') await writeFile(file, one.text);
          else if (one.do === 'remove') await rm(file, { force: true });
          else if (one.do === 'add') await git(path, 'add', '--all');
          else await appendFile(file, '').then(() => chmod(file, one.do === 'mode' ? 0o755 : 0o644));
        }
        if (!clean()) return;
        said++;
        assert.equal(await untouched(), '');
      }),
      { numRuns: 60 },
    );
    assert.ok(said > 0, 'some were called clean');
  });
});

describe('An ignored path', () => {
  it('is one that git ignores too', async () => {
    const project = await makeProject();
    try {
      const pattern = fc.constantFrom(
        '*.log',
        'dist/',
        '/dist',
        'a/b',
        '**/deep',
        'deep/**',
        'a*',
        'node_modules',
        '!a.log',
        '# no',
        ' dist',
        'di?t',
        '[ab].log',
        'dist\\/',
        'a/**/b',
        '/a/*',
        'trailing ',
        '*.LOG',
        '*',
        '.cache/',
      );
      const path = fc.constantFrom(
        'a.log',
        'dist/',
        'a/b',
        'x/deep/',
        'deep/y',
        'src/dist/',
        'a/x/b',
        'node_modules/',
        'x/a.log',
        '.cache/',
        'A.LOG',
        'trailing',
      );
      let ignored = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(pattern, { maxLength: 4 }),
          fc.array(pattern, { maxLength: 2 }),
          path,
          async (top, inner, asked) => {
            await project.write({ '.gitignore': top.join('\n'), 'x/.gitignore': inner.join('\n') });
            if (!new IgnoreRules(project.root, join(project.root, '.git')).ignores(asked)) return;
            ignored++;
            // It exits with 1 when a path is not ignored.
            assert.equal(await git(project.root, 'check-ignore', '--no-index', asked), asked);
          },
        ),
        { numRuns: 150 },
      );
      assert.ok(ignored > 0);
    } finally {
      await project.remove();
    }
  });
});
