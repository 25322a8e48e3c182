import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

declare const DISCERN_HOME: string;

interface Judgement {
  passed: { name: string; checks: number }[];
  excepted: { name: string; check?: string; reason: string }[];
  wrong: string[];
}

type Judge = (scenarios: Map<string, object[]>, table: Record<string, unknown>) => Judgement;

const check = (id: string, status: string) => ({ id, status, errorMessage: 'why' });

describe('What a suite of the protocol saw', () => {
  let judge: Judge;

  before(async () => {
    const file = join(DISCERN_HOME, 'scripts', 'conformance', 'judge.mjs');
    ({ judge } = await import(pathToFileURL(file).href));
  });

  it('is wrong where a check fails or warns, or where nothing was checked', () => {
    const { passed, wrong } = judge(
      new Map([
        ['good', [check('a', 'SUCCESS'), check('b', 'SKIPPED')]],
        ['bad', [check('a', 'SUCCESS'), check('b', 'FAILURE')]],
        ['warned', [check('a', 'WARNING')]],
        ['empty', [check('wire-schema-valid', 'SUCCESS')]],
      ]),
      {},
    );
    assert.deepEqual(wrong, [
      'bad: b: FAILURE: why',
      'warned: a: WARNING: why',
      'warned: nothing was checked',
      'empty: nothing was checked',
    ]);
    assert.deepEqual(passed[0], { name: 'good', checks: 1 });
  });

  it('may be excepted with a reason, as long as it is not good after all', () => {
    const { excepted, wrong } = judge(
      new Map([
        ['whole', [check('a', 'FAILURE')]],
        ['part', [check('a', 'SUCCESS'), check('b', 'FAILURE'), check('c', 'SUCCESS')]],
        ['outdated', [check('a', 'SUCCESS')]],
      ]),
      { whole: 'No such thing.', part: { b: 'No such part.', c: 'Out of date.' }, outdated: 'Out of date.' },
    );
    assert.deepEqual(excepted, [
      { name: 'whole', reason: 'No such thing.' },
      { name: 'part', check: 'b', reason: 'No such part.' },
    ]);
    assert.deepEqual(wrong, [
      'part: c: it is good, and the table excepts it',
      'outdated: it passes, and the table says that it does not apply',
    ]);
  });
});
