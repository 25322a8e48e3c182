import assert from 'node:assert/strict';
import { chmod, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { landingWays } from '../../src/contract/settings.ts';
import { combined } from '../../src/engine/landing/combine.ts';
import { commitLanding } from '../../src/engine/landing/compose.ts';
import { openRepository, requireTrunk } from '../../src/engine/repository/repository.ts';
import { refusedWith, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, makeProject, type Project } from '../support/project.ts';

declare const DISCERN_HOME: string;

const lines = (changed: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, n) => `${changed[n] ?? `line ${n}`}\n`).join('');

/** What one side does in its checkout; everything is committed afterwards, but for sides that commit themselves. */
type Side = (at: string) => Promise<unknown>;
type Way = (typeof landingWays)[number];

interface Case {
  /** As the page's table has it. */
  what: string;
  /** What the trunk got, and what the branch did. */
  theirs: Side;
  ours: Side;
  /** The files that conflict: then nothing lands, whatever way; or what the trunk has of these files afterwards, `mode path: text`. */
  conflicts?: string[];
  lands?: Record<string, string | null>;
  /** What lands after `update`, which resolves it by itself. */
  updated?: Record<string, string>;
  /** Ways that refuse though the others land. */
  not?: Way[];
}

let project: Project;
let path: string;
let base: string;
let sub: string;
const commits: string[] = [];

const write =
  (files: Record<string, string>): Side =>
  (at) =>
    project.write(files, at);
const both =
  (...sides: Side[]): Side =>
  async (at) => {
    for (const side of sides) await side(at);
  };
const renamed =
  (from: string, to: string): Side =>
  (at) =>
    git(at, 'mv', from, to);
const removed =
  (name: string): Side =>
  (at) =>
    rm(join(at, name));
const executable =
  (name: string): Side =>
  (at) =>
    chmod(join(at, name), 0o755);
const linked =
  (name: string, to: string): Side =>
  async (at) => {
    await rm(join(at, name));
    await symlink(to, join(at, name));
  };
const committed =
  (files: Record<string, string>): Side =>
  (at) =>
    project.commit(files, at);
/** The submodule at one of its commits; only the entry moves, as where nobody has it checked out. */
const moved =
  (to: number): Side =>
  (at) =>
    git(at, 'update-index', '--add', '--cacheinfo', `160000,${commits[to]},sub`);

