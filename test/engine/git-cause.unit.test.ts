import assert from 'node:assert/strict';
import { adviceOn, type Cause, causeOf } from '../../src/engine/git/cause.ts';

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
    ['Author identity unknown\n\n*** Please tell me who you are.\n\nRun', 'no_identity'],
    ['fatal: empty ident name (for <a@b>) not allowed', 'no_identity'],
    ['fatal: no email was given and auto-detection is disabled', 'no_identity'],
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
