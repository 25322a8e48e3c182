import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FleetData, FleetWorktree } from '../../src/contract/verbs-fleet.ts';
import { brief } from '../../src/server/brief.ts';

/** A worktree with all there can be of it. */
const full = (index: number, needs: boolean): FleetWorktree => ({
  path: `/home/person/projects/shop.worktrees/a-piece-of-work-${index}`,
  root: `/home/person/projects/shop.worktrees/a-piece-of-work-${index}`,
  id: `a-piece-of-work-${index}`,
  title: 'What the work is about, in some words of a person who has many',
  branch: `agent/a-piece-of-work-${index}`,
  commit: 'a'.repeat(40),
  location: 'worktree',
  managed: true,
  ahead: 3,
  behind: 2,
  changes: { staged: 1, unstaged: 2, untracked: 3 },
  proof: 'stale',
  last_run: {
    verb: 'done',
    at: '2026-01-01T00:00:00.000Z',
    commit: 'a'.repeat(40),
    ok: false,
    error: 'gate_failed',
    failed: ['lint', 'test'],
  },
  phase: {
    word: 'testing',
    note: 'the parser of the other half, which is long',
    blocked: false,
    at: '2026-01-01T00:00:00.000Z',
  },
  todos: { done: 3, all: 7 },
  tickets: [{ ref: 'owner/repo#42', host: 'forge.example' }],
  commits: [1, 2, 3].map((n) => ({
    commit: 'b'.repeat(40),
    subject: `What was done in step ${n}, and why`,
    at: '2026-01-01T00:00:00.000Z',
  })),
  sessions: [1, 2].map((n) => ({
    id: `9c466457-0cd1-4f6d-9471-8c55506cf0e${n}`,
    client: 'claude',
    title: 'What the person asked first, which may be of many words',
    last_activity: '2026-01-01T00:00:00.000Z',
    state: 'waiting' as const,
    ...(needs && { needs_attention: 'asks a question' }),
  })),
  ...(needs && { needs_attention: ['asks a question'] }),
  last_activity: new Date(Date.UTC(2026, 0, 1) + (needs ? 0 : index * 60_000)).toISOString(),
});

function fleetOf(worktrees: FleetWorktree[], projects: number): FleetData {
  const each = Math.ceil(worktrees.length / projects);
  return {
    projects: Array.from({ length: projects }, (_, n) => ({
      root: `/home/person/projects/shop-${n}`,
      name: `shop-${n}`,
      trunk: 'main',
      worktrees: worktrees.slice(n * each, (n + 1) * each),
    })),
    worktrees: worktrees.length,
    attention: worktrees.filter((one) => one.needs_attention).length,
  };
}

const shown = (data: FleetData) => {
  const answer = brief({ ok: true, verb: 'fleet', data: { ...data }, message: 'x' });
  const { projects = [] } = answer.data as unknown as FleetData;
  return { answer, worktrees: projects.flatMap((one) => one.worktrees), size: JSON.stringify(answer).length };
};

describe('A fleet as agents get it', () => {
  it('has all of fifty worktrees within 12,000 characters, each with why it needs a person', () => {
    const all = Array.from({ length: 50 }, (_, index) => full(index, index % 10 === 0));
    const { worktrees, size, answer } = shown(fleetOf(all, 5));
    assert.ok(size <= 12_000, `${size}`);
    assert.equal(worktrees.length + Number(answer.more?.worktrees ?? 0), 50);
    assert.ok(worktrees.length >= 20, `${worktrees.length}`);
    assert.equal(worktrees.filter((one) => one.needs_attention).length, 5);
  });

  it('has everything where there are few', () => {
    const { worktrees, answer } = shown(fleetOf([full(1, true), full(2, false)], 1));
    assert.equal(answer.more, undefined);
    assert.deepEqual(
      [worktrees.length, worktrees[0]?.sessions.length, worktrees[0]?.commits?.length],
      [2, 2, 3],
    );
  });

  it('is never longer, keeps those that need a person longest, and counts what it leaves out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 400 }),
        fc.integer({ min: 1, max: 200 }),
        (needs, projects) => {
          const all = needs.map((one, index) => full(index, one));
          const { worktrees, size, answer } = shown(fleetOf(all, projects));
          assert.ok(size <= 12_000, `${size}`);
          assert.equal(worktrees.length + Number(answer.more?.worktrees ?? 0), all.length);
          const left = worktrees.filter((one) => one.needs_attention === undefined).length;
          const kept = worktrees.length - left;
          if (left > 0) assert.equal(kept, needs.filter(Boolean).length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
