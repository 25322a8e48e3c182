import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fields, pathText } from '../../src/engine/git/core.ts';
import { parseObstacles } from '../../src/engine/git/read-tree.ts';
import { parseStatus } from '../../src/engine/git/status.ts';
import { parseWorktrees, type WorktreeEntry } from '../../src/engine/git/worktree.ts';

/** A name as git may have it: any bytes but NUL, and not empty. */
const rawName = fc
  .uint8Array({ minLength: 1, maxLength: 30 })
  .map((bytes) => Buffer.from(bytes.map((byte) => byte || 0x2f)));
const textName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 30 })
  .map((text) => text.replaceAll('\0', '_'))
  .filter((text) => Buffer.from(text).toString() === text);
const id = fc.stringMatching(/^[0-9a-f]{40}$/);
const line = (...parts: (string | Buffer)[]) =>
  Buffer.concat([...parts.map((part) => Buffer.from(part)), Buffer.of(0)]);

describe('Fields of -z output', () => {
  it('are what stands between the NULs, bytes as they are', () => {
    fc.assert(
      fc.property(fc.array(rawName), (names) => {
        assert.deepEqual(fields(Buffer.concat(names.map((name) => line(name)))), names);
      }),
    );
  });

  it('keep empty ones in between, and a last one without its NUL', () => {
    assert.deepEqual(fields(Buffer.from('a\0\0b\0c')).map(String), ['a', '', 'b', 'c']);
    assert.deepEqual(fields(Buffer.alloc(0)), []);
  });
});

describe('A path as text', () => {
  it('is the path itself where it is UTF-8, line ends and quotes included', () => {
    const plain = textName.filter((name) => !name.startsWith('"'));
    fc.assert(fc.property(plain, (name) => assert.equal(pathText(Buffer.from(name)), name)));
    assert.equal(pathText(Buffer.from('a "b"\n\tc\\')), 'a "b"\n\tc\\');
  });

  it('is quoted as git does where it is not, so that the bytes can be read back', () => {
    assert.equal(pathText(Buffer.from([0x61, 0xff, 0x22, 0x5c, 0x0a])), '"a\\377\\"\\\\\\012"');
    const unquote = (text: string) => {
      const bytes: number[] = [];
      const inner = text.slice(1, -1);
      for (let i = 0; i < inner.length; i++) {
        if (inner[i] !== '\\') bytes.push(inner.charCodeAt(i));
        else if (/[0-7]/.test(inner[i + 1] ?? '')) {
          bytes.push(Number.parseInt(inner.slice(i + 1, i + 4), 8));
          i += 3;
        } else bytes.push(inner.charCodeAt(++i));
      }
      return Buffer.from(bytes);
    };
    fc.assert(
      fc.property(rawName, (name) => {
        const text = pathText(name);
        const isText = name[0] !== 0x22 && Buffer.from(name.toString()).equals(name);
        assert.deepEqual(isText ? Buffer.from(text) : unquote(text), name);
      }),
    );
  });

  it('tells any two names apart, those that differ only in case or look quoted included', () => {
    assert.notEqual(pathText(Buffer.from('Readme')), pathText(Buffer.from('README')));
    assert.notEqual(pathText(Buffer.from('"a\\377"')), pathText(Buffer.from([0x61, 0xff])));
    fc.assert(
      fc.property(rawName, rawName, (one, other) => {
        assert.equal(pathText(one) === pathText(other), one.equals(other));
      }),
    );
  });
});

