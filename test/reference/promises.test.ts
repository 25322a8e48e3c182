import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Verb, verbNames } from '../../src/contract/verbs.ts';
import { sessionsIn } from '../support/callers.ts';
import {
  elsewhere,
  endElsewhere,
  everything,
  refusedWith,
  started,
  succeeded,
} from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { inMemory } from '../support/in-memory.ts';
import { assertSound, killedAt } from '../support/invariants.ts';
import { config, job } from '../support/jobs.ts';
import { runs, until } from '../support/processes.ts';
import { git, type Project, projects } from '../support/project.ts';
import { connections } from '../support/server.ts';

declare const DISCERN_HOME: string;

const { make, removeAll } = projects();
const { open, closeAll } = connections();
const here = inMemory();

const readme = readFileSync(join(DISCERN_HOME, 'README.md'), 'utf8');

/** The sentences of the list under a heading of the README. */
function sentences(heading: string): string[] {
  const [, text = ''] = readme.split(`## ${heading}\n`);
  const bullets = text.split(/^- /m).slice(1);
  return bullets.flatMap((bullet) =>
    (bullet.split('\n\n')[0] ?? '')
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=\.) (?=[A-Z])/),
  );
}

/** A worktree with a commit of its own. */
async function withWork(project: Project, files: Record<string, string> = { 'src/b.txt': 'b\n' }) {
  const { path, branch, id } = await started(project.root);
  return { path, branch: branch ?? '', id, commit: await project.commit(files, path) };
}

/** Runs a job that writes down its process and sleeps, ends the run by `end`, and sees that the process is gone. */
async function endsItsJob(
  timeout: number | undefined,
  end: (run: { root: string; began: Promise<void> }) => Promise<void>,
) {
  const project = await make({
    config: config({ slow: job('check', 'echo $$ > ../pid; sleep 300', timeout) }),
  });
  const file = join(project.home, 'pid');
  const began = until('the job runs', async () => existsSync(file) && readFileSync(file, 'utf8') !== '');
  await end({ root: project.root, began });
  const pid = Number(readFileSync(file, 'utf8'));
  await until('the job’s process is gone', async () => !runs(pid));
}

