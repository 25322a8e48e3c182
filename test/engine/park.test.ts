import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
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
import { killedAt } from '../support/invariants.ts';
import { config } from '../support/jobs.ts';
import { until } from '../support/processes.ts';
import { git, gitSubmodule, makeProject, type Project, projects } from '../support/project.ts';
import { follow } from '../support/remedy.ts';

const { make, removeAll } = projects();

/** Everything below a directory, git's own included: bytes, modes, times, inodes, links and empty directories. */
async function wholly(top: string, dir = top): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(dir)).sort()) {
    const path = join(dir, name);
    const { mode, mtimeMs, ino, nlink } = await lstat(path);
    const kind = await lstat(path);
    const said = `${relative(top, path)} ${mode.toString(8)} ${ino} ${nlink}`;
    if (kind.isDirectory()) found.push(`${said} ${mtimeMs}/`, ...(await wholly(top, path)));
    else if (kind.isSymbolicLink()) found.push(`${said} -> ${await readlink(path)}`);
    else {
      const digest = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      found.push(`${said} ${mtimeMs} ${digest}`);
    }
  }
  return found;
}

const adminOf = (path: string) => git(path, 'rev-parse', '--absolute-git-dir');
const park = (project: Project, worktree: string) => verb('park', project.root, { worktree });
const unpark = (project: Project, worktree: string) => verb('unpark', project.root, { worktree });
const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** A worktree that holds all that a worktree can hold, in the middle of a rebase that stashed edits. */
async function full(
  made: Project[],
): Promise<{ project: Project; path: string; id: string; branch: string }> {
  const library = await makeProject({ name: 'library', config: null });
  made.push(library);
  const project = await make({ files: { '.gitignore': 'out/\n', 'both.txt': 'base\n', 'run.sh': 'run\n' } });
  await gitSubmodule(project.root, 'add', library.root, 'sub');
  await project.commit({});
  const { path, id, branch } = await started(project.root);
  await gitSubmodule(path, 'update', '--init');
  await git(path, 'switch', '--quiet', '--detach');
  await project.commit({ 'left.txt': 'on no branch\n' }, path);
  await git(path, 'switch', '--quiet', branch ?? '');
  await git(path, 'update-ref', 'refs/worktree/own', 'HEAD');
  await project.write({ 'src/a.txt': 'stashed by hand\n' }, path);
  await git(path, 'stash', '--quiet');
  await project.commit({ 'both.txt': 'ours\n' }, path);
  await project.commit({ 'both.txt': 'theirs\n', 'other.txt': 'x\n' });
  await project.write({ 'run.sh': 'stashed by the rebase\n' }, path);
  await git(path, '-c', 'rebase.autoStash=true', 'rebase', 'main').catch(() => '');
  assert.match(await git(path, 'status'), /rebase in progress/);
  await project.commit({ 'inside.txt': 'no remote has it\n' }, join(path, 'sub'));
  await project.write(
    { 'out/deep/ignored.bin': '\0\x01ignored', 'loose.txt': 'loose\n', 'meant.txt': 'm\n' },
    path,
  );
  await project.write({ 'sub/edited.txt': 'edited in the submodule\n', 'staged.txt': 'staged\n' }, path);
  await git(path, 'add', 'staged.txt');
  await project.write({ 'staged.txt': 'edited since\n' }, path);
  await git(path, 'add', '--intent-to-add', 'meant.txt');
  await git(path, 'update-index', '--skip-worktree', 'src/a.txt');
  await project.write({ 'src/a.txt': 'git does not look\n' }, path);
  await chmod(join(path, 'loose.txt'), 0o751);
  await utimes(join(path, 'loose.txt'), 1_000_000, 2_000_000);
  await mkdir(join(path, 'empty/deeper'), { recursive: true });
  await symlink('nowhere', join(path, 'dangling'));
  await link(join(path, 'loose.txt'), join(path, 'same.txt'));
  await git(path, 'init', '--quiet', join(path, 'out/own'));
  await project.commit({ 'own.txt': 'a repository of its own\n' }, join(path, 'out/own'));
  return { project, path, id, branch: branch ?? '' };
}

function isOtherDisk(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return statSync(dir).dev !== statSync(tmpdir()).dev;
  } catch {
    return false;
  }
}