describe('The output of git status', () => {
  const parse = (...lines: Buffer[]) => parseStatus(Buffer.concat(lines));

  it('names branch and commit', () => {
    const { commit, branch } = parse(
      line('# branch.oid 0123456789abcdef0123456789abcdef01234567'),
      line('# branch.head feature/x'),
      line('# stash 2'),
    );
    assert.equal(commit, '0123456789abcdef0123456789abcdef01234567');
    assert.equal(branch, 'feature/x');
  });

  it('has no branch on a detached HEAD and no commit before the first', () => {
    const status = parse(line('# branch.oid (initial)'), line('# branch.head (detached)'));
    assert.equal(status.commit, undefined);
    assert.equal(status.branch, undefined);
  });

  it('tells staged, unstaged, unmerged and untracked paths apart, whatever they are called', () => {
    const one = (xy: string, path: Buffer) =>
      line(`1 ${xy} N... 100644 100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} `, path);
    const unmerged = (path: Buffer) =>
      line(
        `u UU N... 100644 100644 100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} ${'c'.repeat(40)} `,
        path,
      );
    const entry = fc.tuple(fc.constantFrom('M.', '.M', 'MM', 'A.', 'D.', '.D', 'u', '?'), rawName);
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const lines = entries.map(([kind, path]) =>
          kind === 'u' ? unmerged(path) : kind === '?' ? line('? ', path) : one(kind, path),
        );
        const status = parse(...lines);
        const paths = (holds: (kind: string) => boolean) =>
          entries.filter(([kind]) => holds(kind)).map(([, path]) => pathText(path));
        assert.deepEqual(
          status.staged,
          paths((kind) => kind.length === 2 && kind[0] !== '.'),
        );
        assert.deepEqual(
          status.unstaged,
          paths((kind) => kind === 'u' || (kind.length === 2 && kind[1] !== '.')),
        );
        assert.deepEqual(
          status.unmerged,
          paths((kind) => kind === 'u'),
        );
        assert.deepEqual(
          status.untracked,
          paths((kind) => kind === '?'),
        );
      }),
    );
  });

  it('counts a rename once, under its new name', () => {
    const status = parse(
      line(`2 R. N... 100644 100644 100644 ${'a'.repeat(40)} ${'a'.repeat(40)} R100 new name`),
      line('old name'),
      line('? other'),
    );
    assert.deepEqual(status.staged, ['new name']);
    assert.deepEqual(status.untracked, ['other']);
  });
});

describe('The output of git worktree list', () => {
  const attribute = (key: string, value: string | undefined) =>
    value === undefined ? [] : [line(value === '' ? key : `${key} ${value}`)];
  const reason = fc.option(
    textName.map((text) => text.trim()),
    { nil: undefined },
  );
  const entry: fc.Arbitrary<WorktreeEntry> = fc
    .record({ path: rawName, head: id, branch: fc.option(textName), locked: reason, prunable: reason })
    .map(({ path, head, branch, locked, prunable }) => ({
      path: pathText(path),
      raw: path,
      head,
      ...(branch === null ? {} : { branch: `refs/heads/${branch}` }),
      bare: false,
      detached: branch === null,
      ...(locked !== undefined && { locked }),
      ...(prunable !== undefined && { prunable }),
    }));

  it('is read back whole: any path, any lock reason', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const printed = (entries as (WorktreeEntry & { raw: Buffer })[]).flatMap((one) => [
          line('worktree ', one.raw),
          line(`HEAD ${one.head}`),
          ...(one.detached ? [line('detached')] : [line(`branch ${one.branch}`)]),
          ...attribute('locked', one.locked),
          ...attribute('prunable', one.prunable),
          line(''),
        ]);
        const expected = (entries as (WorktreeEntry & { raw?: Buffer })[]).map(
          ({ raw: _raw, ...one }) => one,
        );
        assert.deepEqual(parseWorktrees(Buffer.concat(printed)), expected);
      }),
    );
  });

  it('has a bare repository without HEAD, and skips attributes of a later git', () => {
    const text =
      'worktree /hub/.bare\0bare\0\0worktree /hub/main\0HEAD 1\0branch refs/heads/main\0novelty x\0\0';
    assert.deepEqual(parseWorktrees(Buffer.from(text)), [
      { path: '/hub/.bare', bare: true, detached: false },
      { path: '/hub/main', head: '1', branch: 'refs/heads/main', bare: false, detached: false },
    ]);
  });
});

describe('What git-read-tree says is in the way', () => {
  it('is the path, of either kind', () => {
    assert.deepEqual(parseObstacles("error: Entry 'a b' not uptodate. Cannot merge.\n"), {
      changed: ['a b'],
      untracked: [],
    });
    assert.deepEqual(
      parseObstacles("error: Entry 'x' would be overwritten by merge. Cannot merge.\n").changed,
      ['x'],
    );
    assert.deepEqual(
      parseObstacles("error: Untracked working tree file 'n' would be removed by merge.\n").untracked,
      ['n'],
    );
    assert.deepEqual(parseObstacles("error: Updating 'dir' would lose untracked files in it\n").untracked, [
      'dir',
    ]);
  });

  it('may be called anything', () => {
    const safe = textName.filter((name) => !name.includes("' would be") && !name.includes("' not uptodate"));
    fc.assert(
      fc.property(safe, (name) => {
        const text = `error: Untracked working tree file '${name}' would be overwritten by merge.\n`;
        assert.deepEqual(parseObstacles(text), { changed: [], untracked: [name] });
      }),
    );
  });

  it('is nothing for any other trouble', () => {
    const none = { changed: [], untracked: [] };
    assert.deepEqual(parseObstacles("fatal: Unable to create '/x/index.lock': File exists.\n"), none);
    assert.deepEqual(parseObstacles(''), none);
  });
});
