import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Args, Verb } from '../../src/contract/verbs.ts';
import { parseMountinfo } from '../../src/engine/files/mounts.ts';
import {
  elsewhere,
  endElsewhere,
  everything,
  refusedWith,
  started,
  succeeded,
} from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { killedAt } from '../support/invariants.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** As the kernel writes a path there (proc(5)). */
const escaped = (path: string) =>
  [...Buffer.from(path)]
    .map((byte) =>
      [0x20, 0x09, 0x0a, 0x5c].includes(byte)
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte),
    )
    .join('');

describe('The list of mounts', () => {
  it('gives back every path that the kernel may write, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (names) => {
        const points = names.map((name) => `/${name.replaceAll('\0', '')}`);
        const lines = points.map((one, n) => `${n} 1 0:1 / ${escaped(one)} rw shared:1 - ext4 /dev/x rw\n`);
        const found = parseMountinfo(Buffer.from(lines.join(''), 'latin1'));
        assert.deepEqual(
          found.map((one) => one.toString('utf8')),
          points,
        );
      }),
    );
  });

  it('is not misled by lines of another shape', () => {
    assert.deepEqual(parseMountinfo(Buffer.from('\n1 2 3 4\nx y z / relative rw\n')), []);
  });
});

/** Starts a command in a space of its own, where what it mounts is seen by nobody else and ends with it. */
const alone = (...mount: string[]) => [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'mount --bind "$1" "$2" && shift 2 && exec "$@"',
  'sh',
  ...mount,
];

const mayMount =
  process.platform === 'linux' && spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0;

describe('A worktree that something is mounted in', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  async function scene() {
    const project = await make({ files: { '.gitignore': '/build/\n' } });
    const { path, id } = await started(project.root);
    await project.commit({ 'src/b.txt': 'b\n' }, path);
    const [source, point] = [join(project.home, 'disk'), join(path, 'build/a disk')];
    await mkdir(source);
    await writeFile(join(source, 'precious.txt'), 'precious\n');
    await mkdir(point, { recursive: true });
    return { project, path, id, source, point };
  }
  const whileMounted = <V extends Verb>(mount: string[], name: V, root: string, args: Args<V>) =>
    elsewhere(name, root, args, undefined, alone(...mount)).ended;

  if (mayMount) {
    it('is refused before anything moves, with what to unmount', async () => {
      const { project, path, id, source, point } = await scene();
      const before = await everything(project);
      for (const [mount, said] of [
        [[source, point], /a disk is mounted in it: unmount it with "umount '.*a disk'"/],
        [[path, path], /is a mount point: unmount it with "umount /],
      ] as const) {
        for (const dry_run of [true, false]) {
          const answer = await whileMounted([...mount], 'accept', path, { dry_run });
          const message = refusedWith(answer ?? assert.fail('no answer'), 'unavailable', said);
          assert.doesNotMatch(message, /rm -/);
        }
        const args = { worktree: id, delete_branch: true, force: true };
        const answer = await whileMounted([...mount], 'drop', project.root, args);
        refusedWith(answer ?? assert.fail('no answer'), 'unavailable', said);
      }
      assert.deepEqual(await everything(project), before);
      assert.equal(succeeded(await verb('accept', path)).landing.worktree_removed, true);
    });

    it('is not deleted when a removal that was cut off is gone on with', async () => {
      const { project, id, source } = await scene();
      await git(project.root, 'merge', '--quiet', '--ff-only', `agent/${id}`);
      await killedAt('retire.judged', 'drop', project.root, { worktree: id, delete_branch: true });
      const folder = `${project.root}.worktrees`;
      const [judged = ''] = await readdir(folder);
      const answer = await whileMounted([source, join(folder, judged, 'src')], 'status', project.root, {});
      assert.equal(await readFile(join(source, 'precious.txt'), 'utf8'), 'precious\n');
      const [finding] = answer?.data?.findings ?? [];
      assert.match(finding?.what ?? '', /src is mounted in it/);
      assert.match(finding?.remedy ?? '', /^umount \S+\/src$/);
      succeeded(await verb('prune', project.root, { dry_run: false }));
      assert.equal(succeeded(await verb('status', project.root)).findings, undefined);
      assert.deepEqual(await readdir(project.home), ['app', 'disk']);
    });
  }
});
