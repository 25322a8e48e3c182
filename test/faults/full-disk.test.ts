import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Envelope } from '../../src/contract/envelope.ts';
import type { Args, Data, Verb } from '../../src/contract/verbs.ts';
import {
  elsewhere,
  endElsewhere,
  listing,
  nothingLanded,
  refusedWith,
  started,
  succeeded,
} from '../support/checkouts.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A landing checkout on a disk that has no room for what lands; `through` starts a command where it is seen. */
interface Disk {
  /** Where the landing checkout lies. */
  landing: string;
  full: readonly string[];
  /** The same, once there is room. */
  roomy: readonly string[];
  grow(): void;
}

const holders: ChildProcess[] = [];

/** A file system of a mebibyte and a half, in a space where nobody else sees it, and which ends with its holder. */
async function tmpfs({ home, root }: Project): Promise<Disk> {
  const point = join(home, 'disk');
  await mkdir(point);
  const script = 'mount -t tmpfs -o size=1536k none "$1" && echo mounted && read _';
  const holder = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', point]);
  holders.push(holder);
  await once(holder.stdout, 'data');
  const inside = ['nsenter', `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials'];
  const landing = join(point, 'main');
  const run = (...command: string[]) => execFileSync(inside[0] ?? '', [...inside.slice(1), ...command]);
  await git(root, 'switch', '--quiet', '--detach');
  run('git', '-C', root, 'worktree', 'add', '--quiet', landing, 'main');
  return {
    landing,
    full: inside,
    roomy: inside,
    grow: () => run('mount', '-o', 'remount,size=32m', point),
  };
}

/** A limit on how long a file may get, which every system has: a write stops half way, as on a full disk. */
async function limit({ home, root }: Project): Promise<Disk> {
  const bin = join(home, 'bin');
  await mkdir(bin);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  // The signal of the limit would end git; so it gets an error instead.
  await writeFile(join(bin, 'git'), `#!/bin/sh\ntrap '' XFSZ\nulimit -f 1024\nexec '${real}' "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);
  const full = ['env', `PATH=${bin}:${process.env.PATH}`];
  return { landing: root, full, roomy: [], grow: () => undefined };
}

const mayMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--map-root-user', '--mount', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

const means = { 'a limit on its files': limit, ...(mayMount && { 'a small disk': tmpfs }) };

describe('A landing checkout that has no room for what lands', () => {
  afterEach(async () => {
    endElsewhere();
    for (const holder of holders.splice(0)) {
      holder.kill();
      await once(holder, 'close');
    }
    await removeAll();
  });

  for (const [name, on] of Object.entries(means)) {
    async function scene() {
      const project = await make({
        files: { 'a.txt': 'old a\n', 'grows.bin': 'small\n', 'z.txt': 'old z\n', 'gone.txt': 'gone\n' },
      });
      const { path } = await started(project.root);
      await git(path, 'rm', '--quiet', 'gone.txt');
      const big = () => randomBytes(1_100_000).toString('base64');
      const files = { 'a.txt': 'new a\n', 'grows.bin': big(), 'new/big.bin': big(), 'z.txt': 'new z\n' };
      const commit = await project.commit(files, path);
      const disk = await on(project);
      const call = async <V extends Verb>(
        verb: V,
        root: string,
        args: Args<V>,
        through = disk.full,
        at?: string,
      ) => {
        const { ended, child } = elsewhere(verb, root, args, at, through);
        const answer = await ended;
        if (at !== undefined) assert.equal(child.signalCode ?? 'SIGKILL', 'SIGKILL');
        return answer as Envelope<Data<V>>;
      };
      const inside = (...args: string[]) =>
        execFileSync(disk.full[0] ?? '', [...disk.full.slice(1), 'git', '-C', disk.landing, ...args], {
          encoding: 'utf8',
        }).trim();
      const before = inside('rev-parse', 'main');
      succeeded(await call('done', path, {}, disk.roomy));
      return { project, path, commit, disk, call, inside, before };
    }

    it(`by ${name}: nothing lands, nothing half written stays, and it lands when there is room`, async () => {
      const { path, commit, disk, call, inside, before } = await scene();
      const answer = await call('accept', path, {});
      refusedWith(answer, 'unavailable', /could not write its files.*Nothing was landed/);
      assert.deepEqual(answer.data?.landing, nothingLanded);
      assert.equal(inside('rev-parse', 'main'), before);
      assert.equal(inside('status', '--porcelain', '--untracked-files=all'), '');
      disk.grow();
      succeeded(await call('accept', path, {}, disk.roomy));
      assert.equal(inside('rev-parse', 'main'), commit);
      assert.equal(inside('status', '--porcelain', '--untracked-files=all'), '');
    });

    it(`by ${name}: a recovery says what is wrong, and goes on when there is room`, async () => {
      const { path, commit, disk, call, inside } = await scene();
      await call('accept', path, {}, disk.full, 'accept.moved');
      assert.equal(inside('rev-parse', 'main'), commit, 'the trunk has moved');
      const full = succeeded(await call('status', disk.landing, {}));
      assert.equal(full.recovery, undefined, 'nothing is called finished');
      assert.match(JSON.stringify(full.findings), /half way between two commits.*cannot write its files/);
      refusedWith(await call('accept', path, {}), 'unavailable', /cannot write its files/);
      disk.grow();
      const { recovery } = succeeded(await call('status', disk.landing, {}, disk.roomy));
      assert.equal(recovery?.performed, true);
      assert.doesNotMatch(recovery?.detail ?? '', /edited/);
      assert.equal(inside('status', '--porcelain', '--untracked-files=all'), '');
    });
  }
});

describe('An update that has no room for what it brings', () => {
  afterEach(async () => {
    endElsewhere();
    await removeAll();
  });

  it('leaves nothing half written and says so, whether it merges or only moves forward', async () => {
    const project = await make({ files: { 'grows.bin': 'small\n', 'gone.txt': 'gone\n' } });
    const { full } = await limit(project);
    const [behind, apart] = [await started(project.root), await started(project.root)];
    await project.commit({ 'own.txt': 'own\n' }, apart.path);
    await git(project.root, 'rm', '--quiet', 'gone.txt');
    const big = () => randomBytes(1_100_000).toString('base64');
    const files = { 'a.txt': 'new\n', 'grows.bin': big(), 'new/big.bin': big(), 'z.txt': 'new\n' };
    await project.commit(files);
    for (const { path } of [behind, apart]) {
      await project.write({ 'loose.txt': 'precious\n' }, path);
      const [files, head] = [await listing(path), await git(path, 'rev-parse', 'HEAD')];
      const answer = await elsewhere('update', path, {}, undefined, full).ended;
      assert.ok(answer);
      refusedWith(answer, 'unavailable', /could not be written.*Nothing was changed/);
      assert.deepEqual(await listing(path), files);
      assert.equal(await git(path, 'status', '--porcelain'), '?? loose.txt');
      assert.equal(await git(path, 'rev-parse', 'HEAD'), head);
      succeeded((await elsewhere('update', path, {}).ended) as Envelope<Data<'update'>>);
    }
  });
});
