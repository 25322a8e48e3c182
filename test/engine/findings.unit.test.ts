import assert from 'node:assert/strict';
import { corpus, judge, quiet } from '../support/corpus.ts';

const cases = await corpus();
const silent = await quiet();

describe('findings of the corpus', () => {
  let expected = 0;
  let found = 0;
  let wrong = 0;

  for (const one of cases) {
    it(`${one.name} (${one.source})`, async () => {
      const outcome = await judge(one);
      expected += outcome.expected;
      found += outcome.found;
      wrong += outcome.false.length;
      assert.deepEqual(outcome.findings, one.findings);
      assert.deepEqual(outcome.false, []);
    });
  }

  for (const one of silent) {
    it(`${one.name} has none`, async () => {
      const outcome = await judge(one);
      wrong += outcome.false.length;
      assert.deepEqual(outcome.false, []);
      assert.equal(outcome.fallback.length, 1);
    });
  }

  it('are found, and nothing beside them', () => {
    const tools = new Set(cases.map(({ name }) => name.split('/')[0])).size;
    const recall = found / expected;
    const precision = found / (found + wrong);
    process.stdout.write(
      `      ${tools} tools, ${cases.length} outputs, ${silent.length} without findings: recall ${recall.toFixed(3)} of ${expected}, precision ${precision.toFixed(3)}\n`,
    );
    assert.ok(recall >= 0.98);
    assert.equal(wrong, 0);
  });
});