const promises: Record<string, () => Promise<void>> = {
  "An agent that enters a worktree by its client's own means is gated there: the held root follows it towards work, never away from it, and says so first.":
    async () => {
      const project = await make();
      const { claude } = sessionsIn(project.home);
      const server = await open({ name: 'claude-code', env: claude.env(project.root), cwd: project.root });
      await claude.process(project.root);
      const own = join(project.home, 'app.worktrees/mine');
      await git(project.root, 'worktree', 'add', '--quiet', '-b', 'mine', own);
      await project.commit({ 'src/b.txt': 'fine\n' }, own);
      await claude.process(own);
      const followed = await server.call('discern_done');
      assert.deepEqual([followed.envelope.ok, followed.envelope.data.root], [true, own], followed.text);
      assert.match(followed.text.split('\n')[0] ?? '', /followed you there/);
      await claude.process(project.root);
      const stayed = await server.call('discern_done');
      assert.equal(stayed.envelope.data.root, own, stayed.text);
    },

  "A gate about a checkout in which nothing is anyone's work names the checkouts that have some.":
    async () => {
      const project = await make();
      const { path } = await withWork(project);
      const server = await here.open(project.root);
      const { envelope, text } = await server.call('discern_done');
      assert.equal(envelope.data.root, project.root);
      assert.ok(text.split('\n')[0]?.includes(path), text);
    },

  'A proof is of one exact commit, with a clean tree, under one exact `discern.toml`.': async () => {
    const project = await make();
    const { path, commit } = await withWork(project);
    assert.deepEqual(succeeded(await verb('done', path)).proof, { state: 'valid', commit });
    const state = async () => succeeded(await verb('status', path)).proof.state;
    assert.equal(await state(), 'valid');
    await project.commit({ 'src/c.txt': 'c\n' }, path);
    assert.equal(await state(), 'stale');
    await git(path, 'reset', '--quiet', '--hard', commit);
    assert.equal(await state(), 'valid');
    await writeFile(join(path, 'src/b.txt'), 'edited\n');
    assert.notEqual(await state(), 'valid');
    await git(path, 'checkout', '--quiet', '.');
    await writeFile(join(path, 'discern.toml'), config({ test: '"false"' }));
    assert.notEqual(await state(), 'valid');
  },

  'Uncommitted changes, a moved HEAD, or a job that rewrites a committed file earn none, and the answer says why.':
    async () => {
      const jobs = { test: JSON.stringify('sh ./job.sh') };
      const project = await make({ config: config(jobs), files: { 'job.sh': 'true\n' } });
      const { path } = await withWork(project);
      const earns = async () => succeeded(await verb('done', path));
      await writeFile(join(path, 'src/new.txt'), 'new\n');
      const dirty = await earns();
      assert.equal(dirty.proof?.state, 'none');
      assert.match(dirty.proof?.reason ?? '', /uncommitted/);
      await rm(join(path, 'src/new.txt'));
      await project.commit({ 'job.sh': 'git commit --quiet --allow-empty -m moved\n' }, path);
      const moved = await verb('done', path);
      assert.notEqual(moved.data?.proof?.state, 'valid');
      assert.match(`${moved.message} ${moved.data?.proof?.reason}`, /HEAD|commit/);
      await project.commit({ 'job.sh': 'echo more >> src/b.txt\n' }, path);
      const drifted = await verb('done', path);
      refusedWith(drifted, 'tree_drift', /src\/b\.txt/);
      assert.notEqual(drifted.data?.proof?.state, 'valid');
    },

  'Landing is a compare-and-swap to the validated commit, or to one with exactly its tree.': async () => {
    const project = await make();
    const one = await withWork(project);
    assert.equal(succeeded(await verb('accept', one.path)).landed_commit, one.commit);
    assert.equal(await git(project.root, 'rev-parse', 'main'), one.commit);
    const other = await withWork(project, { 'src/c.txt': 'c\n' });
    await git(project.root, 'commit', '--quiet', '--allow-empty', '-m', 'someone was faster');
    const trunk = await git(project.root, 'rev-parse', 'main');
    // What the trunk got meanwhile is combined with the branch, and that is what is proved and lands.
    const { landed_commit: combined = '' } = succeeded(await verb('accept', other.path));
    assert.equal(await git(project.root, 'rev-parse', 'main'), combined);
    assert.equal(await git(project.root, 'rev-parse', 'main^1'), other.commit);
    assert.equal(await git(project.root, 'rev-parse', 'main^2'), trunk);
    const third = await withWork(project, { 'src/d.txt': 'd\n' });
    const tree = await git(third.path, 'rev-parse', 'HEAD^{tree}');
    succeeded(await verb('accept', third.path, { how: 'squash' }));
    assert.equal(await git(project.root, 'rev-parse', 'main^{tree}'), tree);
  },

  'Killed anywhere, the next `status` or `accept` finishes it or leaves everything as it was; changed files are never overwritten.':
    async () => {
      for (const point of ['accept.journaled', 'accept.moved', 'retire.renamed']) {
        const project = await make();
        const { path, commit } = await withWork(project);
        await killedAt(point, 'accept', path);
        await writeFile(join(project.root, 'mine.txt'), 'mine\n');
        await assertSound(project, [commit]);
        const landed = (await git(project.root, 'rev-parse', 'main')) === commit;
        assert.equal(existsSync(path), !landed, `${point}: landed whole or not at all`);
        assert.equal(readFileSync(join(project.root, 'mine.txt'), 'utf8'), 'mine\n');
      }
    },

  'A worktree goes only when nothing in it is uncommitted: `accept` removes those discern made, `drop` any that is named.':
    async () => {
      const project = await make();
      const { path, branch, id } = await withWork(project);
      await writeFile(join(path, 'src/a.txt'), 'edited\n');
      const before = await everything(project);
      refusedWith(await verb('accept', path), 'dirty_worktree');
      refusedWith(await verb('drop', project.root, { worktree: id, delete_branch: true }), 'dirty_worktree');
      assert.deepEqual(await everything(project), before);
      await git(path, 'checkout', '--quiet', '.');
      succeeded(await verb('accept', path));
      assert.equal(existsSync(path), false);
      assert.equal(await git(project.root, 'branch', '--list', branch), '');
      const byHand = join(project.home, 'by-hand');
      await git(project.root, 'worktree', 'add', '--quiet', '-b', 'by-hand', byHand);
      await project.commit({ 'src/h.txt': 'h\n' }, byHand);
      succeeded(await verb('accept', byHand));
      assert.equal(existsSync(byHand), true, 'its maker removes it');
      succeeded(await verb('drop', project.root, { worktree: byHand, delete_branch: false }));
      assert.equal(existsSync(byHand), false);
    },

  'What `drop --force` discards is kept under `refs/discern/recovered/`.': async () => {
    const project = await make();
    const { path, id } = await withWork(project);
    await writeFile(join(path, 'src/a.txt'), 'edited\n');
    succeeded(await verb('drop', project.root, { worktree: id, delete_branch: true, force: true }));
    assert.equal(existsSync(path), false);
    const refs = (
      await git(project.root, 'for-each-ref', '--format=%(refname)', 'refs/discern/recovered/')
    ).split('\n');
    const kept = await Promise.all(
      refs.map((ref) => git(project.root, 'show', `${ref}:src/a.txt`).catch(() => '')),
    );
    assert.ok(kept.includes('edited'), refs.join(' '));
  },

  'Jobs run in process groups of their own; cancel, timeout, or the death of the server ends them all.':
    async () => {
      await endsItsJob(undefined, async ({ root, began }) => {
        const controller = new AbortController();
        const run = verb('done', root, {}, { signal: controller.signal });
        await began;
        controller.abort();
        refusedWith(await run, 'cancelled');
      });
      await endsItsJob(1, async ({ root }) => {
        refusedWith(await verb('done', root), 'timed_out');
      });
      await endsItsJob(undefined, async ({ root, began }) => {
        const { child, ended } = elsewhere('done', root, {});
        await began;
        child.kill('SIGKILL');
        await ended;
      });
    },
};

