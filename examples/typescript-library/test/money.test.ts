import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, split } from '../src/money.js';

test('adds amounts of one currency', () => {
  assert.deepEqual(add({ cents: 150, currency: 'EUR' }, { cents: 50, currency: 'EUR' }), {
    cents: 200,
    currency: 'EUR',
  });
  assert.throws(() => add({ cents: 1, currency: 'EUR' }, { cents: 1, currency: 'USD' }));
});

test('loses no cent when it splits', () => {
  const shares = split({ cents: 100, currency: 'EUR' }, 3);
  assert.deepEqual(
    shares.map(({ cents }) => cents),
    [34, 33, 33],
  );
});
