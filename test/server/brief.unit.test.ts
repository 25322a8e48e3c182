import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AnswerOf } from '../../src/contract/answers.ts';
import type { Envelope } from '../../src/contract/envelope.ts';
import { brief, paged } from '../../src/server/brief.ts';

const worktree = (index: number) => ({
  path: `/home/person/projects/shop.worktrees/a-piece-of-work-${index}`,
  root: `/home/person/projects/shop.worktrees/a-piece-of-work-${index}`,
  branch: `agent/a-piece-of-work-${index}`,
  commit: 'c'.repeat(40),
  location: 'worktree' as const,
  landing: false,
  managed: true,
  id: `a-piece-of-work-${index}`,
  ahead: index % 3,
  behind: 0,
  clean: index % 5 !== 0,
  tracked_changes: 0,
});

const status = (count: number): AnswerOf<'status'> => ({
  ok: true,
  verb: 'status',
  hints: [],
  data: {
    root: worktree(7).root,
    branch: 'agent/x',
    commit: 'c'.repeat(40),
    worktrees: Array.from({ length: count }, (_, index) => worktree(index)),
  },
});

const worktreesOf = (answer: Envelope) => (answer.data?.worktrees ?? []) as { path: string }[];
const pathsOf = (answer: Envelope) => worktreesOf(answer).map(({ path }) => path);

describe('The short form of an answer', () => {
  it('goes through six hundred worktrees by cursor, each once, the checkout in question first', () => {
    const whole = status(600);
    const seen: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const page = brief(paged(whole, cursor));
      assert.ok(JSON.stringify(page).length <= 8_000, `${JSON.stringify(page).length} characters`);
      seen.push(...pathsOf(page));
      assert.equal(seen.length + Number(page.more?.worktrees ?? 0), 600);
      cursor = page.more?.cursor;
      pages++;
    } while (cursor !== undefined && pages < 700);
    assert.equal(seen[0], worktree(7).path);
    assert.equal(new Set(seen).size, 600);
    assert.equal(seen.length, 600);
  });

  it('takes a cursor that is none for the first page', () => {
    for (const cursor of ['', 'x', '-5', '1e9', null, {}])
      assert.ok(JSON.stringify(brief(paged(status(60), cursor))).length <= 8_000);
    assert.deepEqual(pathsOf(brief(paged(status(60), 'x'))), pathsOf(brief(paged(status(60), undefined))));
    assert.deepEqual(pathsOf(brief(paged(status(60), '-5'))), pathsOf(brief(paged(status(60), undefined))));
  });

  it('has no empty list, no path twice in a worktree, and leaves false and zero that are promised', () => {
    const short = brief(status(2));
    assert.equal(short.hints, undefined);
    assert.deepEqual(worktreesOf(short)[1], {
      path: worktree(1).path,
      branch: 'agent/a-piece-of-work-1',
      location: 'worktree' as const,
      managed: true,
      id: 'a-piece-of-work-1',
      clean: true,
      ahead: 1,
    });
  });

  it('has the log and the command of a job once, and something of every job', () => {
    const finding = (job: number, index: number) => ({
      tool: `job${job}`,
      severity: 'error' as const,
      message: `wrong ${index} ${'x'.repeat(200)}`,
      reproduce_cmd: `make job${job}`,
      file: `src/${index}.c`,
      line: index,
      output_path: `/logs/${job}.log`,
    });
    const noisy = Array.from({ length: 200 }, (_, index) => finding(1, index));
    const answer = brief({
      ok: false,
      verb: 'done',
      error: 'gate_failed',
      diagnostics: [...noisy, finding(2, 1)],
    });
    assert.ok(JSON.stringify(answer).length <= 6_000);
    const { diagnostics = [] } = answer;
    assert.deepEqual(
      diagnostics.filter((one) => one.reproduce_cmd !== undefined).map(({ tool }) => tool),
      ['job1', 'job2'],
    );
    assert.equal(diagnostics.length + Number(answer.more?.diagnostics), 201);
  });

  it('is bounded whatever an answer holds, counts every entry it cuts, and keeps verdict and root', () => {
    const text = fc.string({ maxLength: 4_000 });
    const envelope = fc.record({
      ok: fc.boolean(),
      verb: fc.constantFrom('done', 'update', 'accept', 'prune'),
      hints: fc.array(text, { maxLength: 80 }),
      message: text,
      data: fc.record({ root: fc.constant('/root'), conflicts: fc.array(text, { maxLength: 300 }) }),
    });
    fc.assert(
      fc.property(envelope, (whole) => {
        const short = brief(whole);
        // Escapes may take six characters of JSON for one of text.
        assert.ok(JSON.stringify(short).length <= 6_000, `${JSON.stringify(short).length}`);
        assert.deepEqual([short.ok, short.verb, short.data?.root], [whole.ok, whole.verb, '/root']);
        const conflicts = (short.data?.conflicts as string[] | undefined)?.length ?? 0;
        assert.equal(conflicts + Number(short.more?.conflicts ?? 0), whole.data.conflicts.length);
        assert.equal((short.hints?.length ?? 0) + Number(short.more?.hints ?? 0), whole.hints.length);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves a page of help whole', () => {
    const text = 'x'.repeat(20_000);
    assert.equal(brief({ ok: true, verb: 'help', data: { text } }).data?.text, text);
  });
});
