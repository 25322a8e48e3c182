import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { VerbEvent } from '../../src/contract/events.ts';
import { everything, listing, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const ignoring = (ignored: string, files: Record<string, string> = {}) => ({
  files: { '.gitignore': ignored, ...files },
});

describe('Ignored files that come along into a new worktree', () => {
  afterEach(removeAll);

  it('are those that are named and that git ignores, whole, with their modes and times', async () => {
    const project = await make(
      ignoring('node_modules/\n*.local\nbuild/\n', {
        '.worktreeinclude': '# wanted\r\n\r\n/node_modules\n*.local\nnotes.txt\n',
      }),
    );
    await project.write({
      'node_modules/x/index.js': 'x\n',
      'node_modules/x/run.sh': 'x\n',
      'src/my.local': 'mine\n',
      'build/out': 'not wanted\n',
      'notes.txt': 'untracked, and not ignored\n',
    });
    await chmod(join(project.root, 'node_modules/x/run.sh'), 0o755);
    await utimes(join(project.root, 'node_modules/x/index.js'), 1_600_000_000, 1_600_000_000);
    const answer = await verb('start', project.root, {});
    const { path, brought } = succeeded(answer);
    assert.deepEqual(brought?.paths, ['node_modules/', 'src/my.local']);
    assert.equal(brought?.files, 3);
    const found = await listing(path);
    for (const one of await listing(project.root)) {
      const wanted = /^(node_modules|src\/my)/.test(one);
      if (wanted) assert.ok(found.includes(one), one);
    }
    assert.ok(!found.some((one) => /^(build|notes)/.test(one)));
    assert.equal((await stat(join(path, 'node_modules/x/index.js'))).mtimeMs, 1_600_000_000_000);
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('are nobody’s when nothing names them, and the answer then says nothing of it', async () => {
    const project = await make(ignoring('node_modules/\n'));
    await project.write({ 'node_modules/x': 'x\n' });
    const answer = await verb('start', project.root, {});
    assert.equal(succeeded(answer).brought, undefined);
    assert.ok(!(await listing(succeeded(answer).path)).some((one) => one.startsWith('node_modules')));
  });

  it('are named by Cursor’s, VS Code’s and our own settings too, and of commands only copies count', async () => {
    const project = await make(
      ignoring('a/\nb\n.c/\nd/\ne\nf.cfg\ng.cfg\n', {
        '.cursor/worktrees.json': JSON.stringify({
          'setup-worktree': [
            'touch ran',
            'cp -R "$ROOT_WORKTREE_PATH/a" .',
            'cp $ROOT_WORKTREE_PATH/b b',
            'cp $ROOT_WORKTREE_PATH/e elsewhere',
          ],
        }),
        '.vscode/settings.json': '{ // mine\n "git.worktreeIncludeFiles": ["**/.c/**", "{f,x}.cfg"], }',
        'discern-vscode.toml': '[worktree]\ninclude = ["d/"]\n',
      }),
    );
    await project.write({ 'a/1': '', b: '', '.c/2': '', 'd/3': '', e: '', 'f.cfg': '', 'g.cfg': '' });
    const { path, brought } = succeeded(await verb('start', project.root, {}));
    assert.deepEqual(brought?.paths, ['.c/', 'a/', 'b', 'd/', 'f.cfg']);
    assert.ok(!(await listing(path)).some((one) => one.startsWith('ran')));
    const plan = (await verb('start', project.root, { dry_run: true })).plan?.steps.filter(
      ({ action }) => action === 'bring',
    );
    assert.equal(plan?.length, 3);
  });

  it('come to a project below the git top from its own settings, and not from beside it', async () => {
    const project = await make({
      config: null,
      files: {
        '.gitignore': 'cache/\n',
        'pkg/discern.toml': '[project]\nname = "x"\n',
        'pkg/discern-vscode.toml': '[worktree]\ninclude = ["cache"]\n',
      },
    });
    await project.write({ 'cache/top': '', 'pkg/cache/own': '', 'pkg/src/cache/deep': '' });
    const { brought } = succeeded(await verb('start', join(project.root, 'pkg'), {}));
    assert.deepEqual(brought?.paths, ['pkg/cache/', 'pkg/src/cache/']);
  });

  it('never replace what is there, and stay out where the new worktree does not ignore them', async () => {
    const project = await make(ignoring('gen/\nlate/\n', { '.worktreeinclude': 'gen/\nlate/\n' }));
    await git(project.root, 'switch', '--quiet', '-c', 'other');
    await project.write({ 'gen/own': 'of the commit\n', '.gitignore': 'gen/\n' });
    await git(project.root, 'add', '--force', 'gen/own', '.gitignore');
    await git(project.root, 'commit', '--quiet', '-m', 'own');
    await git(project.root, 'switch', '--quiet', 'main');
    await project.write({ 'gen/own': 'mine\n', 'gen/more': 'mine\n', 'late/x': 'mine\n' });
    const { path, brought } = succeeded(await verb('start', project.root, { from: 'other' }));
    assert.equal(brought, undefined);
    assert.equal(await readFile(join(path, 'gen/own'), 'utf8'), 'of the commit\n');
    assert.deepEqual(
      (await listing(path)).filter((one) => /more|late/.test(one)),
      [],
    );
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  it('are never written through a link of the new worktree', async () => {
    const project = await make(ignoring('cache/\n', { '.worktreeinclude': 'cache/\n' }));
    const outside = join(project.home, 'outside');
    await mkdir(outside);
    await git(project.root, 'switch', '--quiet', '-c', 'other');
    await symlink(outside, join(project.root, 'pkg'));
    await project.commit({});
    await git(project.root, 'switch', '--quiet', 'main');
    await project.write({ 'pkg/cache/x': 'x\n', 'pkg/kept': '' });
    await project.commit({});
    const answer = await verb('start', project.root, { from: 'other' });
    assert.equal(succeeded(answer).brought, undefined);
    assert.deepEqual(await listing(outside), []);
    assert.equal(await readlink(join(succeeded(answer).path, 'pkg')), outside);
  });

  it('have their symlinks as links, and nothing of what these lead to', async () => {
    const project = await make(ignoring('nm/\nlinked\n', { '.worktreeinclude': 'nm/\nlinked\n' }));
    await writeFile(join(project.home, 'secret'), 'outside\n');
    await mkdir(join(project.root, 'nm/.bin'), { recursive: true });
    await symlink('../x.js', join(project.root, 'nm/.bin/x'));
    await symlink(project.home, join(project.root, 'nm/out'));
    await symlink('../secret', join(project.root, 'linked'));
    await writeFile(join(project.root, 'nm/one'), '1\n');
    await link(join(project.root, 'nm/one'), join(project.root, 'nm/two'));
    const { path } = succeeded(await verb('start', project.root, {}));
    assert.equal(await readlink(join(path, 'nm/.bin/x')), '../x.js');
    assert.equal(await readlink(join(path, 'nm/out')), project.home);
    assert.equal(await readlink(join(path, 'linked')), '../secret');
    await writeFile(join(path, 'nm/two'), 'changed\n');
    assert.equal(
      await readFile(join(project.root, 'nm/one'), 'utf8'),
      '1\n',
      'no file is shared with the source',
    );
  });

  it('are no env files but those [worktree].env_files names, wherever they lie, and that is said', async () => {
    const project = await make(ignoring('.env*\nnm/\n', { '.worktreeinclude': '.env*\nnm/\n' }));
    await project.write({
      '.env': 'A=1\n',
      '.env.production': 'KEY=secret\n',
      'nm/.env': 'B=2\n',
      'nm/x': '',
    });
    const answer = await verb('start', project.root, {});
    const { path, brought } = succeeded(answer);
    assert.deepEqual(brought?.paths, ['.env', 'nm/']);
    const found = (await listing(path)).map((one) => one.split(' ')[0]);
    assert.ok(
      found.includes('.env') && !found.includes('.env.production') && !found.includes('nm/.env'),
      found.join(),
    );
    assert.match(answer.hints?.join('\n') ?? '', /Secrets did not come along: \.env\.production\./);
    const closed = await make({
      config: '[project]\nname = "x"\n[worktree]\nenv_files = []\n',
      ...ignoring('.env*\n', { '.worktreeinclude': '.env*\n' }),
    });
    await closed.write({ '.env': 'A=1\n' });
    assert.equal(succeeded(await verb('start', closed.root, {})).brought, undefined);
  });

  it('that still name the checkout they come from are told, once', async () => {
    const project = await make(ignoring('.venv/\n', { '.worktreeinclude': '.venv/\n' }));
    const at = project.root;
    await project.write({
      '.venv/bin/pip': `#!${at}/.venv/bin/python\n`,
      '.venv/bin/other': `#!${at}.elsewhere/bin/python\n`,
      '.venv/pyvenv.cfg': 'home = /usr/bin\n',
    });
    const { hints = [] } = await verb('start', project.root, {});
    const told = hints.filter((hint) => hint.includes('came along still'));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^1 of what came along still names .*\.venv\/bin\/pip/);
  });

  it('leave out other checkouts and what is not a file, and say so', async () => {
    const project = await make(ignoring('nm/\nwt/\n', { '.worktreeinclude': 'nm/\nwt/\n' }));
    await project.write({ 'nm/x': '' });
    execFileSync('mkfifo', [join(project.root, 'nm/pipe')]);
    await git(project.root, 'worktree', 'add', '--quiet', '--detach', join(project.root, 'wt/one'));
    const answer = await verb('start', project.root, {});
    const { path } = succeeded(answer);
    const found = await listing(path);
    assert.ok(found.some((one) => one.startsWith('nm/x ')));
    assert.ok(!found.some((one) => /pipe|one\/src/.test(one)), found.join());
    assert.match(answer.hints?.join('\n') ?? '', /Did not come along: .*nm\/pipe/);
  });

  it('are there before the steps run, and go with a start that fails, which takes nobody’s file along', async () => {
    const project = await make({
      config:
        '[project]\nname = "x"\n[worktree.setup]\nsteps = ["test -f nm/x && test -f a.local && false"]\n',
      ...ignoring('nm/\n*.local\n', { '.worktreeinclude': 'nm/\n*.local\n' }),
    });
    await project.write({ 'nm/x': '', 'a.local': 'mine\n' });
    const before = await everything(project);
    const answer = await verb('start', project.root, {});
    refusedWith(answer, 'gate_failed', /test -f nm/);
    assert.ok(!answer.hints?.some((hint) => hint.includes('is kept in')), answer.hints?.join('\n'));
    assert.deepEqual(await everything(project), before);
  });

  it('that a failing setup changed are kept, and no copy beside them', async () => {
    const project = await make({
      config:
        '[project]\nname = "x"\n[worktree.setup]\nsteps = ["echo more >> nm/x; echo new > nm/new; false"]\n',
      ...ignoring('nm/\n*.local\n', { '.worktreeinclude': 'nm/\n*.local\n' }),
    });
    await project.write({ 'nm/x': 'x\n', 'nm/deep/same': 'same\n', 'a.local': 'mine\n' });
    const { hints = [], error } = await verb('start', project.root, {});
    assert.equal(error, 'gate_failed');
    const told = hints.find((hint) => hint.includes('is kept in')) ?? '';
    const [, kept = '', names = ''] = /is kept in (\S+): (.*)\.$/.exec(told) ?? [];
    assert.deepEqual(names.split(', ').sort(), ['nm/new', 'nm/x'], told);
    assert.equal(await readFile(join(kept, 'nm/x'), 'utf8'), 'x\nmore\n');
  });

  it('go too when the call is cancelled while they are copied', async () => {
    const project = await make(ignoring('nm/\n', { '.worktreeinclude': 'nm/\n' }));
    const files = Object.fromEntries([...Array(2_100).keys()].map((n) => [`nm/${n % 40}/${n}`, '']));
    await project.write(files);
    const before = await everything(project);
    const stop = new AbortController();
    const events: VerbEvent[] = [];
    events.push = (...all) => {
      if (all.some((event) => event.type === 'progress' && event.message.includes('along'))) stop.abort();
      return Array.prototype.push.apply(events, all);
    };
    refusedWith(await verb('start', project.root, {}, { signal: stop.signal, events }), 'cancelled');
    assert.ok(stop.signal.aborted);
    assert.deepEqual(await everything(project), before);
  });

  it('refuse a start, before anything is made, only when our own settings are wrong', async () => {
    const project = await make(
      ignoring('nm/\n', { '.vscode/settings.json': '[]', '.cursor/worktrees.json': '7' }),
    );
    const { hints } = await verb('start', project.root, {});
    assert.equal(
      hints?.filter((hint) => hint.includes('is no JSON object, so it brings nothing along')).length,
      2,
    );
    await project.write({ 'discern-vscode.toml': '[worktree]\ninclude = "nm"\n' });
    const before = await everything(project);
    refusedWith(await verb('start', project.root, {}), 'config_error', /include/);
    assert.deepEqual(await everything(project), before);
  });

  it('leave no trace of the copying', async () => {
    const project = await make(ignoring('nm/\n', { '.worktreeinclude': 'nm/\n' }));
    await project.write({ 'nm/x': '' });
    const { path } = await started(project.root);
    const gitDir = await git(path, 'rev-parse', '--absolute-git-dir');
    await assert.rejects(lstat(join(gitDir, 'discern-bringing')), { code: 'ENOENT' });
  });
});
