import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import fc from 'fast-check';
import { Refusal } from '../../src/engine/index.ts';
import { newId, slugify } from '../../src/engine/worktree/name.ts';
import { elsewhere, everything, refusedWith, started } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** True when git takes it for a branch name. */
function isBranchName(name: string): boolean {
  try {
    return execFileSync('git', ['check-ref-format', '--branch', name], { encoding: 'utf8' }).trim() === name;
  } catch {
    return false;
  }
}

describe('A name for a piece of work', () => {
  afterEach(removeAll);

  const cases: [string, string][] = [
    ['Add b', 'add-b'],
    ['fix/the thing', 'fix-the-thing'],
    ['../../etc/passwd', 'etc-passwd'],
    ['--force', 'force'],
    ['a..b.lock', 'a-b-lock'],
    ['@{upstream}~1^:x', 'upstream-1-x'],
    ['Ärger mit Größe', 'arger-mit-große'],
    ['e\u0301te\u0301', 'ete'],
    ['修复 登录', '修复-登录'],
    ['한글', '한글'],
    ['🚀 ship it 🎉', 'ship-it'],
    ['İstanbul', 'istanbul'],
    ['tab\tand\nline', 'tab-and-line'],
    ['x'.repeat(300), 'x'.repeat(40)],
    [`${'word '.repeat(60)}`, 'word-word-word-word-word-word-word-word'],
  ];
  for (const [name, slug] of cases) {
    it(`"${name.length > 30 ? `${name.slice(0, 30)}…` : name}" becomes ${slug}`.replace(/\s/g, ' '), () => {
      assert.equal(slugify(name), slug);
    });
  }

  it('that has nothing to name a branch with is refused in words', () => {
    for (const name of ['', '   ', '🚀🎉', '...', '--', '\u0301', '\u3164\u200b', '\ud800', '/', '👩‍👩‍👧']) {
      assert.throws(
        () => slugify(name),
        (error) =>
          error instanceof Refusal &&
          error.slug === 'invalid_argument' &&
          /few plain words/.test(error.message),
        JSON.stringify(name),
      );
    }
    assert.throws(
      () => slugify('x'.repeat(1001)),
      (error) => error instanceof Refusal && error.slug === 'invalid_argument',
    );
  });

  it('whatever it is, gives a branch git allows and one path component, or a refusal', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.string({ unit: 'grapheme', minLength: 290, maxLength: 310 }),
    );
    fc.assert(
      fc.property(name, (text) => {
        let slug: string;
        try {
          slug = slugify(text);
        } catch (error) {
          assert.ok(error instanceof Refusal && error.slug === 'invalid_argument');
          return;
        }
        const id = newId(slug);
        assert.ok(isBranchName(`agent/${id}`), `git refuses agent/${id}`);
        assert.ok(isBranchName(id), `git refuses ${id}`);
        assert.equal(basename(id), id);
        assert.ok(Buffer.byteLength(`.${id}.removing-01234567`) < 255, 'it fits a file name');
        assert.equal(id, id.normalize('NFC'), 'file systems that normalise names leave it alone');
      }),
      { numRuns: 60 },
    );
  });

  it('really makes a worktree, in any script', async () => {
    const project = await make();
    for (const name of ['../-x y/..', '修复', 'é'.repeat(300)]) {
      const { branch, path, id } = await started(project.root, { name });
      assert.equal(await git(path, 'branch', '--show-current'), branch);
      assert.equal(basename(path), id);
    }
  });

  it('that is refused changes nothing', async () => {
    const project = await make();
    const before = await everything(project);
    refusedWith(await verb('start', project.root, { name: '🚀' }), 'invalid_argument');
    assert.deepEqual(await everything(project), before);
  });

  it('may be given to two starts at once, in one process and in two', async () => {
    const project = await make();
    const [first, second] = await Promise.all([
      started(project.root, { name: 'same' }),
      started(project.root, { name: 'same' }),
    ]);
    assert.notEqual(first.id, second.id);
    assert.notEqual(first.port, second.port);
    const others = await Promise.all(
      [1, 2].map(() => elsewhere('start', project.root, { name: 'same' }).ended),
    );
    const paths = [first.path, second.path, ...others.map((envelope) => envelope?.data?.path)];
    assert.equal(new Set(paths).size, 4, 'each has a worktree of its own');
    const listed = (await git(project.root, 'worktree', 'list')).split('\n');
    assert.equal(listed.length, 5);
  });
});