const cases: Case[] = [
  {
    what: 'the same line, changed in two ways',
    theirs: write({ 'src/a.txt': lines({ 3: 'theirs' }) }),
    ours: write({ 'src/a.txt': lines({ 3: 'ours' }) }),
    conflicts: ['src/a.txt'],
  },
  {
    what: 'the same line, changed in the same way',
    theirs: write({ 'src/a.txt': lines({ 3: 'same' }) }),
    ours: write({ 'src/a.txt': lines({ 3: 'same' }), 'src/own.txt': 'own\n' }),
    lands: { 'src/a.txt': `100644 ${lines({ 3: 'same' })}`, 'src/own.txt': '100644 own\n' },
  },
  {
    what: 'lines apart in one file',
    theirs: write({ 'src/a.txt': lines({ 1: 'theirs' }) }),
    ours: write({ 'src/a.txt': lines({ 9: 'ours' }) }),
    lands: { 'src/a.txt': `100644 ${lines({ 1: 'theirs', 9: 'ours' })}` },
  },
  {
    what: 'the same line, changed here and put back',
    theirs: write({ 'src/a.txt': lines({ 3: 'theirs' }) }),
    ours: both(
      committed({ 'src/a.txt': lines({ 3: 'ours' }) }),
      committed({ 'src/a.txt': lines(), 'src/own.txt': 'own\n' }),
    ),
    lands: { 'src/a.txt': `100644 ${lines({ 3: 'theirs' })}`, 'src/own.txt': '100644 own\n' },
    not: ['rebase'],
  },
  {
    what: 'a file renamed there, edited here',
    theirs: renamed('src/a.txt', 'src/new.txt'),
    ours: write({ 'src/a.txt': lines({ 3: 'ours' }) }),
    lands: { 'src/new.txt': `100644 ${lines({ 3: 'ours' })}`, 'src/a.txt': null },
  },
  {
    what: 'a file renamed here, edited there',
    theirs: write({ 'src/a.txt': lines({ 3: 'theirs' }) }),
    ours: renamed('src/a.txt', 'src/new.txt'),
    lands: { 'src/new.txt': `100644 ${lines({ 3: 'theirs' })}`, 'src/a.txt': null },
  },
  {
    what: 'a file renamed to two names',
    theirs: renamed('src/a.txt', 'src/theirs.txt'),
    ours: renamed('src/a.txt', 'src/ours.txt'),
    conflicts: ['src/a.txt', 'src/ours.txt', 'src/theirs.txt'],
  },
  {
    what: 'a file deleted there, edited here',
    theirs: removed('src/a.txt'),
    ours: write({ 'src/a.txt': lines({ 3: 'ours' }) }),
    conflicts: ['src/a.txt'],
  },
  {
    what: 'a file added on both sides, with other text',
    theirs: write({ 'src/new.txt': 'theirs\n' }),
    ours: write({ 'src/new.txt': 'ours\n' }),
    conflicts: ['src/new.txt'],
  },
  {
    what: 'made executable there, edited here',
    theirs: executable('src/a.txt'),
    ours: write({ 'src/a.txt': lines({ 3: 'ours' }) }),
    lands: { 'src/a.txt': `100755 ${lines({ 3: 'ours' })}` },
  },
  {
    what: 'a symbolic link there, edited here',
    theirs: linked('src/a.txt', 'b.txt'),
    ours: write({ 'src/a.txt': lines({ 3: 'ours' }) }),
    conflicts: ['src/a.txt'],
  },
  {
    what: 'a directory there, a file of its name here',
    theirs: write({ 'src/x/deep.txt': 'deep\n' }),
    ours: write({ 'src/x': 'file\n' }),
    conflicts: ['src/x'],
  },
  {
    what: 'a submodule moved on one side',
    theirs: write({ 'src/sub.txt': 't\n' }),
    ours: moved(1),
    lands: { sub: '160000 1', 'src/sub.txt': '100644 t\n' },
  },
  {
    what: 'a submodule moved to two commits',
    theirs: moved(1),
    ours: moved(2),
    conflicts: ['sub'],
  },
  {
    what: 'a generated file, made anew on both sides',
    theirs: write({ 'src/list/t': '', 'gen/list.txt': 'a\nb\nt\n' }),
    ours: write({ 'src/list/o': '', 'gen/list.txt': 'a\nb\no\n' }),
    conflicts: ['gen/list.txt'],
    updated: { 'gen/list.txt': '100644 a\nb\no\nt\n' },
  },
];

const config = `[project]
name = "sample"

[jobs]
test = "test -d src"

# A submodule that moved has to be there to be judged.
[worktree.setup]
steps = ["! test -e src/sub.txt || git -c protocol.file.allow=always submodule --quiet update --init"]

[generated.list]
paths = ["gen/"]
run = "ls src/list > gen/list.txt"
`;

/** What a commit has of a file, with its mode; a submodule as the number of its commit. */
async function entry(commit: string, name: string): Promise<string | null> {
  const [mode = '', , id = ''] = (await git(project.root, 'ls-tree', commit, '--', name)).split(/\s/);
  if (mode === '') return null;
  if (mode === '160000') return `160000 ${commits.indexOf(id)}`;
  return `${mode} ${await git(project.root, 'cat-file', 'blob', id)}\n`;
}

async function assertLanded(commit: string, { lands = {} }: Case): Promise<void> {
  for (const [name, text] of Object.entries(lands)) assert.equal(await entry(commit, name), text, name);
}

