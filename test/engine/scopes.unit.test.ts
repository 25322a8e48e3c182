import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mayReachInto, scopeMatcher, scopeMatchers } from '../../src/engine/jobs/scope-paths.ts';

/** What each pattern takes in and what it does not, in the published format's terms and in a user's. */
const table: [pattern: string, inside: string[], outside: string[]][] = [
  [
    'docs/',
    ['docs/a.md', 'docs/x/y/z', 'docs/.hidden'],
    ['src/docs/a.md', 'docsx/a', 'adocs/a', 'Docs/a.md'],
  ],
  ['docs', ['docs', 'docs/a.md'], ['docs.md', 'src/docs']],
  ['./docs/', ['docs/a.md'], ['src/docs/a.md']],
  ['src/**', ['src/a', 'src/x/y/z.ts', 'src/.env', 'src/.x/y'], ['a', 'lib/src/a', 'srcx/a']],
  ['src/*', ['src/a', 'src/.a'], ['src/x/a', 'a', 'lib/src/a']],
  ['src/**/*.sql', ['src/a.sql', 'src/x/y/a.sql'], ['a.sql', 'src/a.ts']],
  ['*.md', ['a.md', 'docs/x/a.md', '.md', 'x/.hidden.md'], ['a.mdx', 'md', 'a.md/b']],
  ['*.{yml,yaml}', ['a.yml', 'x/y/a.yaml'], ['a.json', 'yml']],
  ['*', ['a', 'x/y'], []],
  ['**', ['a', 'x/y', '.a'], []],
  ['/*', ['a', '.a'], ['x/y']],
  ['/generated/', ['generated/a', 'src/generated/b/c', 'x/y/generated/z'], ['generatedx/a', 'x-generated/a']],
  ['/__*__/', ['src/__tests__/a.ts', '__x__/y/z'], ['src/__tests/a.ts']],
  ['LICENSE', ['LICENSE'], ['LICENSE.md', 'src/LICENSE', 'LICENSEE']],
  ['/LICENSE', ['LICENSE'], ['src/LICENSE']],
  [
    'packages/*/docs/',
    ['packages/a/docs/x', 'packages/b/docs/y/z'],
    ['packages/docs/x', 'packages/a/b/docs/x'],
  ],
  ['packages/{a,b}/**', ['packages/a/x', 'packages/b/x/y'], ['packages/c/x']],
  ['v{1..3}/*', ['v2/a'], ['v4/a']],
  ['?.txt', ['a.txt'], ['ab.txt', '.txt']],
  ['[ab].txt', ['a.txt', 'b.txt'], ['c.txt']],
  ['app/[slug]/page.tsx', ['app/[slug]/page.tsx'], ['app/x/page.tsx']],
  ['app/[slug]/**', ['app/[slug]/x'], []],
  ['app/(shop)/**', ['app/(shop)/cart.ts'], ['app/shop/cart.ts']],
  ['a+b|c/*', ['a+b|c/x'], ['a/x', 'aab/x', 'c/x']],
  ['@scope/*', ['@scope/a'], ['scope/a']],
  ['"quoted"/*', ['"quoted"/a'], ['quoted/a']],
  ['a.b/*', ['a.b/c'], ['axb/c']],
  ['with space/', ['with space/a b'], ['with/space/a']],
  ['docs/**', ['docs/two\nlines.md'], []],
  ['.', ['a', 'x/y'], []],
  ['./', ['a'], []],
  ['/', ['a'], []],
  ['!docs/a.md', [], ['docs/a.md', 'src/a']],
];

