import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Args, Verb } from '../../src/contract/verbs.ts';
import { GitError } from '../../src/engine/git/core.ts';
import { runVerb } from '../../src/engine/verbs/run-verb.ts';
import {
  elsewhere,
  endElsewhere,
  everything,
  refusedWith,
  started,
  succeeded,
} from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** Starts a command where a directory, bound to itself, cannot be written to; nobody else sees that. */
const readOnly = (directory: string) => [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"',
  'sh',
  directory,
];

const mayMount =
  process.platform === 'linux' && spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0;

describe('What keeps a verb from writing', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  it('is told as what it is, whichever step of ours meets it', async () => {
    const failing = (code: string, at: object) => async () => {
      throw Object.assign(new Error(`${code}: a reason, open`), { code }, at);
    };
    const path = { path: '/r/.git/x' };
    const told = async (core: () => Promise<never>) => {
      const { error, message } = await runVerb('done', '/r', core);
      return `${error}: ${message}`;
    };
    assert.match(
      await told(failing('ENOSPC', {})),
      /^unavailable: .*the disk of \/r is full: free some space/,
    );
    assert.match(await told(failing('EDQUOT', path)), /^unavailable: .*the disk of \/r\/\.git is full/);
    assert.match(
      await told(failing('EROFS', path)),
      /^unavailable: .*\/r\/\.git is on a read-only file system/,
    );
    assert.match(await told(failing('EACCES', path)), /^unavailable: .*may not write in \/r\/\.git/);
    assert.match(await told(failing('EPERM', {})), /^internal_error: /, 'that was no file');
    assert.match(await told(failing('EMFILE', path)), /^internal_error: /);
    const nobody = new GitError(
      ['commit-tree'],
      128,
      'Author identity unknown\n\n*** Please tell me who you are.',
    );
    assert.match(await told(() => Promise.reject(nobody)), /^unavailable: .*set user\.name and user\.email/);
    // A device that is always full, where the system has one.
    if (process.platform === 'linux')
      assert.match(await told(() => writeFile('/dev/full', 'x') as Promise<never>), /^unavailable: ENOSPC/);
  });

  // On a system that lets nobody mount, the causes are tested above.
  if (mayMount) {
    it('is a read-only git directory, as a sandbox has it: each verb says so, and changes nothing', async () => {
      const project = await make();
      const { path, id } = await started(project.root);
      await project.commit({ 'b.txt': 'b\n' }, path);
      succeeded(await verb('done', path));
      const before = await everything(project);
      const call = <V extends Verb>(name: V, root: string, args: Args<V>) =>
        elsewhere(name, root, args, undefined, readOnly(join(project.root, '.git'))).ended;
      for (const [name, root, args] of [
        ['done', path, {}],
        ['update', path, {}],
        ['accept', path, {}],
        ['drop', project.root, { worktree: id, delete_branch: true, force: true }],
        ['start', project.root, {}],
      ] as [Verb, string, Args<Verb>][]) {
        const answer = await call(name, root, args);
        assert.ok(answer, name);
        refusedWith(answer, 'unavailable', /on a read-only file system.*run this server outside of it/);
      }
      const status = await call('status', path, {});
      assert.deepEqual([status?.ok, status?.data?.findings], [true, undefined]);
      assert.deepEqual(await everything(project), before);
    });

    for (const [what, place] of [
      ['a folder of worktrees', (path: string) => join(path, '..')],
      [
        'git’s own directory of the worktree',
        (path: string, root: string) => join(root, '.git/worktrees', basename(path)),
      ],
    ] as const) {
      it(`is ${what} that is read-only: known before the trunk moves`, async () => {
        const project = await make();
        const { path, id } = await started(project.root);
        await project.commit({ 'b.txt': 'b\n' }, path);
        succeeded(await verb('done', path));
        const before = await everything(project);
        const through = readOnly(place(path, project.root));
        const said =
          /on a read-only file system.*Nothing was (?:landed|removed)|unmount it with "umount .*Nothing was (?:landed|removed)/;
        const accepted = await elsewhere('accept', path, {}, undefined, through).ended;
        assert.ok(accepted);
        refusedWith(accepted, 'unavailable', said);
        const args = { worktree: id, delete_branch: true, force: true };
        const dropped = await elsewhere('drop', project.root, args, undefined, through).ended;
        assert.ok(dropped);
        refusedWith(dropped, 'unavailable', said);
        assert.deepEqual(await everything(project), before);
        succeeded(await verb('accept', path));
      });
    }
  }
});
