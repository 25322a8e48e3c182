import assert from 'node:assert/strict';
import { adviceOn, type Cause, causeAmong, causeOf, type GitErrorKind } from '../../src/engine/git/cause.ts';
import { GitError } from '../../src/engine/git/error.ts';

describe('Why git failed', () => {
  const said: [string, Cause][] = [
    [
      "fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process seems to be running",
      'locked',
    ],
    ["fatal: Unable to create '/r/.git/index.lock': Read-only file system", 'read_only'],
    ["fatal: Unable to create '/r/.git/index.lock': Permission denied", 'permission'],
    ["fatal: Unable to create '/r/.git/index.lock': No space left on device", 'no_space'],
    [
      "error: cannot lock ref 'refs/heads/main': Unable to create '/r/.git/refs/heads/main.lock': File exists.",
      'locked',
    ],
    [
      "fatal: cannot lock ref 'refs/heads/main': Unable to create '/r/x.lock': No space left on device",
      'no_space',
    ],
    ['error: unable to write file src/a.txt: Disk quota exceeded', 'no_space'],
    [
      "fatal: update_ref failed for ref 'refs/heads/x': couldn't write '/r/.git/refs/heads/x.lock'",
      'unwritten',
    ],
    ["error: couldn't set 'refs/heads/x'", 'unwritten'],
    [
      "fatal: cannot lock ref 'refs/heads/a/b': unable to create directory for .git/refs/heads/a/b",
      'unwritten',
    ],
    [
      "cannot update the ref 'HEAD': unable to append to '/r/.git/logs/HEAD': No space left on device",
      'no_space',
    ],
    ['error: unable to write file src/a.txt', 'unwritten'],
    ['fatal: .git/index: index file smaller than expected', 'damaged_index'],
    ['fatal: not a git repository: sub/../../../app/.git/worktrees/one-1a2b3c/modules/sub', 'lost_submodule'],
    ["fatal: not a git repository: '/tmp/app/.git/modules/sub'", 'other'],
    ['error: bad signature 0x00000000\nfatal: index file corrupt', 'damaged_index'],
    ['Author identity unknown\n\n*** Please tell me who you are.\n\nRun', 'no_identity'],
    ['fatal: empty ident name (for <a@b>) not allowed', 'no_identity'],
    ['fatal: no email was given and auto-detection is disabled', 'no_identity'],
    ['fatal: invalid date format: garbage', 'bad_identity'],
    ['fatal: name consists only of disallowed characters: <>', 'bad_identity'],
    ["fatal: cannot lock ref 'refs/heads/main': is at 1234 but expected 5678", 'other'],
    ['', 'other'],
  ];
  for (const [stderr, cause] of said) {
    it(`is ${cause}: ${stderr.split('\n')[0]}`, () => {
      assert.equal(causeOf(stderr), cause);
      assert.match(adviceOn(cause, '/r'), /call again$/);
    });
  }
});

describe('A git error is of one kind', () => {
  const said: [string, GitErrorKind][] = [
    [
      "fatal: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
      'name_taken',
    ],
    ["fatal: cannot lock ref 'refs/heads/a': reference already exists", 'name_taken'],
    [
      "fatal: update_ref failed for ref 'refs/heads/a..b': refusing to update ref with bad name 'refs/heads/a..b'",
      'bad_name',
    ],
    ["fatal: cannot lock ref 'refs/heads/main': is at 1234 but expected 5678", 'ref_moved'],
    ["fatal: cannot lock ref 'refs/heads/main': Unable to create '/r/x.lock': File exists.", 'locked'],
    ["fatal: couldn't find remote ref refs/heads/main", 'no_remote_ref'],
    ["fatal: pathspec 'a b' did not match any files", 'no_such_path'],
    ['src/a.txt: unmerged (1234)\nfatal: git-write-tree: error building trees', 'no_tree'],
    ['fatal: not a git repository (or any of the parent directories): .git', 'not_a_repository'],
    ["fatal: detected dubious ownership in repository at '/r'", 'other_owner'],
    ['fatal: lazy fetching disabled; some objects may not be available', 'not_fetched'],
    ["fatal: transport 'ssh' not allowed\ngit@host: Permission denied (publickey).", 'not_fetched'],
    ['error: unable to write file src/a.txt: Disk quota exceeded', 'no_space'],
    ['fatal: something else', 'other'],
  ];
  for (const [stderr, kind] of said) {
    it(`${kind}: ${stderr.split('\n').at(-1)}`, () => {
      const error = new GitError(['update-ref'], 128, stderr);
      assert.equal(error.kind, kind);
      assert.equal(causeAmong(error.kind), causeOf(kind === 'not_fetched' ? '' : stderr));
      assert.ok(error.message.startsWith('git update-ref failed (exit 128): '));
    });
  }
});