describe('A branch and the trunk that met', () => {
  before(async () => {
    const files = {
      'src/a.txt': lines(),
      'src/b.txt': 'b\n',
      'src/list/a': '',
      'src/list/b': '',
      'gen/list.txt': 'a\nb\n',
    };
    project = await makeProject({ config, files });
    sub = join(project.home, 'sub');
    await git(project.home, 'init', '--quiet', '--initial-branch', 'main', sub);
    for (const n of [0, 1]) commits.push(await project.commit({ 'in.txt': `${n}\n` }, sub));
    await git(sub, 'checkout', '--quiet', '-b', 'other', commits[0] ?? '');
    commits.push(await project.commit({ 'in.txt': '2\n' }, sub));
    await project.write({ '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${sub}\n` });
    await git(project.root, 'add', '.gitmodules');
    await moved(0)(project.root);
    await git(project.root, 'commit', '--quiet', '-m', 'a submodule');
    base = await git(project.root, 'rev-parse', 'HEAD');
    // A checkout that discern did not make stays when its work has landed, for the next case.
    path = join(project.home, 'worktree');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'work', path);
  });
  after(() => project?.remove());

  for (const [index, one] of cases.entries()) {
    it(`${one.what}: ${one.conflicts ? 'refused, and nothing moves' : 'lands, with both'}`, async () => {
      for (const [at, side] of [
        [project.root, one.theirs],
        [path, one.ours],
      ] as const) {
        await git(at, 'reset', '--quiet', '--hard', base);
        await git(at, 'clean', '-ffdxq');
        await side(at);
        await git(at, 'add', '--all', '--', ':!sub');
        await git(at, 'commit', '--quiet', '--allow-empty', '-m', 'A change');
        // The entry alone has moved: git shows no change of a submodule that is not checked out.
      }
      const trunk = await git(project.root, 'rev-parse', 'main');
      const head = await git(path, 'rev-parse', 'HEAD');
      if (one.conflicts) {
        for (const how of landingWays) {
          const answer = await verb('accept', path, { how });
          refusedWith(answer, 'merge_conflict', /conflicts with main in .*"A change".*call update/);
          assert.deepEqual(answer.data?.files?.toSorted(), one.conflicts, how);
        }
        assert.deepEqual(
          [await git(project.root, 'rev-parse', 'main'), await git(path, 'rev-parse', 'HEAD')],
          [trunk, head],
        );
        assert.equal(await git(path, 'status', '--porcelain'), '');
        if (one.updated) {
          succeeded(await verb('update', path));
          const landed = succeeded(await verb('accept', path)).landed_commit ?? '';
          await assertLanded(landed, { ...one, lands: one.updated });
        }
        return;
      }
      const repo = await openRepository(path);
      const { name } = requireTrunk(repo);
      const tree = await git(path, 'rev-parse', `${await combined(repo, requireTrunk(repo))}^{tree}`);
      const work = { base: trunk, head, tree, landed: [] };
      for (const how of landingWays) {
        if (one.not?.includes(how)) {
          await assert.rejects(commitLanding(repo, work, how, name), /cannot be rebased by itself.*squash/);
          continue;
        }
        const commit = await commitLanding(repo, work, how, name);
        assert.equal(await git(path, 'rev-parse', `${commit}^{tree}`), tree, how);
        await assertLanded(commit, one);
      }
      // One of the ways for good, another each time.
      const ways = landingWays.filter((how) => !one.not?.includes(how));
      const how = ways[index % ways.length] ?? 'ff';
      const landed = succeeded(await verb('accept', path, { how })).landed_commit ?? '';
      assert.equal(await git(project.root, 'rev-parse', 'main'), landed);
      await assertLanded(landed, one);
      assert.equal(await git(project.root, 'status', '--porcelain'), '');
    });
  }

  it('are told in the manual as it is here', async () => {
    const page = await readFile(join(DISCERN_HOME, 'docs/conflicts.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| what'));
    const told = cases.map(({ what, conflicts, not = [] }) => {
      const cells = landingWays.map((how) => (conflicts || not.includes(how) ? 'refused' : 'lands'));
      return `| ${what} | ${cells.join(' | ')} |`;
    });
    assert.deepEqual(
      rows.filter((row) => !/^\| -/.test(row)).map((row) => `${row.split('|').slice(0, 6).join('|')}|`),
      told,
    );
  });
});
