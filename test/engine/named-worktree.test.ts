import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Args } from '../../src/contract/verbs.ts';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** Verbs that are told a worktree, each with arguments that would change something. */
const changing: { [V in 'phase' | 'describe' | 'ticket']: Omit<Args<V>, 'worktree'> } = {
  phase: { word: 'testing' },
  describe: { title: 'A title' },
  ticket: { action: 'attach', ref: 'https://forge.example/a/b/issues/1' },
};

describe('A worktree that is named', () => {
  const before = process.env.DISCERN_STATE_DIR;
  let state: string;
  let project: Project;

  beforeEach(async () => {
    state = await realpath(await mkdtemp(join(tmpdir(), 'discern-state-')));
    process.env.DISCERN_STATE_DIR = state;
    project = await make();
  });
  afterEach(async () => {
    if (before === undefined) delete process.env.DISCERN_STATE_DIR;
    else process.env.DISCERN_STATE_DIR = before;
    await removeAll();
    await rm(state, { recursive: true, force: true });
  });

  it('goes by its id, its branch, its path, and a path behind a link, from anywhere', async () => {
    const { id, branch, path } = await started(project.root, { name: 'some work' });
    const link = join(project.home, 'link');
    await symlink(path, link);
    for (const name of [id, branch ?? '', path, link]) {
      for (const root of ['', project.root, path]) {
        const { worktree, id: found } = succeeded(await verb('describe', root, { worktree: name }));
        assert.deepEqual([worktree, found], [path, id], `${name} from "${root}"`);
      }
    }
    // A branch that was renamed by hand leaves its id.
    await git(path, 'branch', '-m', 'renamed');
    const renamed = succeeded(await verb('describe', '', { worktree: id }));
    assert.deepEqual([renamed.worktree, renamed.branch], [path, 'renamed']);
    assert.equal(succeeded(await verb('describe', '', { worktree: 'renamed' })).id, id);
  });

  it('is never the one a caller stands in', async () => {
    const { path } = await started(project.root);
    await mkdir(join(path, 'deeper'));
    for (const worktree of ['', '.', 'deeper', join(path, 'deeper'), join(path, '..')]) {
      const what = await everything(project);
      for (const name of ['phase', 'describe', 'ticket'] as const) {
        const answer = await verb(name, path, { ...changing[name], worktree } as never);
        refusedWith(answer, worktree === '' ? 'invalid_argument' : 'path_not_found');
      }
      assert.deepEqual(await everything(project), what);
    }
  });

  it('that may be several is refused with each of them, and nothing is written', async () => {
    const { id, path } = await started(project.root);
    const other = join(project.home, 'other');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', id, other);
    const what = await everything(project);
    for (const name of ['phase', 'describe', 'ticket'] as const) {
      const answer = await verb(name, project.root, { ...changing[name], worktree: id } as never);
      const message = refusedWith(answer, 'ambiguous');
      assert.ok(message.includes(path) && message.includes(other), message);
    }
    assert.deepEqual(await everything(project), what);
    assert.equal(succeeded(await verb('describe', project.root, { worktree: other })).branch, id);
  });

  it('is looked for in the project at hand first, then in every project that was met', async () => {
    const second = await make({ name: 'second' });
    for (const { root, home } of [project, second]) {
      await git(root, 'worktree', 'add', '--quiet', '-b', 'same', join(home, 'same'));
      succeeded(await verb('status', root));
    }
    assert.match(
      refusedWith(await verb('describe', '', { worktree: 'same' }), 'ambiguous'),
      /same.* or .*same/,
    );
    const { worktree } = succeeded(await verb('describe', second.root, { worktree: 'same' }));
    assert.equal(worktree, join(second.home, 'same'));
    const { id, path } = await started(project.root);
    assert.equal(succeeded(await verb('describe', second.root, { worktree: id })).worktree, path);
  });

  it('is found by its path where nobody has met its project, and not in a directory of no repository', async () => {
    const other = join(project.home, 'by-hand');
    await git(project.root, 'worktree', 'add', '--quiet', '-b', 'by-hand', other);
    assert.equal(succeeded(await verb('describe', '', { worktree: other })).id, 'by-hand');
    refusedWith(await verb('describe', '', { worktree: project.home }), 'path_not_found');
    refusedWith(await verb('describe', '', { worktree: join(project.home, 'gone') }), 'path_not_found');
    await rm(other, { recursive: true });
    refusedWith(await verb('describe', '', { worktree: other }), 'path_not_found');
  });

  it('has a title and a description: what is left out stays, and an empty text clears', async () => {
    const { id, path } = await started(project.root);
    const told = async (args: Omit<Args<'describe'>, 'worktree'>) => {
      const { title, description } = succeeded(await verb('describe', '', { worktree: id, ...args }));
      return [title, description];
    };
    assert.deepEqual(await told({}), [undefined, undefined]);
    assert.deepEqual(await told({ title: 'One' }), ['One', undefined]);
    assert.deepEqual(await told({ description: 'a\nb' }), ['One', 'a\nb']);
    assert.deepEqual(await told({}), ['One', 'a\nb']);
    assert.deepEqual(await told({ title: '' }), [undefined, 'a\nb']);
    const [shown] = await told({ title: '\u001b[31mred\u001b[0m\n\u202etxt' });
    assert.equal(shown, '\\u{1b}[31mred\\u{1b}[0m \\u{202e}txt');
    refusedWith(await verb('describe', '', { worktree: id, title: 'x'.repeat(121) }), 'invalid_argument');
    assert.deepEqual(await told({ description: '' }), [shown, undefined]);
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('keeps every change when many write at once', async () => {
    const { id } = await started(project.root);
    await git(project.root, 'remote', 'add', 'origin', 'https://forge.example/a/b.git');
    const refs = Array.from({ length: 12 }, (_, n) => `#${n + 1}`);
    const all = refs.map((ref) => verb('ticket', '', { action: 'attach', worktree: id, ref }));
    for (const one of await Promise.all(all)) succeeded(one);
    const title = verb('describe', '', { worktree: id, title: 'Kept' });
    succeeded(await title);
    const { tickets } = succeeded(await verb('ticket', '', { action: 'detach', worktree: id, ref: '#12' }));
    assert.equal(tickets.length, 11);
    assert.equal(succeeded(await verb('describe', '', { worktree: id })).title, 'Kept');
  });

  it('whose notes are a stranger’s has none, and they are not written over', async () => {
    const { id, path } = await started(project.root);
    const notes = join(await git(path, 'rev-parse', '--absolute-git-dir'), 'discern-notes.json');
    await writeFile(notes, JSON.stringify({ version: 1, admin: id, title: 'Planted' }));
    const { data, hints } = await verb('describe', '', { worktree: id });
    assert.equal(data?.title, undefined);
    assert.match(hints?.join() ?? '', /discern-notes\.json was not written by this user/);
    refusedWith(await verb('describe', '', { worktree: id, title: 'Mine' }), 'untrusted');
    assert.match(await readFile(notes, 'utf8'), /Planted/);
  });

  it('reports its phase in a file of its git directory, or by the tool', async () => {
    const { id, path } = await started(project.root);
    const phase = async (args: Omit<Args<'phase'>, 'worktree'> = {}) => {
      const { phase: now, file } = succeeded(await verb('phase', '', { worktree: id, ...args }));
      return { file, now: now && [now.word, now.note, now.blocked] };
    };
    const { file, now } = await phase();
    assert.equal(now, undefined);
    assert.ok(file.startsWith(await git(path, 'rev-parse', '--absolute-git-dir')), file);
    await writeFile(file, 'reviewing: the parser\n');
    assert.deepEqual((await phase()).now, ['reviewing', 'the parser', false]);
    assert.deepEqual((await phase({ blocked: true })).now, ['reviewing', 'the parser', true]);
    assert.deepEqual((await phase({ note: 'needs a key' })).now, ['reviewing', 'needs a key', true]);
    assert.deepEqual((await phase({ word: 'testing' })).now, ['testing', undefined, false]);
    assert.equal((await phase({ word: '' })).now, undefined);
    refusedWith(
      await verb('phase', '', { worktree: id, note: 'of nothing' }),
      'invalid_argument',
      /No phase/,
    );
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('reports nothing by what is no small file of its own', async () => {
    const { id, path } = await started(project.root);
    const { file } = succeeded(await verb('phase', '', { worktree: id }));
    const todos = succeeded(await verb('todo', '', { worktree: id })).file;
    const secret = join(project.home, 'secret');
    await writeFile(secret, 'a secret\n- [ ] a secret\n');
    const said = async () => {
      const answers = [await verb('phase', '', { worktree: id }), await verb('todo', '', { worktree: id })];
      for (const answer of answers) assert.equal(JSON.stringify(answer).includes('a secret'), false);
      return answers.map(({ hints }) => hints?.join() ?? '');
    };
    await Promise.all([symlink(secret, file), symlink(secret, todos)]);
    for (const hint of await said()) assert.match(hint, /is a link/);
    // The tool replaces the link, not what it leads to.
    succeeded(await verb('phase', '', { worktree: id, word: 'mine' }));
    assert.match(await readFile(secret, 'utf8'), /^a secret/);
    await Promise.all([rm(file), rm(todos)]);
    await Promise.all([mkdir(file), mkdir(todos)]);
    for (const hint of await said()) assert.match(hint, /is not a regular file/);
    await Promise.all([rm(file, { recursive: true }), rm(todos, { recursive: true })]);
    await Promise.all([writeFile(file, 'x'.repeat(9_000)), writeFile(todos, '- x\n'.repeat(90_000))]);
    for (const hint of await said()) assert.match(hint, /more than the \d+ that are read/);
    await git(path, 'status', '--porcelain');
  });

  it('names these files to its jobs, whatever the environment had for another one', async () => {
    const own = await make({ config: '[project]\nname = "x"\n[jobs]\ntest = "env > $OUT"\n' });
    const { id, path } = await started(own.root);
    process.env.OUT = join(own.home, 'env');
    process.env.DISCERN_PHASE_FILE = '/elsewhere';
    try {
      succeeded(await verb('test', path));
    } finally {
      delete process.env.OUT;
      delete process.env.DISCERN_PHASE_FILE;
    }
    const env = (await readFile(join(own.home, 'env'), 'utf8')).split('\n');
    const { file } = succeeded(await verb('phase', '', { worktree: id }));
    const todos = succeeded(await verb('todo', '', { worktree: id })).file;
    assert.ok(env.includes(`DISCERN_PHASE_FILE=${file}`) && env.includes(`DISCERN_TODO_FILE=${todos}`));
  });

  it('has to-dos as its agent wrote them, with how many are done', async () => {
    const { id } = await started(project.root);
    const { file } = succeeded(await verb('todo', '', { worktree: id }));
    await writeFile(file, '# Plan\n- [x] first\n- [ ] second \u001b[2J\n');
    const { todos, done, all } = succeeded(await verb('todo', '', { worktree: id }));
    assert.deepEqual(todos, [
      { text: 'first', done: true },
      { text: 'second \\u{1b}[2J', done: false },
    ]);
    assert.deepEqual([done, all], [1, 2]);
  });

  it('has tickets of its remotes’ forge, and those of another are refused', async () => {
    const { id } = await started(project.root);
    const ticket = (action: 'attach' | 'detach', ref: string) =>
      verb('ticket', '', { action, worktree: id, ref });
    refusedWith(await ticket('attach', '42'), 'invalid_argument', /only a URL/);
    await git(project.root, 'remote', 'add', 'origin', 'git@forge.example:me/app.git');
    assert.deepEqual(succeeded(await ticket('attach', '#42')).tickets, [
      { ref: 'me/app#42', host: 'forge.example' },
    ]);
    const url = 'https://forge.example/me/app/pull/42';
    assert.deepEqual(succeeded(await ticket('attach', `${url}/files?x=1#d`)).tickets, [
      { ref: 'me/app#42', host: 'forge.example', url },
    ]);
    refusedWith(
      await ticket('attach', 'https://other.example/me/app/issues/1'),
      'invalid_argument',
      /forge of no remote/,
    );
    for (const ref of ['', 'x', '#0', '-1', '4 2', 'a/b', '#42; rm', '../b#1', `${'9'.repeat(20)}`]) {
      refusedWith(await ticket('attach', ref), 'invalid_argument');
    }
    refusedWith(await ticket('detach', '7'), 'invalid_argument', /Attached: me\/app#42/);
    await git(project.root, 'remote', 'add', 'upstream', 'https://forge.example/them/app');
    const answer = await ticket('attach', '7');
    refusedWith(answer, 'ambiguous', /me\/app#7 or them\/app#7/);
    assert.deepEqual(answer.data?.could_be, ['me/app#7', 'them/app#7']);
    succeeded(await ticket('attach', 'them/app#42'));
    refusedWith(
      await ticket('detach', '42'),
      'ambiguous',
      /me\/app#42 or them\/app#42|them\/app#42 or me\/app#42/,
    );
    const left = succeeded(await ticket('detach', 'me/app#42')).tickets;
    assert.deepEqual(left, [{ ref: 'them/app#42', host: 'forge.example' }]);
    assert.deepEqual(succeeded(await ticket('detach', '42')).tickets, []);
  });

  it('is all that status lists where it alone has the ticket that is asked for, parked or not', async () => {
    const [one, other] = [await started(project.root), await started(project.root)];
    const url = 'https://forge.example/me/app/issues/42';
    succeeded(await verb('ticket', '', { action: 'attach', worktree: one.id, ref: url }));
    const listed = async (ticket?: string, root = project.root) => {
      const answer = await verb('status', root, ticket === undefined ? {} : { ticket });
      const { worktrees, clean } = succeeded(answer);
      return { paths: worktrees.map(({ path }) => path), clean, hints: answer.hints ?? [] };
    };
    assert.equal((await listed()).paths.length, 3);
    for (const ref of ['42', '#42', 'me/app#42', 'ME/App#42', url]) {
      for (const root of [project.root, other.path]) {
        const { paths, clean } = await listed(ref, root);
        assert.deepEqual([paths, clean], [[one.path], true], ref);
      }
    }
    for (const ref of ['43', 'me/other#42', 'https://other.example/me/app/issues/42']) {
      const { paths, hints } = await listed(ref);
      assert.deepEqual(paths, [], ref);
      assert.ok(hints.includes(`No worktree here has the ticket ${ref}.`), hints.join());
    }
    refusedWith(await verb('status', project.root, { ticket: 'x' }), 'invalid_argument', /no issue/);
    succeeded(await verb('park', '', { worktree: one.id }));
    assert.deepEqual((await listed('42')).paths, [one.path]);
  });
});
