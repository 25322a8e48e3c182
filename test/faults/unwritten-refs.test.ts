import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Args, Verb } from '../../src/contract/verbs.ts';
import { elsewhere, endElsewhere, nothingLanded, refusedWith, succeeded } from '../support/checkouts.ts';
import { type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A repository whose disk is full just when git writes a ref. */
interface Scene {
  root: string;
  /** Starts a command where the repository is seen, with the git that finds the disk full. */
  full: readonly string[];
  /** The same, with any git, once there is room. */
  roomy: readonly string[];
  empty(): void;
}

const holders: ChildProcess[] = [];

/** A git that does `first` before it writes a ref, and all else like any. */
async function gitThatFirst({ home }: Project, first: string): Promise<readonly string[]> {
  const bin = join(home, 'bin');
  await mkdir(bin);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\ncase " $* " in *" update-ref "*) ${first};; esac\nexec '${real}' "$@"\n`;
  await writeFile(join(bin, 'git'), script);
  await chmod(join(bin, 'git'), 0o755);
  return ['env', `PATH=${bin}:${process.env.PATH}`];
}

/** A limit on how long a file may get, which every system has: not a byte of a ref can be written. */
async function limit(project: Project): Promise<Scene> {
  // The signal of the limit would end git; so it gets an error instead.
  const full = await gitThatFirst(project, "trap '' XFSZ; ulimit -f 0");
  return { root: project.root, full, roomy: [], empty: () => undefined };
}

/** A small file system in a space where nobody else sees it, which ends with its holder; it is filled to the last byte. */
async function disk(project: Project): Promise<Scene> {
  const point = join(project.home, 'disk');
  await mkdir(point);
  const script = 'mount -t tmpfs -o size=4m none "$1" && echo mounted && read _';
  const holder = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', point]);
  holders.push(holder);
  await once(holder.stdout, 'data');
  const inside = ['nsenter', `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials'];
  const root = join(point, 'app');
  const run = (...command: string[]) => execFileSync(inside[0] ?? '', [...inside.slice(1), ...command]);
  run('git', 'clone', '--quiet', '--no-local', project.root, root);
  const filler = join(point, 'filler');
  const fill = `cat /dev/zero >> '${filler}' 2>/dev/null`;
  const full = [...inside, ...(await gitThatFirst(project, fill))];
  return { root, full, roomy: inside, empty: () => run('rm', '-f', filler) };
}

const mayMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--map-root-user', '--mount', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

// Where nobody may mount, the limit on files stands for the disk: git meets the same failure of the same write.
const means = { 'a limit on its files': limit, ...(mayMount && { 'a small disk': disk }) };

describe('A disk that is full just when git writes a ref', () => {
  afterEach(async () => {
    endElsewhere();
    for (const holder of holders.splice(0)) {
      holder.kill();
      await once(holder, 'close');
    }
    await removeAll();
  });

  for (const [name, on] of Object.entries(means)) {
    it(`(${name}) is told as that by each verb, nothing is lost, and each goes on when there is room`, async () => {
      const project = await make();
      const { root, full, roomy, empty } = await on(project);
      const call = async <V extends Verb>(verb: V, at: string, args: Args<V>, through = roomy) => {
        const answer = await elsewhere(verb, at, args, undefined, through).ended;
        assert.ok(answer, `${verb} answers`);
        return answer;
      };
      const inside = (...command: string[]) => {
        const [program = '', ...args] = [...roomy, ...command];
        return execFileSync(program, args, { encoding: 'utf8' }).trim();
      };
      const gitAt = (at: string, ...args: string[]) => inside('git', '-C', at, ...args);
      const state = () => [gitAt(root, 'for-each-ref'), gitAt(root, 'worktree', 'list', '--porcelain')];
      const why = /(?:the disk of \S+ is full|could not be written, as on a full disk).*free some space/;
      const refused = async <V extends Verb>(verb: V, at: string, args: Args<V>) => {
        const before = state();
        const answer = await call(verb, at, args, full);
        refusedWith(answer, 'unavailable', why);
        empty();
        assert.deepEqual(state(), before, `${verb} changed nothing`);
        return answer;
      };

      await refused('start', root, {});
      const { path, id } = succeeded(await call('start', root, {}));
      inside('sh', '-c', 'echo x > "$1/b.txt"', 'sh', path);
      gitAt(path, 'add', '--all');
      gitAt(path, 'commit', '--quiet', '-m', 'work');
      const commit = gitAt(path, 'rev-parse', 'HEAD');

      inside('sh', '-c', 'echo precious > "$1/loose.txt"', 'sh', path);
      await refused('drop', root, { worktree: id, delete_branch: true, force: true });
      assert.equal(gitAt(path, 'status', '--porcelain'), '?? loose.txt', 'and what is loose is there');
      gitAt(path, 'clean', '--quiet', '--force');

      succeeded(await call('done', path, {}));
      const accepted = await refused('accept', path, {});
      assert.match(accepted.message ?? '', /could not move refs\/heads\/main.*Nothing was landed/);
      assert.deepEqual(accepted.data?.landing, nothingLanded);
      assert.equal(gitAt(root, 'status', '--porcelain'), '');
      const status = succeeded(await call('status', root, {}));
      assert.deepEqual([status.findings, status.recovery], [undefined, undefined], 'nothing is half done');

      const { landing } = succeeded(await call('accept', path, {}));
      assert.deepEqual([landing.trunk_landed, landing.worktree_removed], [true, true]);
      assert.equal(gitAt(root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
    });
  }
});
