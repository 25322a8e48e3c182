import assert from 'node:assert/strict';
import fc from 'fast-check';
import { outcomes, stages } from '../../src/contract/envelope.ts';
import type { GateJob } from '../../src/contract/gate-view.ts';
import { stageOrder, timelineOf } from '../../src/webview/model/jobs.ts';
import { job, running } from './samples.ts';

const keys = (jobs: readonly GateJob[], limit?: number) =>
  timelineOf(jobs, limit).groups.flatMap(({ rows }) => rows.map(({ key }) => key));

describe('The rows of the timeline', () => {
  it('are grouped by stage, in the order of the stages, and in the order they started', () => {
    assert.deepEqual(
      keys([
        job('unit', { start: 30 }),
        job('lint', { stage: 'check', start: 20 }),
        job('smoke', { start: 10 }),
        job('format', { stage: 'fix', start: 40 }),
      ]),
      ['fix/format', 'check/lint', 'test/smoke', 'test/unit'],
    );
  });

  it('know every stage of the contract', () => {
    assert.deepEqual([...stageOrder], [...stages, 'setup']);
  });

  it('tell jobs of one name apart', () => {
    assert.deepEqual(
      keys([job('install', { stage: 'setup' }), job('install', { stage: 'setup' }), job('install')]),
      ['test/install', 'setup/install', 'setup/install/2'],
    );
  });

  it('say how each stage stands, what went wrong first', () => {
    const { groups } = timelineOf([
      job('a'),
      job('b', { state: 'failed' }),
      running('c'),
      job('d', { state: 'timed_out' }),
      job('e'),
      job('f', { state: 'cancelled' }),
      job('g', { state: 'skipped' }),
    ]);
    assert.deepEqual(
      groups.map(({ stage, summary }) => `${stage}: ${summary}`),
      ['test: 1 failed, 1 timed out, 1 running, 1 cancelled, 2 passed, 1 skipped'],
    );
  });

  it('are as many as the limit, and keep what went wrong and what runs before what passed', () => {
    const jobs = [
      ...Array.from({ length: 300 }, (_, index) => job(`case-${index}`, { start: index })),
      job('broken', { state: 'failed', start: 400 }),
      running('busy', 401),
    ];
    const { groups, hidden } = timelineOf(jobs, 10);
    assert.equal(hidden, 292);
    assert.deepEqual(
      groups[0]?.rows.slice(-2).map(({ job: { name } }) => name),
      ['broken', 'busy'],
    );
    assert.equal(groups[0]?.summary, '1 failed, 1 running, 300 passed', 'what is hidden is counted');
  });

  it('lose no job and repeat none', () => {
    const anyJob: fc.Arbitrary<GateJob> = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      stage: fc.constantFrom(...stageOrder),
      state: fc.constantFrom(...outcomes, 'running' as const),
      start: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(anyJob), fc.nat({ max: 40 }), (jobs, limit) => {
        const { groups, hidden } = timelineOf(jobs, limit);
        const rows = groups.flatMap((group) => group.rows);
        assert.equal(rows.length + hidden, jobs.length);
        assert.ok(rows.length <= limit);
        assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
        const wrong = ({ state }: GateJob) => state === 'failed' || state === 'timed_out';
        const shown = rows.filter((row) => wrong(row.job)).length;
        assert.equal(shown, Math.min(limit, jobs.filter(wrong).length));
      }),
    );
  });
});
