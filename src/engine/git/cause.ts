/** Why a git command failed, told apart by what would help. */
export type Cause =
  /** Another git holds a lock, or one that died left it. Time may mend it. */
  | 'locked'
  /** No room on the disk, or no quota, or no inode. */
  | 'no_space'
  /** A read-only file system, as a sandbox mounts the git directory. */
  | 'read_only'
  /** The user may not write there. */
  | 'permission'
  /** git does not know who commits. */
  | 'no_identity'
  /** Who commits, or when, as the environment or a setting has it, is nothing git can write down. */
  | 'bad_identity'
  /** A checkout's index cannot be read. */
  | 'damaged_index'
  /** A file could not be written, and git does not say why: a full disk, a quota or a limit. */
  | 'unwritten'
  /** The repository of a submodule that is checked out is gone; git refuses the whole checkout then. */
  | 'lost_submodule'
  | 'other';

/** What else a git command that failed may have said, by what it means for the caller. */
type Meaning =
  /** A ref of that name, or one that it would lie in or hold, is there already. */
  | 'name_taken'
  | 'bad_name'
  /** A ref is not where its caller saw it last, or another git is just moving it. */
  | 'ref_moved'
  | 'no_remote_ref'
  /** The entry of a checkout that another git is just making, or that one left half-made when it died. */
  | 'half_made'
  /** A path that is neither on disk nor tracked. */
  | 'no_such_path'
  /** An index that no tree can hold, as an unfinished merge leaves it. */
  | 'no_tree'
  | 'not_a_repository'
  /** A repository that another user owns. */
  | 'other_owner'
  /** A partial clone that lacks objects and may not fetch them. */
  | 'not_fetched';

export type GitErrorKind = Cause | Meaning;

/** git says these in its own words and the system's (errno(3)); `LC_ALL=C` keeps them in English. */
const patterns: readonly [Cause, RegExp][] = [
  ['no_space', /No space left on device|Disk quota exceeded|File too large|out of disk space/i],
  ['read_only', /Read-only file system/i],
  ['permission', /Permission denied|Operation not permitted|insufficient permission/i],
  [
    'locked',
    /\.lock': File exists|Unable to create '.*\.lock'|could not lock|cannot lock ref .*(?:File exists)/is,
  ],
  [
    'no_identity',
    /please tell me who you are|empty ident name|no (?:email|name) was given and auto-detection/i,
  ],
  ['bad_identity', /invalid date format|name consists only of disallowed characters/i],
  [
    'damaged_index',
    /index file (?:smaller than expected|corrupt)|bad (?:index version|signature 0x)|index uses \S+ extension|unknown index entry format/i,
  ],
  // A ref that cannot be written is told like so, with no word of the system's.
  [
    'unwritten',
    /couldn't (?:write|set) '|unable to write file|write error|unable to write new (?:index )?file|unable to create directory for/i,
  ],
  // The path that a submodule's `.git` file names is told as seen from the checkout; that of the checkout itself is absolute.
  ['lost_submodule', /not a git repository: [^/'\n][^\n]*\/modules\//],
];

/** The cause of a git failure by what git printed. A cause that time cannot mend comes before a lock it shows itself as. */
export function causeOf(stderr: string): Cause {
  return patterns.find(([, pattern]) => pattern.test(stderr))?.[0] ?? 'other';
}

/** What git says of these, in the order they are looked for; what a cause explains is of that cause. */
const meanings: readonly [Meaning, RegExp][] = [
  ['other_owner', /dubious ownership/],
  ['not_a_repository', /not a git repository/i],
  ['name_taken', /exists; cannot create|reference already exists/],
  ['bad_name', /bad ref ?name|invalid refname|refusing to update ref with bad name/i],
  ['half_made', /failed to read \S*worktrees\/.*commondir/],
  ['no_remote_ref', /couldn't find remote ref/i],
  ['ref_moved', /cannot lock ref|incorrect old value/i],
  ['no_such_path', /pathspec '.*' did not match/],
  ['no_tree', /error building trees/],
];

/** What a git command that failed means, by what it printed. */
export function kindOf(stderr: string): GitErrorKind {
  // An address that may not be used for it is no permission of a file.
  if (/lazy fetching disabled|promisor remote|transport '.*' not allowed/.test(stderr)) return 'not_fetched';
  const cause = causeOf(stderr);
  if (cause !== 'other') return cause;
  return meanings.find(([, pattern]) => pattern.test(stderr))?.[0] ?? 'other';
}

const causes: ReadonlySet<string> = new Set(patterns.map(([cause]) => cause));

/** The cause among the kinds; `other` of those that are none. */
export const causeAmong = (kind: GitErrorKind): Cause => (causes.has(kind) ? (kind as Cause) : 'other');

const byErrno: Readonly<Record<string, Cause>> = {
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EFBIG: 'no_space',
  EROFS: 'read_only',
  EACCES: 'permission',
  EPERM: 'permission',
};

/** The cause of a failure of the file system, by the system's name of it (errno(3)). */
export const causeOfErrno = (errno: string | undefined): Cause =>
  (errno !== undefined && byErrno[errno]) || 'other';

/** What to do about a cause, as the end of a sentence. */
export function adviceOn(cause: Cause, place: string): string {
  switch (cause) {
    case 'no_space':
      return `the disk of ${place} is full: free some space, then call again`;
    case 'read_only':
      return `${place} is on a read-only file system, as a sandbox may mount it: run this server outside of it, or have it mounted writable, then call again`;
    case 'permission':
      return `this user may not write in ${place}: correct its permissions, then call again`;
    case 'damaged_index':
      return `the index that git names is damaged: move that file away and run "git reset" in ${place}, which keeps every file, then call again`;
    case 'no_identity':
      return `git does not know who commits in ${place}: set user.name and user.email ("git config --global user.name <name>"), then call again`;
    case 'bad_identity':
      return `git cannot write that down in a commit or reflog: correct or unset GIT_AUTHOR_NAME, GIT_AUTHOR_DATE, GIT_COMMITTER_NAME and GIT_COMMITTER_DATE where this server was started, and user.name in ${place}, then call again`;
    case 'unwritten':
      return `a file in ${place} could not be written, as on a full disk, at a quota or a limit: free some space, then call again`;
    case 'lost_submodule':
      return `the repository of a submodule of ${place} is gone: remove the ".git" file in the submodule's directory, which keeps its other files, then call again`;
    case 'locked':
      return `another git holds a lock in ${place}: wait for it, or remove the lock file if no git is running, then call again`;
    case 'other':
      return `look at it with "git status" in ${place}, then call again`;
  }
}