describe('What the README promises', () => {
  afterEach(async () => {
    endElsewhere();
    await Promise.all([closeAll(), here.closeAll()]);
    await removeAll();
  });

  for (const [sentence, holds] of Object.entries(promises)) it(sentence, holds);

  it('is all of it tested here, sentence by sentence', () => {
    assert.deepEqual(sentences('What it promises'), Object.keys(promises));
  });
});

describe('What the README lists', () => {
  const { contributes } = JSON.parse(readFileSync(join(DISCERN_HOME, 'package.json'), 'utf8'));
  const titles: Record<string, string> = JSON.parse(
    readFileSync(join(DISCERN_HOME, 'package.nls.json'), 'utf8'),
  );
  const hidden = new Set(
    contributes.menus.commandPalette
      .filter(({ when }: { when: string }) => when === 'false')
      .map(({ command }: { command: string }) => command),
  );
  const palette: string[] = contributes.commands
    .filter(({ command }: { command: string }) => !hidden.has(command))
    .map(({ title }: { title: string }) => titles[title.replace(/^%|%$/g, '')] ?? title);

  for (const file of ['README.md', 'docs/help/vscode.md']) {
    it(`are the commands of the palette, no more and no fewer: ${file}`, () => {
      const text = readFileSync(join(DISCERN_HOME, file), 'utf8');
      const [list = ''] = /`Discern: Start Worktree…`[\s\S]*?`Cancel Running Gate`/.exec(text) ?? [];
      const named = [...list.matchAll(/`(?:Discern: )?([^`]+)`/g)].map(([, title]) => title);
      assert.deepEqual(named.toSorted(), palette.toSorted());
    });
  }

  it('are the tools of a server that holds a root', () => {
    const [, list = ''] = readme.split('It then offers:');
    const named = [...(list.split('\nNearly all')[0] ?? '').matchAll(/^\| `discern_(\w+)` \|/gm)].map(
      ([, name]) => name as Verb,
    );
    assert.deepEqual(named.toSorted(), verbNames.toSorted());
  });
});
