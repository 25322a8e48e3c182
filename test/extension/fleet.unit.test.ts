import assert from 'node:assert/strict';
import type { StatusData, Worktree } from '../../src/contract/data.ts';
import type { FleetData, FleetWorktree, SessionRow } from '../../src/contract/verbs-fleet.ts';
import { newsOf } from '../../src/extension/fleet/news.ts';
import { timeOf } from '../../src/extension/fleet/row.ts';
import { waiting, worktreeNodes } from '../../src/extension/fleet/rows.ts';
import type { WindowView } from '../../src/extension/model.ts';
import { mergeNodes } from '../../src/extension/views/merge-nodes.ts';
import type { TreeNode } from '../../src/extension/views/node.ts';

const NOW = new Date(2026, 0, 31, 15, 0).getTime();
const at = (hour: number) => new Date(2026, 0, 31, hour, 5).toISOString();

const session = (more: Partial<SessionRow> = {}): SessionRow => ({
  id: '9c466457-0cd1-4f6d-9471-8c55506cf0e4',
  client: 'claude',
  state: 'idle',
  last_activity: at(14),
  ...more,
});

const known = (root: string, more: Partial<FleetWorktree> = {}): FleetWorktree => ({
  path: root,
  root,
  id: root.split('/').at(-1) ?? '',
  branch: `agent/${root.split('/').at(-1)}`,
  commit: 'c'.repeat(40),
  location: 'worktree',
  managed: true,
  sessions: [],
  ...more,
});

const tree = (one: FleetWorktree): Worktree => ({
  path: one.path,
  root: one.root,
  branch: one.branch,
  commit: one.commit,
  location: one.location,
  landing: one.location === 'main',
  managed: one.managed,
  clean: true,
  ...(one.location === 'worktree' && one.id !== undefined && { id: one.id }),
});

const main = (root: string, more: Partial<FleetWorktree> = {}) =>
  known(root, { location: 'main', managed: false, branch: 'main', ...more });

const project = (root: string, worktrees: FleetWorktree[]) => ({
  root,
  name: root.slice(1),
  trunk: 'main',
  worktrees,
});

const fleetOf = (...projects: FleetData['projects']): FleetData => {
  const all = projects.flatMap(({ worktrees }) => worktrees);
  const attention = all.filter((one) => one.needs_attention).length;
  return { projects, worktrees: all.length, attention };
};

/** A window that holds the first project's own checkout. */
function view(fleet: FleetData, more: Partial<WindowView> = {}): WindowView {
  const [mine] = fleet.projects;
  const status = {
    root: mine?.root,
    trunk: 'main',
    proof: { state: 'none' },
    worktrees: mine?.worktrees.map(tree) ?? [],
  } as unknown as StatusData;
  return {
    held: { root: mine?.root ?? null, spawn_root: null, mechanism: 'flag', missing: false },
    status,
    fleet,
    running: new Map(),
    proved: new Map(),
    ...more,
  } as WindowView;
}

const lines = (nodes: readonly TreeNode[]) =>
  nodes.map(({ label, description }) => `${label}: ${description}`);

describe('The lines of the fleet', () => {
  it('have who waits first, then the trunk’s checkout, then what goes on, then the last active', () => {
    const fleet = fleetOf(
      project('/shop', [
        main('/shop'),
        known('/w/old', { last_activity: at(9) }),
        known('/w/new', { last_activity: at(12) }),
        known('/w/task-10', { sessions: [session({ state: 'working' })], last_activity: at(13) }),
        known('/w/task-9', {
          gate: { verb: 'done', since: at(14), jobs: 5, done: 2, running: ['test'] },
          last_activity: at(10),
        }),
        known('/w/asks', {
          needs_attention: ['asks a question', 'strand'],
          sessions: [session({ state: 'waiting', needs_attention: 'asks a question' })],
          phase: { word: 'testing', note: 'the second half', blocked: false, at: at(13) },
          todos: { done: 2, all: 5 },
          queue: 3,
          tickets: [{ ref: 'shop/app#4' }] as NonNullable<FleetWorktree['tickets']>,
        }),
      ]),
    );
    assert.deepEqual(lines(worktreeNodes(view(fleet), true, NOW)), [
      'asks: needs you: asks a question, edits in the wrong checkout · 3 in the queue · testing (the second half) · 2 of 5 to-dos',
      'shop: main · held',
      'task-9: done running, 2 of 5',
      'task-10: working',
      'new: ',
      'old: ',
    ]);
    assert.equal(waiting(view(fleet), true), 1);
    assert.deepEqual(
      worktreeNodes(view(fleet), true, NOW).map(({ icon }) => icon?.id),
      ['bell-dot', 'target', 'sync~spin', 'play-circle', 'git-branch', 'git-branch'],
    );
  });

  it('have the sessions of a worktree below it, each with its client, state and time, and say all of it aloud', () => {
    const asks = session({
      state: 'waiting',
      needs_attention: 'asks for permission',
      title: 'Add discounts',
    });
    const fleet = fleetOf(
      project('/shop', [
        main('/shop', { sessions: [session({ id: 'm'.repeat(36) })] }),
        known('/w/a', {
          sessions: [asks, session({ client: 'gemini', id: 'g'.repeat(36), state: 'ended' })],
        }),
      ]),
    );
    const [own, a] = worktreeNodes(view(fleet), true, NOW);
    assert.deepEqual(lines(a?.children ?? []), [
      'Add discounts: claude · waiting: asks for permission · 14:05',
      'Session gggggggg: gemini · ended · 14:05',
    ]);
    assert.equal(
      a?.children?.[0]?.spoken,
      'claude session Add discounts in a, waiting: asks for permission, last active 14:05',
    );
    assert.deepEqual(
      [...(a?.children ?? []), ...(own?.children ?? [])].map(({ context }) => context),
      ['session.worktree.resumable', 'session.worktree', 'session.main'],
    );
    assert.match(
      a?.spoken ?? '',
      /^Worktree a, agent waiting, branch agent\/a, level with main, 2 sessions$/,
    );
  });

  it('have a level of projects only where there are several, the window’s own first, and no action there that changes another’s', () => {
    const shop = project('/shop', [main('/shop'), known('/w/a')]);
    const empty = { ...project('/empty', [main('/empty')]), empty: true };
    const gone = { ...project('/gone', []), vanished: true };
    assert.equal(worktreeNodes(view(fleetOf(shop, empty, gone)), true, NOW).length, 2, 'no level for one');
    const other = project('/blog', [main('/blog'), known('/w/b', { needs_attention: ['gate red'] })]);
    const nodes = worktreeNodes(view(fleetOf(shop, other, empty)), true, NOW);
    assert.deepEqual(lines(nodes), ['shop: 1 worktree · this window', 'blog: 1 needs you · 1 worktree']);
    assert.deepEqual(
      nodes.map(({ children }) => children?.map(({ context }) => context)),
      [
        ['worktree.main.held', 'worktree.managed'],
        ['elsewhere.managed', 'elsewhere.main'],
      ],
    );
  });

  it('are those of the fleet while the held root’s status is not read', () => {
    const fleet = fleetOf(project('/shop', [main('/shop'), known('/w/a')]));
    const nodes = worktreeNodes(view(fleet, { status: undefined }), true, NOW);
    assert.deepEqual(
      nodes.map(({ context }) => context),
      ['worktree.main.held', 'worktree.managed'],
    );
  });

  it('do not call red what has been proved since', () => {
    const red = known('/w/a', { needs_attention: ['gate red'] });
    const fleet = fleetOf(project('/shop', [main('/shop'), red]));
    const proved = new Map([['/w/a', red.commit]]);
    assert.equal(waiting(view(fleet, { proved }), true), 0);
    assert.equal(waiting(view(fleet), true), 1);
  });

  it('have the hour of today, else the day', () => {
    assert.equal(timeOf(at(9), NOW), '09:05');
    assert.equal(timeOf(at(9), NOW + 86_400_000), '2026-01-31');
    assert.equal(timeOf('never', NOW), '');
  });
});