describe('A parked worktree', function () {
  // What a worktree can hold takes many gits to make.
  this.timeout(180_000);
  const made: Project[] = [];
  afterEach(async () => {
    endElsewhere();
    await removeAll();
    await Promise.all(made.splice(0).map((one) => one.remove()));
  });

  it('comes back with every byte, its index, and the rebase it was in the middle of', async () => {
    const { project, path, id, branch } = await full(made);
    const admin = await adminOf(path);
    const state = async () => ({
      files: await wholly(path),
      git: await wholly(admin),
      // Looking is not to write the index anew.
      status: await git(path, '--no-optional-locks', 'status', '--porcelain=v2', '--ignored', '--branch'),
      inside: await git(join(path, 'sub'), '--no-optional-locks', 'status', '--porcelain=v2', '--branch'),
      reflog: await git(path, 'reflog'),
      own: await git(path, 'for-each-ref', 'refs/worktree'),
      stashes: await git(path, 'stash', 'list'),
      flags: await git(path, 'ls-files', '-t', '-v', '--debug'),
    });
    await state();
    const before = await state();
    const parked = succeeded(await park(project, id));
    assert.deepEqual([parked.worktree, parked.id, parked.parked], [path, id, true]);
    assert.equal(await isThere(path), false);
    const { parked: still } = succeeded(await unpark(project, id));
    assert.equal(still, false);
    assert.deepEqual(await state(), before);
    await git(path, 'rebase', '--abort');
    assert.equal(await git(path, 'branch', '--show-current'), branch);
    assert.equal(await readFile(join(path, 'run.sh'), 'utf8'), 'stashed by the rebase\n');
  });

  for (const by of ['id', 'branch', 'path', 'root'] as const) {
    it(`goes by its ${by}, parked or not, and says so when it is done twice`, async () => {
      const project = await make();
      const start = await started(project.root);
      const name = { id: start.id, branch: start.branch ?? '', path: start.worktree, root: start.path }[by];
      await project.write({ 'loose.txt': 'precious\n' }, start.path);
      for (let times = 0; times < 2; times++) {
        assert.equal(succeeded(await park(project, name)).parked, true);
        assert.equal(succeeded(await park(project, name)).parked, true, 'it is parked already');
        assert.equal(await isThere(start.path), false);
        assert.equal(succeeded(await unpark(project, name)).parked, false);
        refusedWith(await unpark(project, name), 'invalid_argument', /is not parked/);
      }
      assert.equal(await git(start.path, 'status', '--porcelain'), '?? loose.txt');
    });
  }

  it('goes and comes back for a user who forbids git to run in bare repositories', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    await project.write({ gitconfig: '[safe]\n\tbareRepository = explicit\n' }, project.home);
    const before = process.env.GIT_CONFIG_GLOBAL;
    process.env.GIT_CONFIG_GLOBAL = join(project.home, 'gitconfig');
    try {
      assert.equal(succeeded(await park(project, id)).parked, true);
      assert.equal(succeeded(await unpark(project, id)).parked, false);
    } finally {
      process.env.GIT_CONFIG_GLOBAL = before;
    }
    assert.equal(await isThere(path), true);
  });

  it('is told by status, prune and doctor, and none of them, nor git, takes anything of it', async () => {
    const { project, path, id, branch } = await full(made);
    const before = await wholly(path);
    succeeded(await park(project, id));
    const { worktrees, findings } = succeeded(await verb('status', project.root));
    const shown = worktrees.find((one) => one.path === path);
    assert.ok(Math.abs(Date.parse(shown?.parked ?? '') - Date.now()) < 60_000);
    assert.deepEqual([shown?.id, findings], [id, undefined]);
    await git(project.root, 'worktree', 'prune', '--expire=now');
    await git(project.root, '-c', 'gc.pruneExpire=now', 'gc', '--quiet', '--prune=now');
    await assert.rejects(git(project.root, 'branch', '--delete', '--force', branch));
    const { pruned, kept } = succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.deepEqual(pruned, []);
    assert.match(kept[0]?.what ?? '', /is parked since/);
    const doctor = succeeded(await verb('doctor', project.root));
    const told = doctor.findings.filter(({ what }) => what.includes(path));
    assert.deepEqual(
      told.map(({ level }) => level),
      ['ok'],
    );
    assert.match(told[0]?.what ?? '', /is parked since/);
    for (const name of [id, path])
      refusedWith(
        await verb('drop', project.root, { worktree: name, delete_branch: true, force: true }),
        'locked_worktree',
        /is parked.*"discern unpark /,
      );
    refusedWith(await verb('peek', project.root, { worktree: id }), 'locked_worktree', /is parked/);
    const launching = { client: 'claude', worktree: id, dry_run: true } as const;
    refusedWith(await verb('launch', project.root, launching), 'locked_worktree', /is parked/);
    await follow(project, kept[0]?.remedy ?? '');
    assert.deepEqual(await wholly(path), before);
    assert.equal(succeeded(await verb('status', project.root)).worktrees.length, 2);
  });

  it('has its notes, and its work lands when it is back', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    const commit = await project.commit({ 'b.txt': 'b\n' }, path);
    succeeded(await park(project, id));
    succeeded(await verb('describe', project.root, { worktree: id, title: 'Later' }));
    succeeded(await unpark(project, id));
    assert.equal(succeeded(await verb('describe', project.root, { worktree: id })).title, 'Later');
    succeeded(await verb('accept', path));
    assert.equal(await git(project.root, 'rev-parse', 'main'), commit);
  });

  it('comes back also where git was made to forget it, and is registered again by prune', async () => {
    const project = await make();
    const { path, id, branch } = await started(project.root);
    await project.commit({ 'b.txt': 'b\n' }, path);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    const { kept_in: place = '' } = succeeded(await park(project, id));
    await git(project.root, 'worktree', 'unlock', path);
    await git(project.root, 'worktree', 'prune', '--expire=now');
    const { findings = [] } = succeeded(await verb('status', project.root));
    assert.equal(findings.length, 1);
    assert.ok(findings[0]?.what.includes(place), findings[0]?.what);
    await follow(project, findings[0]?.remedy ?? '');
    succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt');
    assert.equal(await git(path, 'branch', '--show-current'), branch);
  });

  // A machine may have one disk only: then nothing is ever put beside.
  const other = ['/dev/shm', '/run', homedir()].find((dir) => isOtherDisk(dir));
  if (other !== undefined) {
    it('waits beside where it was when that is another disk', async () => {
      const folder = await realpath(await mkdtemp(join(other, 'discern-test-')));
      try {
        const project = await make({ config: `[jobs]\ntest = "true"\n[worktree]\nroot = "${folder}"\n` });
        const { path, id } = await started(project.root);
        await project.write({ 'loose.txt': 'precious\n' }, path);
        const before = await wholly(path);
        const { kept_in: place = '' } = succeeded(await park(project, id));
        assert.equal(dirname(place), folder);
        assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
        assert.deepEqual(succeeded(await verb('prune', project.root, { dry_run: false })).pruned, []);
        succeeded(await unpark(project, id));
        assert.deepEqual(await wholly(path), before);
        await killedAt('park.beside', 'park', project.root, { worktree: id });
        succeeded(await verb('status', project.root));
        assert.deepEqual(await wholly(path), before);
        succeeded(await park(project, id));
        succeeded(await unpark(project, id));
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }

  it('whose repository is moved comes back where it was', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    succeeded(await park(project, id));
    const root = join(project.home, 'moved');
    await rename(project.root, root);
    await rm(dirname(path), { recursive: true, force: true });
    succeeded(await verb('unpark', root, { worktree: id }));
    assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt');
  });
});

