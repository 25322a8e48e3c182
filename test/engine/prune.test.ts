import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../src/engine/index.ts';
import {
  elsewhere,
  endElsewhere,
  everything,
  pausedAt,
  refusedWith,
  started,
  succeeded,
} from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, killedAt } from '../support/invariants.ts';
import { runs, until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';
import { follow } from '../support/remedy.ts';

const { make, removeAll } = projects();

const status = async (project: Project) => succeeded(await verb('status', project.root));
const prune = async (project: Project) => succeeded(await verb('prune', project.root, { dry_run: false }));
const gone = (path: string) => rm(path, { recursive: true });
const branches = (project: Project) =>
  git(project.root, 'branch', '--list', 'agent/*', '--format=%(refname:short)');
const removing = (project: Project) => readdir(`${project.root}.worktrees`).then(([name = '']) => name);

/** A kind of leftover: what makes it for real, the command status names, and what must hold when that was run. */
interface Case {
  title: string;
  make(project: Project): Promise<unknown>;
  remedy: RegExp;
  cleaned?(project: Project, made: unknown): Promise<void>;
}

const PRUNE = /^discern prune --no-dry-run$/;

/** A start that was ended, and its git with it, while git was writing the worktree's files; resolves with its path. */
async function cutOffInGit(project: Project): Promise<string> {
  const { home, root } = project;
  await project.commit({ '.gitattributes': '*.slow filter=slow\n', 'a.slow': '' });
  const [writing, on] = [join(home, 'writing'), join(home, 'on')];
  await writeFile(on, '');
  // Our gits lead a process group each: what one starts can end all of it at once.
  const smudge = `echo $PPID > '${writing}'; while test -e '${on}'; do sleep 0.05; done; kill -9 0`;
  await git(root, 'config', 'filter.slow.smudge', smudge);
  const { child, ended } = elsewhere('start', root, {});
  await until('git writes the file', () => existsSync(writing) && readFileSync(writing, 'utf8') !== '');
  child.kill('SIGKILL');
  await ended;
  await rm(on);
  const writer = Number(await readFile(writing, 'utf8'));
  await until('its git is gone', () => !runs(writer));
  // Else what the person's own git checks out later would wait as well.
  await git(root, 'config', '--unset', 'filter.slow.smudge');
  const [id = ''] = await readdir(`${root}.worktrees`);
  return join(`${root}.worktrees`, id);
}

const cases: Case[] = [
  {
    title: 'a worktree whose directory was deleted, with its branch, which was empty',
    make: async ({ root }) => gone((await started(root)).path),
    remedy: PRUNE,
    cleaned: async (project) => assert.equal(await branches(project), ''),
  },
  {
    title: 'a worktree that was deleted, and whose branch has work: that stays',
    make: async (project) => {
      const { path, branch } = await started(project.root);
      const commit = await project.commit({ b: '' }, path);
      await gone(path);
      return { branch, commit };
    },
    remedy: PRUNE,
    cleaned: async ({ root }, made) => {
      const { branch, commit } = made as { branch: string; commit: string };
      assert.equal(await git(root, 'rev-parse', branch), commit);
    },
  },
  {
    title: 'a worktree that was deleted and had something staged, which is kept',
    make: async (project) => {
      const { path } = await started(project.root);
      await project.write({ staged: 'precious\n' }, path);
      await git(path, 'add', 'staged');
      await gone(path);
    },
    remedy: PRUNE,
    cleaned: async ({ root }) => {
      const ref = await git(root, 'for-each-ref', '--format=%(refname)', 'refs/discern/recovered');
      assert.equal(await git(root, 'show', `${ref}:staged`), 'precious');
    },
  },
  {
    title: 'a deleted worktree whose detached commits no branch has, which are kept',
    make: async (project) => {
      const { path } = await started(project.root);
      await git(path, 'switch', '--quiet', '--detach');
      const commit = await project.commit({ b: '' }, path);
      await gone(path);
      return commit;
    },
    remedy: PRUNE,
    cleaned: async ({ root }, commit) => {
      assert.notEqual(await git(root, 'for-each-ref', '--contains', String(commit)), '');
    },
  },
  {
    title: 'a worktree that was moved by hand',
    make: async (project) => {
      const { path } = await started(project.root);
      await project.write({ loose: 'precious\n' }, path);
      await rename(path, `${path} moved`);
      return `${path} moved`;
    },
    remedy: /^git worktree repair '.* moved'$/,
    cleaned: async (_project, moved) => {
      assert.equal(await git(String(moved), 'status', '--porcelain'), '?? loose');
      assert.equal(succeeded(await verb('status', String(moved))).location, 'worktree');
    },
  },
  {
    title: 'a worktree whose .git file was lost',
    make: async (project) => {
      const { path } = await started(project.root);
      await project.write({ loose: 'precious\n' }, path);
      await rm(join(path, '.git'));
      return path;
    },
    remedy: /^git worktree repair$/,
    cleaned: async (_project, path) =>
      assert.equal(await git(String(path), 'status', '--porcelain'), '?? loose'),
  },
  {
    title: 'a worktree that git was made to forget, with edits inside: it is registered again',
    make: async (project) => {
      const { path, branch } = await started(project.root);
      const commit = await project.commit({ b: 'b\n' }, path);
      await project.write({ b: 'edited\n', loose: 'precious\n' }, path);
      await rename(path, `${path}.away`);
      await git(project.root, 'worktree', 'prune');
      await rename(`${path}.away`, path);
      return { path, branch, commit };
    },
    remedy: PRUNE,
    cleaned: async (_project, made) => {
      const { path, branch, commit } = made as { path: string; branch: string; commit: string };
      assert.equal(await git(path, 'status', '--porcelain'), ' M b\n?? loose');
      assert.equal(await git(path, 'branch', '--show-current'), branch);
      assert.equal(await git(path, 'rev-parse', 'HEAD'), commit);
    },
  },
  {
    title: 'a removal that was cut off, and whose worktree git was made to forget: it comes back',
    make: async (project) => {
      const { path, id } = await started(project.root);
      await project.write({ loose: 'precious\n' }, path);
      await killedAt('retire.renamed', 'drop', project.root, {
        worktree: id,
        delete_branch: true,
        force: true,
      });
      await git(project.root, 'worktree', 'prune');
      return path;
    },
    remedy: PRUNE,
    cleaned: async (_project, path) =>
      assert.equal(await git(String(path), 'status', '--porcelain'), '?? loose'),
  },
  {
    title: 'the branch of a start that was cut off',
    make: ({ root }) => killedAt('start.branched', 'start', root),
    remedy: PRUNE,
    cleaned: async (project) => assert.equal(await branches(project), ''),
  },
  {
    title: 'the branch of a start from elsewhere that was cut off',
    make: async (project) => {
      await git(project.root, 'switch', '--quiet', '-c', 'elsewhere');
      await project.commit({ b: '' });
      await git(project.root, 'switch', '--quiet', 'main');
      await killedAt('start.branched', 'start', project.root, { from: 'elsewhere' });
    },
    remedy: PRUNE,
    cleaned: async (project) => assert.equal(await branches(project), ''),
  },
  {
    title: 'the directory and the branch of a start that was cut off',
    make: ({ root }) => killedAt('start.claimed', 'start', root),
    remedy: PRUNE,
    cleaned: async ({ root }) => assert.deepEqual(await readdir(`${root}.worktrees`).catch(() => []), []),
  },
  {
    title: 'a worktree whose start was cut off',
    make: ({ root }) => killedAt('start.recorded', 'start', root),
    remedy: /^discern drop \S+ --delete-branch$/,
    cleaned: async (project) => assert.equal(await branches(project), ''),
  },
  {
    title: 'a worktree that git had not finished making',
    make: cutOffInGit,
    remedy: /^git worktree remove --force --force \S+ && discern prune --no-dry-run$/,
    cleaned: async (project) => assert.equal(await branches(project), ''),
  },
  {
    title: 'a worktree that git had not finished making, and into which someone put a file',
    make: async (project) => writeFile(join(await cutOffInGit(project), 'own.txt'), 'precious\n'),
    remedy: /^git worktree unlock \S+$/,
    cleaned: async ({ root }) => {
      const [id = ''] = await readdir(`${root}.worktrees`);
      assert.equal(await readFile(join(`${root}.worktrees`, id, 'own.txt'), 'utf8'), 'precious\n');
    },
  },
  {
    title: 'a branch that landed, and whose worktree went without it',
    make: async (project) => {
      const { path, id } = await started(project.root);
      await project.commit({ b: '' }, path);
      await git(project.root, 'merge', '--quiet', '--ff-only', `agent/${id}`);
      succeeded(await verb('drop', project.root, { worktree: id, delete_branch: false }));
    },
    remedy: PRUNE,
    cleaned: async (project) => assert.equal(await branches(project), ''),
  },
  {
    title: 'a landing whose record cannot be read',
    make: ({ root }) => writeFile(join(root, '.git/discern-vscode/landing.json'), '{"version":1,"id":'),
    remedy: PRUNE,
    cleaned: async ({ root }) => {
      const names = await readdir(join(root, '.git/discern-vscode'));
      assert.ok(
        names.some((name) => name.startsWith('landing.json.unreadable')) && !names.includes('landing.json'),
      );
    },
  },
  {
    title: 'an index that a git which died has locked, in the way of a landing that was cut off',
    make: async (project) => {
      const { path } = await started(project.root);
      await project.commit({ b: '' }, path);
      await killedAt('accept.moved', 'accept', path);
      await writeFile(join(project.root, '.git/index.lock'), '');
    },
    remedy: /^rm \S+\/\.git\/index\.lock$/,
  },
];

/**
 * What `status` finds where it may only look, `doctor` and the preview of `prune` say of what was left: the same of each piece, or
 * this fails. Locks, half-written files and old output are `prune`’s alone, since they are in nobody's way.
 */
async function assertAgreed({ root }: Project): Promise<void> {
  const ctx = { signal: new AbortController().signal, emit: () => undefined, client: 'unknown' as const };
  const { findings = [] } = succeeded(await run('status', root, {}, { ...ctx, lookOnly: true }));
  const told = findings.map(({ what }) => what).toSorted();
  const doctor = succeeded(await verb('doctor', root)).findings.filter(
    ({ check, level }) => check === 'state' && level !== 'ok',
  );
  assert.deepEqual(doctor.map(({ what }) => what).toSorted(), told, 'doctor says what status says');
  const { pruned, kept } = succeeded(await verb('prune', root));
  const files = new Set(['remove lock', 'remove file', 'remove output']);
  const cleaned = pruned.filter(({ action }) => !files.has(action));
  const left = told.filter((what) => !kept.some((one) => one.what === what));
  assert.equal(cleaned.length, left.length, JSON.stringify({ cleaned, left }));
  for (const { detail = '' } of cleaned) {
    const named = detail.split(/[ ,:]/)[0] ?? '';
    assert.ok(
      left.some((what) => what.includes(named)),
      `${detail} is of something status tells: ${left.join(' ')}`,
    );
  }
}

describe('Each thing status finds names the one command that cleans it up:', () => {
  afterEach(removeAll);

  for (const { title, make: leave, remedy, cleaned } of cases) {
    it(title, async () => {
      const project = await make();
      await mkdir(join(project.root, '.git/discern-vscode'));
      const made = await leave(project);
      await assertAgreed(project);
      const { findings = [] } = await status(project);
      assert.notEqual(findings.length, 0, 'it is found');
      const remedies = new Set(findings.map((one) => one.remedy));
      assert.equal(remedies.size, 1, JSON.stringify(findings));
      for (const one of remedies) {
        assert.match(one, remedy);
        await follow(project, one);
      }
      const after = await assertSound(project, []);
      assert.equal(after.findings, undefined);
      await cleaned?.(project, made);
    });
  }
});

describe('prune', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  it('without dry_run false only says what would go', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    await gone(path);
    const before = await everything(project);
    for (const args of [{}, { dry_run: true }]) {
      const answer = await verb('prune', project.root, args);
      assert.equal(answer.dry_run, true);
      assert.deepEqual(
        answer.plan?.steps.map(({ action, detail }) => `${action} ${detail}`),
        [
          `forget worktree ${path}, whose directory is gone`,
          `delete branch ${branch}: everything on it is on main`,
        ],
      );
      assert.match(answer.hints?.join() ?? '', /dry_run false/);
      assert.deepEqual(await everything(project), before);
    }
    const { pruned, kept } = await prune(project);
    assert.deepEqual(
      pruned.map(({ action }) => action),
      ['forget worktree', 'delete branch'],
    );
    assert.deepEqual(kept, []);
    assert.equal((await verb('prune', project.root, { dry_run: false })).message, 'Nothing to prune.');
  });

  it('never touches a worktree that is there: a fresh one at the trunk’s tip is someone’s new work', async () => {
    const project = await make();
    const fresh = await started(project.root, { name: 'fresh' });
    const landed = await started(project.root, { name: 'landed' });
    await project.commit({ b: '' }, landed.path);
    await git(project.root, 'merge', '--quiet', '--ff-only', `agent/${landed.id}`);
    const detached = await started(project.root, { name: 'detached' });
    await git(detached.path, 'switch', '--quiet', '--detach');
    const bisecting = await started(project.root, { name: 'bisecting' });
    await rm(join(project.root, '.git/worktrees', bisecting.id, 'discern-vscode.json'));
    await git(bisecting.path, 'bisect', 'start', 'HEAD', 'HEAD~1');
    const before = await everything(project);
    assert.equal((await status(project)).findings, undefined);
    const { pruned, kept } = await prune(project);
    assert.deepEqual([pruned, kept], [[], []]);
    assert.deepEqual(await everything(project), before);
    assert.ok(fresh.path);
  });

  it('leaves a locked worktree alone though its directory is away', async () => {
    const project = await make();
    const { path } = await started(project.root);
    await git(project.root, 'worktree', 'lock', '--reason', 'on a stick', path);
    await rename(path, join(project.home, 'away'));
    assert.equal((await status(project)).findings, undefined);
    assert.deepEqual((await prune(project)).pruned, []);
    await rename(join(project.home, 'away'), path);
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('keeps branches it did not make, and those with work', async () => {
    const project = await make();
    await git(project.root, 'branch', 'agent/by-hand');
    await git(project.root, 'branch', 'feature-abcdef');
    const { path, id, branch } = await started(project.root);
    await project.commit({ b: '' }, path);
    succeeded(await verb('drop', project.root, { worktree: id, delete_branch: false, force: true }));
    // Two that began at one commit nothing else has: each has only the other.
    await git(project.root, 'branch', 'agent/twin-000001', branch ?? '');
    await git(project.root, 'branch', 'agent/twin-000002', branch ?? '');
    const { pruned, recovery_refs } = await prune(project);
    assert.deepEqual(pruned, []);
    assert.equal(recovery_refs.length, 1, 'recovery refs are told, and stay');
    assert.deepEqual((await branches(project)).split('\n'), [
      'agent/by-hand',
      'agent/twin-000001',
      'agent/twin-000002',
      branch,
    ]);
  });

  it('lists recovery refs and never removes one', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    await project.write({ loose: '' }, path);
    const { recovery_ref: ref } = succeeded(
      await verb('drop', project.root, { worktree: id, delete_branch: true, force: true }),
    );
    const { recovery_refs } = await prune(project);
    assert.deepEqual(
      recovery_refs.map((one) => one.ref),
      [ref],
    );
    assert.notEqual(await git(project.root, 'for-each-ref', ref ?? '?'), '');
  });

  it('does not take a start that is under way for leftovers', async () => {
    const project = await make();
    for (const point of ['start.branched', 'start.claimed']) {
      const { resume } = await pausedAt(project, point, 'start', project.root, {});
      assert.equal((await status(project)).findings, undefined);
      assert.deepEqual((await prune(project)).pruned, []);
      assert.equal((await resume())?.ok, true);
    }
  });

  it('does not take a removal that is under way for leftovers, and waits for a landing', async () => {
    const project = await make();
    for (const point of ['retire.renamed', 'retire.judged', 'drop.removed']) {
      const { id } = await started(project.root);
      const args = { worktree: id, delete_branch: true };
      const { resume } = await pausedAt(project, point, 'drop', project.root, args);
      assert.equal((await status(project)).findings, undefined, point);
      assert.deepEqual((await prune(project)).pruned, [], point);
      assert.equal((await resume())?.ok, true);
    }
    const { path } = await started(project.root);
    await project.commit({ b: '' }, path);
    const { resume } = await pausedAt(project, 'accept.moved', 'accept', path, {});
    refusedWith(await verb('prune', project.root, { dry_run: false }), 'busy', /landing is under way/);
    assert.deepEqual((await verb('prune', project.root)).plan?.steps, []);
    assert.equal((await resume())?.ok, true);
    assert.deepEqual((await prune(project)).pruned, []);
  });

  it('finishes a landing and a removal that were cut off, and says so', async () => {
    const project = await make();
    const { path } = await started(project.root);
    const commit = await project.commit({ b: '' }, path);
    await killedAt('accept.moved', 'accept', path);
    const before = await everything(project);
    const preview = await verb('prune', project.root);
    assert.equal(preview.plan?.steps[0]?.action, 'finish landing');
    assert.deepEqual(await everything(project), before);
    const { hints } = await verb('prune', project.root, { dry_run: false });
    assert.match(hints?.[0] ?? '', /An interrupted landing of agent\/work-\w+ on main was finished/);
    assert.equal(await git(project.root, 'rev-parse', 'HEAD'), commit);

    const { id } = await started(project.root);
    await killedAt('retire.judged', 'drop', project.root, { worktree: id, delete_branch: true });
    assert.deepEqual(
      (await verb('prune', project.root)).plan?.steps.map(({ action }) => action),
      ['finish removal', 'delete branch', 'remove lock'],
    );
    await prune(project);
    assert.deepEqual(await readdir(project.home), ['app']);
    assert.equal(await branches(project), '', 'its branch had nothing');
  });

  it('removes locks of processes that are gone, and files they never finished', async () => {
    const project = await make();
    await killedAt('start.directories', 'start', project.root);
    const state = join(project.root, '.git/discern-vscode');
    const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
    for (const name of ['landing.json.1-ab.tmp', 'recover-01234567.index']) {
      await writeFile(join(state, name), '');
      await utimes(join(state, name), old, old);
    }
    await writeFile(join(state, 'landing.json.2-cd.tmp'), 'being written');
    const { pruned } = await prune(project);
    assert.deepEqual(
      pruned.map(({ action }) => action),
      ['remove lock', 'remove file', 'remove file'],
    );
    assert.deepEqual(await readdir(join(state, 'locks')), []);
    assert.deepEqual((await readdir(state)).sort(), ['landing.json.2-cd.tmp', 'locks']);
  });

  it('speaks of nothing in a folder that others use too', async () => {
    const toml = '[project]\nname = "x"\n[worktree]\nroot = ".."\n';
    const project = await make({ config: toml });
    await mkdir(join(project.home, 'thing-abcdef'));
    await mkdir(join(project.home, 'empty'));
    await symlink('nowhere', join(project.home, 'link-abcdef'));
    await git(project.home, 'init', '--quiet', 'other');
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', join(project.home, 'by-hand'));
    const before = await everything(project);
    const preview = await verb('prune', project.root);
    assert.deepEqual(preview.plan?.steps, []);
    assert.deepEqual(await everything(project), before);
  });

  it('can be called in a worktree, and goes on when one thing cannot be cleaned up', async () => {
    const project = await make();
    const { path } = await started(project.root, { name: 'here' });
    const conflicted = await started(project.root, { name: 'conflicted' });
    await project.commit({ 'src/a.txt': 'theirs\n' }, conflicted.path);
    await project.commit({ 'src/a.txt': 'ours\n' });
    await git(conflicted.path, 'merge', '--quiet', 'main').catch(() => '');
    await gone(conflicted.path);
    await gone((await started(project.root, { name: 'gone' })).path);
    const { pruned, kept } = succeeded(await verb('prune', path, { dry_run: false }));
    assert.deepEqual(
      pruned.map(({ action }) => action),
      ['forget worktree', 'delete branch'],
    );
    assert.match(kept[0]?.what ?? '', /conflicted.* An unfinished merge is staged/);
    const [, list = '', go = ''] =
      /"(GIT_INDEX_FILE=[^"]+)" lists .*"(git worktree remove [^"]+)" discards it/.exec(
        kept[0]?.what ?? '',
      ) ?? [];
    const run = (command: string) => execFileSync('sh', ['-c', command], { cwd: path, encoding: 'utf8' });
    const ours = await git(project.root, 'rev-parse', 'main:src/a.txt');
    assert.ok(run(list).includes(ours), 'what is staged can be seen');
    assert.equal(await git(project.root, 'cat-file', '-p', ours), 'ours');
    assert.notEqual(await readFile(join(project.root, '.git/worktrees', conflicted.id, 'index')), '');
    run(go);
    succeeded(await verb('prune', path, { dry_run: false }));
    assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
    assert.equal(await removing(project), 'here'.concat((await removing(project)).slice(4)));
  });
});
