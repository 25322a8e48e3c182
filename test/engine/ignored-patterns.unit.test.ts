import assert from 'node:assert/strict';
import fc from 'fast-check';
import { below, fromCursor, fromInclude, fromVscode } from '../../src/engine/worktree/ignored/patterns.ts';

describe('The patterns of a .worktreeinclude', () => {
  it('are read as git reads a .gitignore', () => {
    assert.deepEqual(fromInclude('# no\r\n\r\na/  \nb\\ \n!c\n\\#d\n'), ['a/', 'b\\ ', '!c', '\\#d']);
  });
});

describe('VS Code’s git.worktreeIncludeFiles', () => {
  for (const [globs, patterns] of [
    [['**/node_modules/**'], ['**/node_modules/']],
    [
      ['.env', './a/b/**'],
      ['/.env', '/a/b/'],
    ],
    [['{a,b}.{c,d}'], ['/a.c', '/a.d', '/b.c', '/b.d']],
    [['**'], ['/**']],
    [[''], []],
  ] as const) {
    it(`${JSON.stringify(globs)} is ${JSON.stringify(patterns)}`, () =>
      assert.deepEqual(fromVscode(JSON.stringify({ 'git.worktreeIncludeFiles': globs })), patterns));
  }

  it('has none without the setting, and is a problem when it is of another type', () => {
    assert.deepEqual(fromVscode('{}'), []);
    assert.ok('problem' in fromVscode('{"git.worktreeIncludeFiles": "a"}'));
    assert.ok('problem' in fromVscode('nothing'));
  });

  it('comes to an end whatever a glob holds', () => {
    const glob = fc.string({ unit: fc.constantFrom('{', '}', ',', 'a', '/', '*') });
    fc.assert(
      fc.property(glob, (one) => {
        const patterns = fromVscode(JSON.stringify({ 'git.worktreeIncludeFiles': [one] }));
        assert.ok(Array.isArray(patterns) && patterns.length <= 64);
      }),
    );
  });
});

describe('Cursor’s setup commands', () => {
  const of = (...commands: string[]) => fromCursor(JSON.stringify({ 'setup-worktree': commands }));
  for (const [command, patterns] of [
    ['cp $ROOT_WORKTREE_PATH/.env .env', ['/.env']],
    [`cp -r "$\{ROOT_WORKTREE_PATH}/a/b" a/`, ['/a/b']],
    ['cp -a "$ROOT_WORKTREE_PATH"/nm ./nm', ['/nm']],
    ['cp -R $ROOT_WORKTREE_PATH/nm .', ['/nm']],
    ['cp $ROOT_WORKTREE_PATH/a b', []],
    ['cp $ROOT_WORKTREE_PATH/../a ../a', []],
    ['cp $ROOT_WORKTREE_PATH/a a; rm -rf /', []],
    ['npm ci', []],
  ] as const) {
    it(`"${command}" brings ${JSON.stringify(patterns)}`, () => assert.deepEqual(of(command), patterns));
  }

  it('are none where a script is named', () =>
    assert.deepEqual(fromCursor('{"setup-worktree": "setup.sh"}'), []));
});

describe('A pattern of a project below the git top', () => {
  for (const [pattern, all] of [
    ['cache/', '/pkg/**/cache/'],
    ['/cache', '/pkg/cache'],
    ['!a/b', '!/pkg/a/b'],
  ] as const) {
    it(`${pattern} is ${all}`, () => assert.equal(below('pkg', pattern), all));
  }
});