describe('Lines that change', () => {
  const many = (words: (index: number) => string): TreeNode[] =>
    Array.from({ length: 200 }, (_, index) => ({
      id: `w${index}`,
      label: `w${index}`,
      description: words(index),
      children: [{ id: `s${index}`, label: 'session' }],
    }));

  it('are told one by one, in the objects they had', () => {
    const before = many(() => 'idle');
    const objects = [...before];
    const { nodes, sameLines, changed } = mergeNodes(
      before,
      many((index) => (index === 7 ? 'working' : 'idle')),
    );
    assert.equal(sameLines, true);
    assert.deepEqual(
      changed.map(({ id }) => id),
      ['w7'],
    );
    assert.ok(nodes.every((node, index) => node === objects[index]));
    assert.equal(nodes[7]?.description, 'working');
  });

  it('are told of the line above where others are below it now, and nothing is told where nothing changed', () => {
    const before = many(() => 'idle');
    const now = many(() => 'idle');
    now[3]?.children?.push({ id: 'another', label: 'session' });
    delete now[5]?.children;
    assert.deepEqual(
      mergeNodes(before, now).changed.map(({ id }) => id),
      ['w3', 'w5'],
    );
    const after = many(() => 'idle');
    assert.deepEqual(
      mergeNodes(
        many(() => 'idle'),
        after,
      ).changed,
      [],
    );
  });

  it('keep their objects when their order changes', () => {
    const before = many(() => 'idle');
    const first = before[0];
    const { nodes, sameLines } = mergeNodes(before, many(() => 'idle').reverse());
    assert.equal(sameLines, false);
    assert.equal(nodes.at(-1), first);
  });
});

describe('News of the fleet', () => {
  const quiet = fleetOf(project('/shop', [main('/shop'), known('/w/a'), known('/w/b')]));
  const asking = fleetOf(
    project('/shop', [
      main('/shop'),
      known('/w/a', {
        needs_attention: ['asks a question'],
        sessions: [session({ state: 'waiting', needs_attention: 'asks a question', title: 'Add discounts' })],
      }),
      known('/w/b', { needs_attention: ['gate red'], proof: 'valid', sessions: [session({ id: 'over' })] }),
    ]),
  );
  const messages = (...args: Parameters<typeof newsOf>) => newsOf(...args).map(({ message }) => message);

  it('name worktree, session and why, each once', () => {
    assert.deepEqual(messages(quiet, asking, 'attention'), [
      'a (shop): claude: asks a question, in “Add discounts”.',
      'b (shop): gate red.',
    ]);
    assert.deepEqual(messages(asking, asking, 'attention'), []);
    assert.deepEqual(messages(asking, quiet, 'attention'), []);
  });

  it('are not what a window finds when it opens, and none where none is wanted', () => {
    assert.deepEqual(messages(undefined, asking, 'all'), []);
    assert.deepEqual(messages(quiet, asking, 'none'), []);
  });

  it('are of proofs and of agents that have finished too, where all is wanted', () => {
    assert.deepEqual(messages(quiet, asking, 'all').slice(2), [
      'b (shop) is proved.',
      'b (shop): claude has finished its turn.',
    ]);
  });
});
