import assert from 'node:assert/strict';
import type { Envelope } from '../../src/contract/envelope.ts';
import type { VerbEvent } from '../../src/contract/events.ts';
import { elsewhere, endElsewhere, pausedAt, started, succeeded } from '../support/checkouts.ts';
import { verb } from '../support/engine.ts';
import { assertSound, assertWorks } from '../support/invariants.ts';
import { git, type Project, projects } from '../support/project.ts';

const { make, removeAll } = projects();

async function work(project: Project, name: string): Promise<{ path: string; id: string; commit: string }> {
  const { path, id } = await started(project.root, { name });
  const commit = await project.commit({ [`${name}.txt`]: `${name}\n` }, path);
  succeeded(await verb('done', path));
  return { path, id, commit };
}

/** Acts when the verb says that it waits. */
const waiting = (act: () => void): VerbEvent[] =>
  Object.assign([], {
    push: (event: VerbEvent) => {
      if (event.type === 'waiting') act();
      return 0;
    },
  });

describe('Two processes that land at once', () => {
  afterEach(() => {
    endElsewhere();
    return removeAll();
  });

  it('land one after the other, the second together with the first', async () => {
    const project = await make();
    const works = [await work(project, 'one'), await work(project, 'two')];
    const answers = await Promise.all(works.map(({ path }) => elsewhere('accept', path, {}).ended));
    for (const answer of answers) assert.equal(answer?.ok, true, answer?.message);
    const status = await assertSound(
      project,
      works.map(({ commit }) => commit),
    );
    assert.equal(status.worktrees.length, 1, 'no checkout of ours stays');
    assert.equal(await git(project.root, 'ls-files', 'one.txt', 'two.txt'), 'one.txt\ntwo.txt');
  });

  it('are never told that the other’s half way is a person’s edit', async () => {
    const project = await make();
    const [one, two] = [await work(project, 'one'), await work(project, 'two')];
    const first = await pausedAt(project, 'accept.moved', 'accept', one.path, {});
    const second = elsewhere('accept', two.path, {});
    let done: Promise<unknown> | undefined;
    const events = waiting(() => {
      done = first.resume();
    });
    const third = verb('accept', two.path, {}, { events });
    const answers = [await third, await second.ended];
    assert.equal(((await done) as Envelope | undefined)?.ok, true);
    // Two of the same worktree: one lands it, and the other is told to wait or that it is gone.
    const refusals = ['busy', 'root_missing', 'not_initialized', 'path_not_found', 'unavailable'];
    for (const answer of answers)
      assert.ok(answer?.ok || refusals.includes(answer?.error ?? ''), answer?.message);
    assert.ok(answers.some((answer) => answer?.ok));
  });

  it('land the same worktree once', async () => {
    const project = await make();
    const { path, commit } = await work(project, 'one');
    const answers = await Promise.all([1, 2, 3].map(() => elsewhere('accept', path, {}).ended));
    assert.equal(answers.filter((answer) => answer?.ok).length, 1, JSON.stringify(answers));
    for (const answer of answers) assert.notEqual(answer?.error, 'internal_error', answer?.message);
    assert.equal(await git(project.root, 'rev-parse', 'main', 'HEAD'), `${commit}\n${commit}`);
    const status = await assertSound(project, [commit]);
    assert.equal(status.worktrees.length, 1);
    assert.equal(status.findings, undefined);
    await assertWorks(project);
  });

  it('or one that lands and one that drops the same worktree, lose nothing', async () => {
    const project = await make();
    const { path, id, commit } = await work(project, 'one');
    const [accepted, dropped] = await Promise.all([
      elsewhere('accept', path, {}).ended,
      elsewhere('drop', project.root, { worktree: id, delete_branch: true, force: true }).ended,
    ]);
    assert.ok(accepted?.ok || dropped?.ok, JSON.stringify([accepted, dropped]));
    for (const answer of [accepted, dropped])
      assert.notEqual(answer?.error, 'internal_error', answer?.message);
    await assertSound(project, [commit]);
    await assertWorks(project);
  });

  it('while others ask for the status, go through all the same', async () => {
    const project = await make();
    const { path, commit } = await work(project, 'one');
    const [answer, ...statuses] = await Promise.all([
      elsewhere('accept', path, {}).ended,
      ...[1, 2, 3].map(() => elsewhere('status', project.root, {}).ended),
    ]);
    assert.equal(answer?.ok, true, answer?.message);
    for (const status of statuses) assert.equal(status?.ok, true, status?.message);
    await assertSound(project, [commit]);
  });
});