describe('A scope path', () => {
  for (const [pattern, inside, outside] of table) {
    it(`${JSON.stringify(pattern)} takes in ${inside.length} of ${inside.length + outside.length} examples`, () => {
      const matches = scopeMatcher(pattern);
      for (const path of inside) assert.equal(matches(path), true, path);
      for (const path of outside) assert.equal(matches(path), false, path);
    });
  }

  const segment = fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/).filter((name) => name !== '.' && name !== '..');
  const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
  const wildly = fc.string({
    unit: fc.constantFrom(...'*?[]{}()!|+@,./\\^$-ab"\n'),
    minLength: 1,
    maxLength: 12,
  });

  it('never throws, whatever it and the paths are', () => {
    fc.assert(
      fc.property(fc.oneof(wildly, fc.string({ minLength: 1 })), fc.oneof(path, wildly), (pattern, name) => {
        assert.equal(typeof scopeMatcher(pattern)(name), 'boolean');
      }),
      { numRuns: 2_000 },
    );
    assert.equal(scopeMatcher(`${'x'.repeat(100_000)}*`)('x'), false);
  });

  it('that is plain takes in itself and what lies below it, and nothing else', () => {
    fc.assert(
      fc.property(path, path, (pattern, name) => {
        const expected = name === pattern || name.startsWith(`${pattern}/`);
        assert.equal(scopeMatcher(pattern)(name), expected);
        assert.equal(scopeMatcher(`${pattern}/`)(name), expected);
        assert.equal(scopeMatcher(pattern)(`${pattern}/${name}`), true);
        assert.equal(scopeMatcher(`${pattern}/**`)(`${pattern}/${name}`), true);
      }),
    );
  });

  it('that is a directory takes in less with a star than with two', () => {
    fc.assert(
      fc.property(segment, path, (directory, name) => {
        assert.equal(scopeMatcher(`${directory}/*`)(`${directory}/${name}`), !name.includes('/'));
        assert.equal(scopeMatcher(`/${directory}/`)(`${name}/${directory}/${name}`), true);
      }),
    );
  });

  it('that is a suffix is judged by the last part of a path', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,4}$/), path, segment, (suffix, directory, name) => {
        const matches = scopeMatcher(`*.${suffix}`);
        assert.equal(matches(`${directory}/${name}`), matches(name));
        assert.equal(matches(`${directory}/x.${suffix}`), true);
      }),
    );
  });
});

describe('The paths of a scope', () => {
  it('take in what any of them does', () => {
    const matches = scopeMatchers(['docs/', '*.md']);
    assert.deepEqual(['docs/a.ts', 'src/a.md', 'src/a.ts'].map(matches), [true, true, false]);
  });

  it('leave out what one with ! names, wherever it stands', () => {
    for (const patterns of [
      ['docs/', '!docs/api/', '!*.ts'],
      ['!docs/api/', '!*.ts', 'docs/'],
    ]) {
      const matches = scopeMatchers(patterns);
      assert.deepEqual(['docs/a.md', 'docs/api/a.md', 'docs/a.ts', 'src/a.md'].map(matches), [
        true,
        false,
        false,
        false,
      ]);
    }
  });

  it('of exclusions alone take in nothing', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (pattern, path) => {
        assert.equal(scopeMatchers([`!${pattern}`])(path), false);
      }),
    );
  });
});

describe('Whether paths may name something below a directory', () => {
  const cases: [patterns: string[], reached: string[], not: string[]][] = [
    [['src/**/*.ts'], ['src', 'src/a', 'src/a/b'], ['lib', 'srcx', 'lib/src']],
    [['*.ts'], ['src', 'a/b'], []],
    [['/generated/'], ['src', 'generated'], []],
    [['src/*.ts'], ['src'], ['src/a', 'lib']],
    [
      ['packages/*/src/*.ts'],
      ['packages', 'packages/a', 'packages/a/src'],
      ['packages/a/lib', 'packages/a/src/b'],
    ],
    [['vendor/lib'], ['vendor', 'vendor/lib', 'vendor/lib/deep'], ['vendor/other', 'src']],
    [['**', '!vendor/'], ['src'], ['vendor', 'vendor/lib']],
    [['**', '!vendor/*'], ['vendor'], []],
    [['**', '!**/__pycache__/**'], ['a'], ['a/__pycache__', '__pycache__']],
  ];
  for (const [patterns, reached, not] of cases)
    it(`${patterns.join(' ')}: into ${reached.join(', ')}; not into ${not.join(', ') || 'none'}`, () => {
      for (const dir of reached) assert.equal(mayReachInto(patterns, dir), true, dir);
      for (const dir of not) assert.equal(mayReachInto(patterns, dir), false, dir);
    });

  it('is never denied where they do', () => {
    const part = fc.constantFrom('a', 'b', '*', '**', '?', '{a,b}', '[ab]', '*.b', '{a/b,b}');
    const pattern = fc
      .tuple(
        fc.constantFrom('', '/', './'),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '/'),
      )
      .map(([before, parts, after]) => `${before}${parts.join('/')}${after}`);
    const names = fc.array(fc.constantFrom('a', 'b', 'a.b'), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), names, (patterns, parts) => {
        if (!scopeMatchers(patterns)(parts.join('/'))) return;
        for (let depth = 1; depth < parts.length; depth++)
          assert.equal(mayReachInto(patterns, parts.slice(0, depth).join('/')), true);
      }),
      { numRuns: 2_000 },
    );
  });
});
