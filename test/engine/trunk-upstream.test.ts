import assert from 'node:assert/strict';
import { join } from 'node:path';
import { everything, refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

/** A project whose main was published, and to which another clone then pushed two commits; nothing is fetched yet. */
async function published(): Promise<{ project: Project; theirs: string }> {
  const project = await make();
  const bare = join(project.home, 'origin.git');
  await git(project.root, 'init', '--quiet', '--bare', bare);
  await git(project.root, 'remote', 'add', 'origin', bare);
  await git(project.root, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  const other = join(project.home, 'other');
  await git(project.home, 'clone', '--quiet', '--branch', 'main', bare, other);
  await project.commit({ b: '' }, other);
  const theirs = await project.commit({ c: '' }, other);
  await git(other, 'push', '--quiet', 'origin', 'main');
  return { project, theirs };
}

const upstreamOf = async (root: string) => succeeded(await verb('status', root)).upstream;
const doctorSays = async (root: string) =>
  (succeeded(await verb('doctor', root)).findings ?? []).filter(({ what }) => what.includes('behind origin'));
const startSays = async (root: string, from?: string) =>
  ((await verb('start', root, { dry_run: true, ...(from && { from }) })).hints ?? []).filter((hint) =>
    hint.includes('behind origin'),
  );

describe('A trunk behind its upstream', () => {
  afterEach(removeAll);

  it('is said by status, start and doctor once a fetch told of it, with a command that helps', async () => {
    const { project, theirs } = await published();
    const { root } = project;
    assert.equal(await upstreamOf(root), undefined);
    await git(root, 'fetch', '--quiet');
    const before = await everything(project);
    const told = await upstreamOf(root);
    assert.deepEqual(
      { ...told, remedy: '' },
      { name: 'origin/main', commit: theirs, ahead: 0, behind: 2, remedy: '' },
    );
    const [finding, ...more] = await doctorSays(root);
    assert.equal(more.length, 0);
    assert.equal(finding?.level, 'warn');
    assert.equal(finding?.what, 'main is 2 commits behind origin/main, as last fetched.');
    assert.equal(finding?.remedy, told?.remedy);
    const [hint = ''] = await startSays(root);
    assert.match(hint, /^main is 2 commits behind origin\/main, as last fetched\. .*then update\.$/);
    assert.ok(hint.includes(told?.remedy ?? '?'));
    assert.deepEqual(await startSays(root, 'origin/main'), [], 'A branch that begins there lacks nothing.');
    assert.deepEqual(await everything(project), before);
    const made = await verb('start', root);
    assert.ok(made.ok && made.hints?.some((one) => one === hint));
    assert.equal((await upstreamOf(succeeded(made).path))?.behind, 2, 'It is said in a worktree too.');
    const [program, ...words] = (told?.remedy ?? '').split(' ');
    assert.equal(program, 'git');
    await git(root, ...words);
    assert.equal(await git(root, 'rev-parse', 'main'), theirs);
    assert.equal(await upstreamOf(root), undefined);
    assert.deepEqual([await doctorSays(root), await startSays(root)], [[], []]);
  });

  it('with commits of its own is said to be both, and merged by the remedy', async () => {
    const { project, theirs } = await published();
    const { root } = project;
    const own = await project.commit({ own: '' });
    assert.equal(await upstreamOf(root), undefined, 'A trunk that is only ahead is none of it.');
    await git(root, 'fetch', '--quiet');
    const told = await upstreamOf(root);
    assert.deepEqual([told?.ahead, told?.behind], [1, 2]);
    assert.equal(
      (await doctorSays(root))[0]?.what,
      'main is 2 commits behind origin/main and 1 ahead of it, as last fetched.',
    );
    await git(root, ...(told?.remedy ?? '').split(' ').slice(1));
    assert.equal(
      await git(root, 'rev-list', '--parents', '-1', 'HEAD'),
      `${await git(root, 'rev-parse', 'HEAD')} ${own} ${theirs}`,
    );
  });

  it('is known without an upstream in the settings, and where no checkout has the trunk', async () => {
    const { project, theirs } = await published();
    const { root } = project;
    await git(root, 'fetch', '--quiet');
    await git(root, 'branch', '--unset-upstream', 'main');
    await git(root, 'switch', '--quiet', '-c', 'mine');
    const told = await upstreamOf(root);
    assert.equal(told?.behind, 2);
    await git(root, ...(told?.remedy ?? '').split(' ').slice(1));
    assert.equal(await git(root, 'rev-parse', 'main'), theirs);
    assert.equal(await upstreamOf(root), undefined);
  });

  it('is not said of an upstream that is another one, gone, or a local branch', async () => {
    const { project } = await published();
    const { root } = project;
    await git(root, 'fetch', '--quiet');
    await git(root, 'branch', 'local', 'origin/main');
    await git(root, 'branch', '--quiet', '--set-upstream-to=local', 'main');
    assert.equal(await upstreamOf(root), undefined);
    await git(root, 'config', 'branch.main.remote', 'origin');
    await git(root, 'config', 'branch.main.merge', 'refs/heads/gone');
    assert.equal(await upstreamOf(root), undefined);
    await git(root, 'push', '--quiet', 'origin', 'main:next');
    await git(root, 'config', 'branch.main.merge', 'refs/heads/next');
    assert.equal(await upstreamOf(root), undefined);
    const { path } = await started(root);
    assert.equal(await upstreamOf(path), undefined);
  });
});

describe('Update with fetch', () => {
  afterEach(removeAll);

  it('merges what the upstream got, moves no other branch, and what lands is both', async () => {
    const { project, theirs } = await published();
    const { root } = project;
    const { path } = await started(root);
    const own = await project.commit({ own: '' }, path);
    const main = await git(root, 'rev-parse', 'main');
    await git(root, 'tag', 'origin-only');
    await git(root, 'push', '--quiet', 'origin', 'origin-only');
    await git(root, 'tag', '--delete', 'origin-only');
    const data = succeeded(await verb('update', path, { fetch: true }));
    assert.deepEqual([data.from, data.before, data.merged], ['origin/main', own, true]);
    assert.equal(await git(path, 'rev-list', '--parents', '-1', 'HEAD'), `${data.after} ${own} ${theirs}`);
    assert.equal(await git(root, 'rev-parse', 'main'), main);
    assert.equal(await git(root, 'tag', '--list'), '');
    const again = succeeded(await verb('update', path, { fetch: true }));
    assert.deepEqual([again.merged, again.after], [false, data.after]);
    succeeded(await verb('accept', path));
    assert.equal(await git(root, 'rev-parse', 'main'), data.after);
    assert.equal(await upstreamOf(root), undefined);
  });

  it('only looks at what was last fetched with dry_run', async () => {
    const { project } = await published();
    const { path } = await started(project.root);
    const before = await everything(project);
    const answer = await verb('update', path, { fetch: true, dry_run: true });
    assert.ok(answer.ok);
    assert.deepEqual(await everything(project), before);
  });

  it('says so where the trunk has commits of its own as well, and a second update has all', async () => {
    const { project, theirs } = await published();
    const { root } = project;
    const { path } = await started(root);
    const own = await project.commit({ own: '' });
    const answer = await verb('update', path, { fetch: true });
    assert.equal(succeeded(answer).after, theirs);
    assert.match(answer.hints?.[0] ?? '', /1 ahead of it.*Call update once more/);
    succeeded(await verb('update', path));
    await git(path, 'merge-base', '--is-ancestor', own, 'HEAD');
    await git(path, 'merge-base', '--is-ancestor', theirs, 'HEAD');
  });

  it('refuses, and changes nothing, where there is nothing to fetch or it cannot be had', async () => {
    const { project } = await published();
    const { root } = project;
    const { path } = await started(root);
    const refused = async (slug: Parameters<typeof refusedWith>[1], words: RegExp, args = {}) => {
      const before = await everything(project);
      const answer = await verb('update', path, { fetch: true, ...args });
      refusedWith(answer, slug, words);
      assert.deepEqual(await everything(project), before);
      return answer.message ?? '';
    };
    await refused('invalid_argument', /no from/, { from: 'main' });
    const url = await git(root, 'remote', 'get-url', 'origin');
    await git(root, 'remote', 'set-url', 'origin', join(project.home, 'nowhere.git'));
    await refused('unavailable', /^origin could not be fetched .*nothing was changed/);
    await git(root, 'remote', 'set-url', 'origin', 'http://me:secret@127.0.0.1:1/x.git');
    assert.doesNotMatch(await refused('unavailable', /^origin could not be fetched/), /secret/);
    await git(root, 'remote', 'set-url', 'origin', url);
    await git(url, 'branch', '--move', 'main', 'renamed');
    await refused('unknown_ref', /^origin has no main/);
    await git(root, 'remote', 'remove', 'origin');
    await refused('unknown_ref', /no upstream to fetch/);
  });
});
