import assert from 'node:assert/strict';
import { queryObjects } from 'node:v8';
import { Life } from '../../src/server/life.ts';

describe('The life of a server', () => {
  it('keeps nothing of a call that was answered', async () => {
    const life = new Life();
    const call = () => life.follow(new AbortController().signal, async (signal) => signal.aborted);
    await call();
    // A query collects what is garbage first.
    const before = queryObjects(WeakRef, { format: 'count' });
    for (let count = 0; count < 1_000; count++) assert.equal(await call(), false);
    const kept = queryObjects(WeakRef, { format: 'count' }) - before;
    assert.ok(kept < 100, `${kept} references to signals are kept`);
    await life.end();
  });

  it('cancels what is in flight when it ends, and what comes later', async () => {
    const life = new Life();
    const heard: string[] = [];
    const until = (name: string) => (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const ended = () => {
          heard.push(name);
          resolve();
        };
        if (signal.aborted) ended();
        else signal.addEventListener('abort', ended);
      });
    const caller = new AbortController();
    const [mine, other] = [
      life.follow(caller.signal, until('its caller')),
      life.follow(new AbortController().signal, until('the end')),
    ];
    caller.abort();
    await mine;
    assert.deepEqual(heard, ['its caller']);
    await life.end();
    await other;
    await life.follow(new AbortController().signal, until('too late'));
    assert.deepEqual(heard, ['its caller', 'the end', 'too late']);
  });
});
