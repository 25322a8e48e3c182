import assert from 'node:assert/strict';
import { join } from 'node:path';
import { refusedWith, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

const named = (trunk: string) => `[project]\nname = "sample"\n[repository]\ntrunk = "${trunk}"\n`;
const trunkOf = async (project: Project) => succeeded(await verb('status', project.root)).trunk;

/** Gives the project a remote whose HEAD is `branch`. */
async function publish(project: Project, branch: string): Promise<void> {
  const bare = join(project.home, 'origin.git');
  await git(project.root, 'init', '--quiet', '--bare', bare);
  await git(project.root, 'remote', 'add', 'origin', bare);
  await git(project.root, 'push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`);
  await git(project.root, 'fetch', '--quiet', 'origin');
  await git(project.root, 'remote', 'set-head', 'origin', branch);
}

describe('The trunk', () => {
  afterEach(removeAll);

  it('is what discern.toml says, before all else', async () => {
    const project = await make({ config: named('develop') });
    await git(project.root, 'branch', 'develop');
    await publish(project, 'main');
    assert.equal(await trunkOf(project), 'develop');
  });

  it('is the branch of origin/HEAD, when discern.toml says none', async () => {
    const project = await make();
    await git(project.root, 'branch', 'release/next');
    await publish(project, 'release/next');
    assert.equal(await trunkOf(project), 'release/next');
  });

  it('is main when origin/HEAD has no local branch, and master when there is no main', async () => {
    const project = await make();
    await publish(project, 'elsewhere');
    await git(project.root, 'branch', 'master');
    assert.equal(await trunkOf(project), 'main');
    await git(project.root, 'branch', '--move', 'main', 'renamed');
    assert.equal(await trunkOf(project), 'master');
  });

  it('is found out when discern.toml has an empty name', async () => {
    const project = await make({ config: named('') });
    assert.equal(await trunkOf(project), 'main');
  });

  it('is no other branch that begins alike, and no tag', async () => {
    const project = await make({ branch: 'main/sub' });
    await git(project.root, 'tag', 'master');
    refusedWith(await verb('status', project.root), 'unknown_ref', /\[repository\]\.trunk/);
  });

  it('that discern.toml names and nobody made is refused, by name', async () => {
    const project = await make({ config: named('nowhere') });
    const answer = await verb('status', project.root);
    refusedWith(answer, 'unknown_ref', /"nowhere"/);
    assert.equal(answer.data?.branch, 'main');
  });

  it('may have a slash in its name, and everything works on it', async () => {
    const project = await make({ config: named('team/trunk'), branch: 'team/trunk' });
    const { path } = await started(project.root);
    const commit = await project.commit({ b: '' }, path);
    assert.deepEqual(succeeded(await verb('status', path)).ahead, 1);
    succeeded(await verb('accept', path));
    assert.equal(await git(project.root, 'rev-parse', 'team/trunk'), commit);
  });

  it('may be checked out in a linked checkout: that is the landing checkout then', async () => {
    const project = await make();
    await git(project.root, 'switch', '--quiet', '-c', 'mine');
    const linked = join(project.home, 'landing');
    await git(project.root, 'worktree', 'add', '--quiet', linked, 'main');
    const data = succeeded(await verb('status', linked));
    assert.equal(data.location, 'main');
    assert.deepEqual(
      data.worktrees.map(({ path, landing }) => [path, landing]),
      [
        [project.root, false],
        [linked, true],
      ],
    );
  });
});
