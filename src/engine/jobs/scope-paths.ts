import picomatch from 'picomatch';

export type PathTest = (path: string) => boolean;

/**
 * Turns one scope path of the published format into a predicate on paths relative to the project root: a directory
 * (`docs/`, wildcards allowed), a suffix at any depth (`*.md`), a segment at any depth (`/generated/`), a glob
 * (`src/**`, `*.{yml,yaml}`), or an exact path, which also takes in everything below it. Dotfiles are no exception, and
 * `.` is the whole project. A pattern no glob can be made of matches only itself.
 */
export function scopeMatcher(pattern: string): PathTest {
  const plain = plainly(pattern);
  if (/^(?:\.|\/*)$/.test(plain)) return () => true;
  if (plain.startsWith('/') && plain.endsWith('/')) {
    const segment = plain.slice(1, -1);
    const within = glob(`**/${segment}/**`);
    return (path) => `/${path}/`.includes(`/${segment}/`) || within(path);
  }
  const rooted = plain.replace(/^\/+/, '');
  const exact = rooted.replace(/\/+$/, '');
  const anyDepth = plain.startsWith('*') && !plain.includes('/');
  const matches = wild.test(plain) ? glob(rooted.endsWith('/') ? `${rooted}**` : rooted, anyDepth) : never;
  return (path) => path === exact || path.startsWith(`${exact}/`) || matches(path);
}

const plainly = (pattern: string) => pattern.replace(/^(?:\.\/)+/, '');

/** What may stand for other than itself. Parentheses may not: `app/(shop)/**` names a directory. */
const wild = /[*?[\]{}]/;

const never: PathTest = () => false;

function glob(pattern: string, anyDepth = false): PathTest {
  // `flags: 's'` lets `**` cross a newline in a name.
  const options = { dot: true, nonegate: true, noextglob: true, basename: anyDepth, flags: 's' };
  const literal = pattern.replace(/[()|"]/g, '\\$&');
  try {
    return picomatch(literal, options);
  } catch {
    // picomatch refuses patterns of more than 64 KiB.
    return never;
  }
}

/**
 * A predicate for all paths of one scope. A path that begins with `!` takes out what it matches, wherever it stands: read
 * alone, "everything but this" would make a scope of the whole project.
 */
export function scopeMatchers(patterns: readonly string[]): PathTest {
  const taken = patterns.filter((pattern) => !pattern.startsWith('!')).map(scopeMatcher);
  const left = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => scopeMatcher(pattern.slice(1)));
  return (path) => taken.some((test) => test(path)) && !left.some((test) => test(path));
}

/**
 * Whether these paths may name something below a directory, whatever there is. Sure of a no; of a yes only that nothing rules it out.
 */
export function mayReachInto(patterns: readonly string[], dir: string): boolean {
  const left = patterns.filter((one) => one.startsWith('!')).map((one) => scopeMatcher(one.slice(1)));
  // Whoever takes out names that nobody would think of takes out all.
  if ([`${dir}/\u0001`, `${dir}/\u0001/\u0001`].every((path) => left.some((test) => test(path))))
    return false;
  return patterns.some((pattern) => !pattern.startsWith('!') && reaches(pattern, dir));
}

function reaches(pattern: string, dir: string): boolean {
  const plain = plainly(pattern);
  const anywhere = plain.startsWith('*') && !plain.includes('/');
  if (anywhere || (plain.startsWith('/') && plain.endsWith('/')) || scopeMatcher(pattern)(dir)) return true;
  const rooted = plain.replace(/^\/+|\/+$/g, '');
  if (!wild.test(rooted)) return rooted.startsWith(`${dir}/`);
  if (/\*\*|\{/.test(rooted) || plain.endsWith('/')) {
    const { base } = picomatch.scan(rooted);
    return base === '' || base === '.' || `${base}/`.startsWith(`${dir}/`) || dir.startsWith(`${base}/`);
  }
  const [parts, depth] = [rooted.split('/'), dir.split('/').length];
  return parts.length > depth && glob(parts.slice(0, depth).join('/'))(dir);
}
