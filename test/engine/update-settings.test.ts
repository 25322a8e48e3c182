import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const long = (first: string) =>
  `${first}\n${Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')}\n`;

/** The trunk renames a file and a directory; the branch edits the one and adds to the other. */
async function renamed(settings: Record<string, string>): Promise<{ project: Project; path: string }> {
  const project = await make({ files: { 'old.txt': long('old'), 'dir/one.txt': long('one') } });
  const { path, branch } = await started(project.root);
  await project.commit({ 'old.txt': long('edited') }, path);
  await git(project.root, 'mv', 'old.txt', 'new.txt');
  await project.commit({});
  for (const [key, value] of Object.entries(settings))
    await git(project.root, 'config', key.replace('BRANCH', branch ?? ''), value);
  return { project, path };
}

const settings = {
  'merge.renames': 'false',
  'diff.renames': 'false',
  'merge.renameLimit': '1',
  'merge.directoryRenames': 'true',
  'merge.ff': 'false',
  'merge.default': 'ours',
  'merge.ours.driver': 'true',
  'merge.conflictStyle': 'diff3',
  'merge.verifySignatures': 'true',
  'merge.autoStash': 'true',
  'merge.log': 'true',
  'pull.rebase': 'true',
  'pull.ff': 'only',
  'rerere.enabled': 'true',
  'rerere.autoUpdate': 'true',
  'branch.BRANCH.mergeOptions': '--no-ff --strategy=ours',
  'diff.algorithm': 'minimal',
};

describe('What update merges', () => {
  afterEach(removeAll);

  it('is the same whatever the settings say', async () => {
    const { path } = await renamed(settings);
    const theirs = await git(path, 'rev-parse', 'main');
    const ours = await git(path, 'rev-parse', 'HEAD');
    const data = succeeded(await verb('update', path));
    assert.equal(await readFile(join(path, 'new.txt'), 'utf8'), long('edited'));
    assert.equal(await git(path, 'log', '-1', '--format=%P'), `${ours} ${theirs}`);
    assert.equal(data.after, await git(path, 'rev-parse', 'HEAD'));
    assert.equal(await git(path, 'status', '--porcelain'), '');
  });

  for (const [what, put] of [
    [
      'info/attributes',
      (project: Project) => writeFile(join(project.root, '.git/info/attributes'), '* merge=union\n'),
    ],
    [
      'a macro of info/attributes',
      (project: Project) =>
        writeFile(join(project.root, '.git/info/attributes'), '[attr]odd merge=union\n*.txt odd\n'),
    ],
    [
      'core.attributesFile',
      async (project: Project) => {
        await writeFile(join(project.home, 'attributes'), '* merge=union\n');
        await git(project.root, 'config', 'core.attributesFile', join(project.home, 'attributes'));
      },
    ],
  ] as const) {
    it(`is what the commits say, whatever ${what} says of merging`, async () => {
      const project = await make({ files: { 'both.txt': 'base\n' } });
      const { path } = await started(project.root);
      const ours = await project.commit({ 'both.txt': 'ours\n' }, path);
      await project.commit({ 'both.txt': 'theirs\n' });
      await put(project);
      const answer = await verb('update', path);
      refusedWith(answer, 'merge_conflict');
      assert.deepEqual(answer.data?.conflicts, ['both.txt']);
      assert.equal(await git(path, 'rev-parse', 'HEAD'), ours);
      await git(project.root, 'revert', '--no-edit', 'HEAD');
      succeeded(await verb('update', path));
    });
  }

  it('is nothing when a merge driver of somebody’s would take one side: that is a conflict, and is told', async () => {
    const project = await make({ files: { '.gitattributes': '* merge=mine\n', 'both.txt': 'base\n' } });
    const ran = join(project.home, 'ran');
    await git(project.root, 'config', 'merge.mine.driver', `touch ${ran}; true`);
    const { path } = await started(project.root);
    const ours = await project.commit({ 'both.txt': 'ours\n' }, path);
    await project.commit({ 'both.txt': 'theirs\n' });
    const answer = await verb('update', path);
    refusedWith(answer, 'merge_conflict');
    assert.deepEqual(answer.data?.conflicts, ['both.txt']);
    assert.equal(await git(path, 'rev-parse', 'HEAD'), ours);
    await assert.rejects(readFile(ran), 'its program did not run');
  });

  it('is merged line by line where a driver is named and both sides agree', async () => {
    const project = await make({ files: { '.gitattributes': '* merge=mine\n', 'both.txt': long('base') } });
    await git(project.root, 'config', 'merge.mine.driver', 'false');
    const { path } = await started(project.root);
    await project.commit({ 'both.txt': `${long('base')}ours\n` }, path);
    await project.commit({ 'both.txt': long('theirs') });
    succeeded(await verb('update', path));
    assert.equal(await readFile(join(path, 'both.txt'), 'utf8'), `${long('theirs')}ours\n`);
  });
});