describe('park refuses, and moves nothing:', function () {
  this.timeout(180_000);
  afterEach(async () => {
    endElsewhere();
    await removeAll();
  });

  it('the main checkout, the landing checkout, and a name nobody has', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '-c', 'elsewhere');
    const landing = join(project.home, 'landing');
    await git(project.root, 'worktree', 'add', '--quiet', landing, 'main');
    const before = await everything(project);
    for (const name of [project.root, landing, 'main', 'elsewhere'])
      refusedWith(await park(project, name), 'not_in_worktree', /never parked/);
    for (const name of ['nobody', join(project.home, 'nowhere')])
      refusedWith(await park(project, name), 'path_not_found');
    refusedWith(await park(project, ' '), 'invalid_argument');
    assert.deepEqual(await everything(project), before);
  });

  it('a locked worktree, one whose index git holds, and one in which a checkout lies', async () => {
    const project = await make({ files: { '.gitignore': 'out/\n' } });
    const { path, id } = await started(project.root);
    await git(project.root, 'worktree', 'lock', '--reason', 'on a stick', path);
    let before = await everything(project);
    refusedWith(await park(project, id), 'locked_worktree', /on a stick/);
    assert.deepEqual(await everything(project), before);
    await git(project.root, 'worktree', 'unlock', path);
    const lock = join(await adminOf(path), 'index.lock');
    await writeFile(lock, '');
    refusedWith(await park(project, id), 'busy', /index\.lock is held/);
    await rm(lock);
    const inner = join(path, 'out/inner');
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', inner);
    before = await everything(project);
    refusedWith(await park(project, id), 'busy', /a checkout too, lies inside.*Nothing was moved/);
    assert.deepEqual(await everything(project), before);
    await git(project.root, 'worktree', 'move', inner, join(project.home, 'inner'));
    const own = join(path, 'out/own');
    await git(path, 'init', '--quiet', own);
    await project.commit({ 'x.txt': '' }, own);
    await git(own, 'worktree', 'add', '--quiet', join(project.home, 'of-own'));
    refusedWith(await park(project, id), 'busy', /has other checkouts/);
    await git(own, 'worktree', 'remove', join(project.home, 'of-own'));
    succeeded(await park(project, id));
    succeeded(await unpark(project, id));
  });

  it('a worktree in which a gate runs', async () => {
    const project = await make();
    const [log, go] = [join(project.home, 'log'), join(project.home, 'go')];
    const job = `echo begin >> ${log}; until test -e ${go}; do sleep 0.05; done`;
    await project.commit({ 'discern.toml': config({ test: JSON.stringify(job) }) });
    const { path, id } = await started(project.root);
    const gate = elsewhere('done', path, {});
    await until('the gate runs', () => isThere(log));
    refusedWith(await park(project, id), 'busy');
    assert.equal(await isThere(path), true);
    await writeFile(go, '');
    assert.equal((await gate.ended)?.ok, true);
    succeeded(await park(project, id));
  });

  it('to bring one back over what is there now, and what lies behind a planted record', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    const { kept_in: place = '' } = succeeded(await park(project, id));
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'new.txt'), 'new\n');
    const before = await everything(project);
    refusedWith(await unpark(project, id), 'path_exists', /Something is at/);
    assert.deepEqual(await everything(project), before);
    await rm(join(path, 'new.txt'));
    const other = await started(project.root);
    const record = join(dirname(place), `${id}.json`);
    const text = await readFile(record, 'utf8');
    const planted = record.replace(id, other.id);
    await writeFile(planted, text.replaceAll(id, other.id));
    const { findings = [] } = succeeded(await verb('status', project.root));
    assert.equal(findings.length, 1);
    assert.match(findings[0]?.what ?? '', /the record of a parked worktree, was not written by this user/);
    refusedWith(await unpark(project, other.id), 'untrusted');
    refusedWith(await park(project, other.id), 'untrusted');
    assert.equal(await isThere(other.path), true);
    await follow(project, findings[0]?.remedy ?? '');
    succeeded(await unpark(project, id));
    assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt');
  });

  it('what cannot be written down, as on a full disk, and brings back all the same', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    const before = await everything(project);
    // A limit on how long a file may get, which every system has.
    const noRoom = ['sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh'];
    const answer = await elsewhere('park', project.root, { worktree: id }, undefined, noRoom).ended;
    assert.ok(answer);
    refusedWith(answer, 'unavailable', /is full: free some space/);
    const state = join(project.root, '.git/discern-vscode');
    assert.deepEqual(await readdir(join(state, 'parked')).catch(() => []), []);
    assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt');
    assert.deepEqual((await everything(project)).worktrees, before.worktrees);
    succeeded(await park(project, id));
    succeeded(await unpark(project, id));
  });

  it('none that another parks while it is looked for: that is told as done', async () => {
    const project = await make();
    const { id } = await started(project.root);
    const { resume } = await pausedAt(project, 'named.listed', 'park', project.root, { worktree: id });
    succeeded(await park(project, id));
    assert.equal((await resume())?.error, undefined);
    succeeded(await unpark(project, id));
  });

  it('while another is at it, and of two at once one does it', async () => {
    const project = await make();
    const { path, id } = await started(project.root);
    await project.write({ 'loose.txt': 'precious\n' }, path);
    for (const point of ['park.locked', 'park.moved']) {
      const { resume } = await pausedAt(project, point, 'park', project.root, { worktree: id });
      for (const name of ['park', 'unpark'] as const)
        if (point === 'park.moved' || name === 'park')
          refusedWith(await verb(name, project.root, { worktree: id }), 'busy');
      assert.deepEqual(succeeded(await verb('status', project.root)).findings, undefined, point);
      assert.deepEqual(succeeded(await verb('prune', project.root, { dry_run: false })).pruned, [], point);
      assert.equal((await resume())?.ok, true);
      succeeded(await unpark(project, id));
    }
    const both = await Promise.all([1, 2].map(() => elsewhere('park', project.root, { worktree: id }).ended));
    assert.ok(both.some((one) => one?.ok));
    for (const one of both) if (!one?.ok) assert.equal(one?.error, 'busy', one?.message);
    succeeded(await unpark(project, id));
    assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt');
  });
});
