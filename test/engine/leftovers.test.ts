import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRunDir } from '../../src/engine/jobs/run-dir.ts';
import { everything, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, killedAt } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';
import { follow } from '../support/remedy.ts';

const { make, removeAll } = projects();

const PRUNE = 'discern prune --no-dry-run';
const makefile = { config: null, files: { Makefile: 'test:\n\ttest -f src/a.txt\n' } };

/** What doctor finds of what was left behind, in the rooms that look for it. */
async function doctorsLeftovers({ root }: Project) {
  const { findings } = succeeded(await verb('doctor', root));
  const rooms = new Set(['state', 'worktrees', 'branches', 'locks']);
  return findings.filter(({ check, level }) => rooms.has(check) && level !== 'ok');
}

/** Each kind of thing a run that is killed, or a hand, leaves and `prune` clears away. */
const kinds: { title: string; make(project: Project): Promise<unknown>; config?: 'init' }[] = [
  {
    title: 'an init that was cut off',
    config: 'init',
    make: ({ root }) => killedAt('init.added', 'init', root),
  },
  {
    title: 'a landing that was cut off',
    make: async (project) => {
      const { path } = await started(project.root);
      await project.commit({ b: '' }, path);
      await killedAt('accept.moved', 'accept', path);
    },
  },
  {
    title: 'a removal that was cut off before it was judged',
    make: async ({ root }) => {
      const { id } = await started(root);
      await killedAt('retire.renamed', 'drop', root, { worktree: id, delete_branch: true });
    },
  },
  {
    title: 'a removal that was cut off after it was judged',
    make: async ({ root }) => {
      const { id } = await started(root);
      await killedAt('retire.judged', 'drop', root, { worktree: id, delete_branch: true });
    },
  },
  {
    title: 'a start that was cut off with its directory made',
    make: ({ root }) => killedAt('start.claimed', 'start', root),
  },
  {
    title: 'a worktree whose directory was deleted',
    make: async ({ root }) => rm((await started(root)).path, { recursive: true }),
  },
  {
    title: 'a landing whose record cannot be read',
    make: async ({ root }) => {
      await mkdir(join(root, '.git/discern-vscode'));
      await writeFile(join(root, '.git/discern-vscode/landing.json'), '{"version":1,"id":');
    },
  },
  {
    title: 'output of many runs',
    make: async ({ root }) => {
      const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
      for (let n = 10; n < 60; n++) {
        const dir = join(root, `.git/discern-vscode/runs/2020-01-01T00-00-00-0${n}Z-done-abcdef`);
        await makeRunDir(join(root, '.git'), dir);
        for (const one of [join(dir, 'run.json'), dir]) await utimes(one, old, old);
      }
    },
  },
];

describe('What was left behind', () => {
  afterEach(removeAll);

  for (const { title, make: leave, config } of kinds) {
    it(`is told by the preview of prune as prune then does it: ${title}`, async () => {
      const project = await make(config === 'init' ? makefile : {});
      await leave(project);
      if (config === 'init') {
        await git(project.root, 'add', 'discern.toml');
        await git(project.root, 'commit', '--quiet', '-m', 'project');
      }
      const before = await everything(project);
      const preview = await verb('prune', project.root);
      assert.deepEqual(await everything(project), before);
      const planned = preview.plan?.steps ?? [];
      assert.notDeepEqual(planned, []);
      const { pruned } = succeeded(await verb('prune', project.root, { dry_run: false }));
      assert.deepEqual(pruned, planned);
      assert.deepEqual((await verb('prune', project.root)).plan?.steps, []);
      assert.deepEqual(await doctorsLeftovers(project), []);
      await assertSound(project, []);
    });
  }

  it('has in doctor a remedy that helps: what prune does not do is never sent to it', async () => {
    const project = await make();
    const { root } = project;
    await git(root, 'branch', 'agent/foo');
    await git(root, 'branch', 'agent/wip');
    const { path, branch } = await started(root);
    await rm(path, { recursive: true });
    const found = await doctorsLeftovers(project);
    const remedyOf = (name: string) =>
      found.filter(({ what }) => what.includes(name)).map(({ remedy }) => remedy);
    assert.deepEqual(remedyOf('agent/foo'), ['git branch -d agent/foo']);
    assert.ok(remedyOf(String(path)).includes(PRUNE));
    assert.ok(remedyOf(branch ?? '?').every((remedy) => remedy === PRUNE));
    for (const { what, remedy } of found) {
      assert.notEqual(remedy, undefined);
      await follow(project, remedy ?? '');
      const still = (await doctorsLeftovers(project)).map((one) => one.what);
      assert.ok(!still.includes(what), `${what} is mended by ${remedy}`);
    }
    assert.deepEqual(await doctorsLeftovers(project), []);
    assert.equal(await git(root, 'branch', '--list', 'agent/*'), '');
  });

  it('of branches that a rebase will come back to, doctor says nothing', async () => {
    const project = await make();
    const { path, branch } = await started(project.root);
    await project.commit({ 'src/a.txt': 'theirs\n' }, path);
    await project.commit({ 'src/a.txt': 'ours\n' });
    await rm(join(project.root, '.git/worktrees', path.split('/').at(-1) ?? '', 'discern-vscode.json'));
    await git(path, 'rebase', 'main').catch(() => '');
    assert.equal(await git(path, 'branch', '--show-current'), '');
    const found = await doctorsLeftovers(project);
    assert.ok(!found.some(({ what }) => what.includes(branch ?? '?')), JSON.stringify(found));
  });

  it('of an index of its own, whoever made it, prune clears away once nobody can be at it any more', async () => {
    const project = await make();
    const state = join(project.root, '.git/discern-vscode');
    await mkdir(state);
    const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
    const makers = ['recover', 'pin', 'generated'];
    const names = makers.flatMap((maker) => [`${maker}-01234567.index`, `${maker}-01234567.index.lock`]);
    for (const name of names) {
      await writeFile(join(state, name), '');
      await utimes(join(state, name), old, old);
      await writeFile(join(state, name.replace('0123', 'abcd')), 'in use');
    }
    const planned = (await verb('prune', project.root)).plan?.steps ?? [];
    assert.equal(planned.length, names.length);
    const { pruned } = succeeded(await verb('prune', project.root, { dry_run: false }));
    assert.deepEqual(pruned, planned);
    const left = (await readdir(state)).filter((name) => name.includes('.index'));
    assert.deepEqual(left.sort(), names.map((name) => name.replace('0123', 'abcd')).sort());
    assert.equal(existsSync(join(state, 'pin-01234567.index')), false);
  });
});
