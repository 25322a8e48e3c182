import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { listing, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, gitEnv, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** Every way work gets onto the trunk; `combined` is what `accept` makes where the trunk has moved. */
const ways = [
  { how: 'ff', combined: false },
  { how: 'ff', combined: true },
  { how: 'merge', combined: false },
  { how: 'squash', combined: false },
  { how: 'rebase', combined: true },
] as const;

/** Each with each takes minutes: `DISCERN_FAULTS=all`. Else they take turns. */
const every = process.env.DISCERN_FAULTS === 'all';

const files = { 'lands.txt': 'old\n', 'leaves.txt': 'old\n', 'other.txt': 'old\n', '.gitignore': '*.ign\n' };

/** What a person has in the landing checkout of a path that lands. */
const touching: Record<string, { path: string; make: (project: Project) => Promise<unknown> }> = {
  'a staged edit': {
    path: 'lands.txt',
    make: async ({ root, write }) => {
      await write({ 'lands.txt': 'precious\n' });
      await git(root, 'add', 'lands.txt');
    },
  },
  'an unstaged edit': { path: 'lands.txt', make: ({ write }) => write({ 'lands.txt': 'precious\n' }) },
  'an edit of what lands without it': {
    path: 'leaves.txt',
    make: ({ write }) => write({ 'leaves.txt': 'precious\n' }),
  },
  'an untracked file': { path: 'new.txt', make: ({ write }) => write({ 'new.txt': 'precious\n' }) },
  'an ignored file': { path: 'new.ign', make: ({ write }) => write({ 'new.ign': 'precious\n' }) },
  'a file that is meant to be added': {
    path: 'new.txt',
    make: async ({ root, write }) => {
      await write({ 'new.txt': 'precious\n' });
      await git(root, 'add', '--intent-to-add', 'new.txt');
    },
  },
  'a rename': { path: 'lands.txt', make: ({ root }) => git(root, 'mv', 'lands.txt', 'elsewhere.txt') },
  'a mode': { path: 'lands.txt', make: ({ root }) => chmod(join(root, 'lands.txt'), 0o755) },
  'a link in its place': {
    path: 'lands.txt',
    make: async ({ root }) => {
      await rm(join(root, 'lands.txt'));
      await symlink('other.txt', join(root, 'lands.txt'));
    },
  },
  'a deletion that is staged': {
    path: 'lands.txt',
    make: ({ root }) => git(root, 'rm', '--quiet', 'lands.txt'),
  },
  'a directory with a file in its place': {
    path: 'new.txt',
    make: async ({ root, write }) => {
      await mkdir(join(root, 'new.txt'));
      await write({ 'new.txt/deep': 'precious\n' });
    },
  },
  'a file where a directory comes': { path: 'dir', make: ({ write }) => write({ dir: 'precious\n' }) },
  'an unresolved conflict': {
    path: 'lands.txt',
    make: async ({ root }) => {
      const id = await git(root, 'rev-parse', 'HEAD:lands.txt');
      const lines = [1, 2, 3].map((stage) => `100644 ${id} ${stage}\tlands.txt\n`).join('');
      await git(root, 'update-index', '--force-remove', 'lands.txt');
      execFileSync('git', ['update-index', '--index-info'], {
        cwd: root,
        env: { ...process.env, ...gitEnv },
        input: lines,
      });
    },
  },
};

async function scene(combined: boolean): Promise<{ project: Project; path: string }> {
  const project = await make({ files });
  const { path } = await started(project.root);
  await git(path, 'rm', '--quiet', 'leaves.txt');
  await project.write({ 'new.ign': 'landed\n' }, path);
  await git(path, 'add', '--force', 'new.ign');
  await project.commit({ 'lands.txt': 'landed\n', 'new.txt': 'landed\n', 'dir/deep.txt': 'landed\n' }, path);
  if (combined) await project.commit({ 'theirs.txt': 'theirs\n' });
  return { project, path };
}

/** All that may be lost: every file with its bytes and mode, the index, and where the trunk is. */
async function look({ root }: Project) {
  return {
    files: await listing(root),
    index: await git(root, 'ls-files', '--stage', '--debug').then((text) =>
      text.split('\n').filter((line) => !line.startsWith('  ') || line.includes('flags')),
    ),
    refs: await git(root, 'for-each-ref', 'refs/heads'),
  };
}

describe('A landing checkout with something in what lands', () => {
  afterEach(removeAll);

  for (const [index, [what, { path: file, make: put }]] of Object.entries(touching).entries())
    for (const { how, combined } of ways.filter((_, way) => every || way === index % ways.length))
      it(`(${what}) keeps it, and nothing lands: ${how}${combined ? ', combined' : ''}`, async () => {
        const { project, path } = await scene(combined);
        await put(project);
        const before = await look(project);
        const answer = await verb('accept', path, { how });
        assert.equal(answer.error, 'dirty_landing_checkout', answer.message);
        assert.ok(
          answer.data?.files?.some((one) => one === file || one.startsWith(`${file}/`)),
          answer.message,
        );
        assert.match(answer.message ?? '', new RegExp(file.replace('.', '\\.')));
        assert.deepEqual(await look(project), before);
        assert.equal(await readFile(join(path, 'lands.txt'), 'utf8'), 'landed\n');
      });
});

describe('A landing checkout with something beside what lands', () => {
  afterEach(removeAll);

  for (const { how, combined } of ways)
    it(`keeps it, staged or not: ${how}${combined ? ', combined' : ''}`, async () => {
      const { project, path } = await scene(combined);
      const { root } = project;
      await project.write({ 'staged.txt': 'staged\n', 'loose.txt': 'loose\n', 'own.ign': 'ignored\n' });
      await git(root, 'add', 'staged.txt');
      await project.write({ 'staged.txt': 'edited since\n', 'meant.txt': 'meant\n' });
      await git(root, 'add', '--intent-to-add', 'meant.txt');
      await git(root, 'mv', 'other.txt', 'renamed.txt');
      const own = /^(staged|loose|own|meant|renamed|other)/;
      const mine = async () => ({
        files: (await listing(root)).filter((one) => own.test(one)),
        status: (await git(root, 'status', '--porcelain=v2')).split('\n'),
        staged: await git(root, 'diff', '--cached', '--binary'),
      });
      const before = await mine();
      const { landing, landed_commit: landed = '' } = succeeded(await verb('accept', path, { how }));
      assert.equal(landing.trunk_landed, true);
      assert.deepEqual(await mine(), before);
      assert.equal(await git(root, 'rev-parse', 'HEAD'), landed);
      for (const one of ['lands.txt', 'new.txt', 'dir/deep.txt', 'new.ign'])
        assert.equal(await readFile(join(root, one), 'utf8'), 'landed\n');
    });
});
