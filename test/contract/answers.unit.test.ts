import assert from 'node:assert/strict';
import { type AnyEnvelope, isWhole } from '../../src/contract/answers.ts';
import { VerbEvent } from '../../src/contract/events.ts';
import { WindowEvent, WireEnvelope } from '../../src/contract/window.ts';

/** Reads an answer as the programs do. The lines that must not compile are held by the type check. */
function pathOfStart(envelope: AnyEnvelope): string | undefined {
  // @ts-expect-error Which verb's data this is nobody knows yet.
  void (() => envelope.data?.path);
  if (envelope.verb !== 'start') return undefined;
  // @ts-expect-error A refusal's data may be a part, or absent.
  void (() => envelope.data.path.length);
  if (!isWhole(envelope)) return undefined;
  // @ts-expect-error It is start's data, and no other verb's.
  void (() => envelope.data.landing);
  return envelope.data.path;
}

describe('An answer', () => {
  const data = { root: '/r', path: '/w' };

  it('is told apart by its verb, and whole where it is neither a refusal nor a preview', () => {
    const read = (value: unknown) => pathOfStart(WireEnvelope.parse(value));
    assert.equal(read({ ok: true, verb: 'start', data }), '/w');
    assert.equal(read({ ok: true, verb: 'start', dry_run: true, data }), undefined);
    assert.equal(read({ ok: false, verb: 'start', error: 'busy', message: 'm', data }), undefined);
    assert.equal(read({ ok: true, verb: 'start' }), undefined);
    assert.equal(read({ ok: true, verb: 'drop', data }), undefined);
  });

  it('that comes over a wire and is none is refused', () => {
    for (const value of [null, [], {}, { ok: true }, { ok: 1, verb: 'start' }, { ok: true, verb: 'begin' }])
      assert.equal(WireEnvelope.safeParse(value).success, false, JSON.stringify(value));
    const event = { type: 'call_finished', call: 1, caller: 'agent' };
    assert.ok(WindowEvent.safeParse({ ...event, envelope: { ok: true, verb: 'done' } }).success);
    assert.ok(!WindowEvent.safeParse({ ...event, envelope: { ok: true, verb: 'begin' } }).success);
  });

  it('is preceded by events, each of a kind that is known', () => {
    const started = { type: 'job_started', job: 'lint', stage: 'check', output_path: '/o' };
    assert.deepEqual(VerbEvent.parse(started), started);
    for (const value of [
      { ...started, stage: 'later' },
      { ...started, job: 1 },
      { type: 'job_paused' },
      null,
    ])
      assert.equal(VerbEvent.safeParse(value).success, false, JSON.stringify(value));
    const call = { type: 'call_event', call: 1, event: { type: 'progress', message: 'm' } };
    assert.ok(WindowEvent.safeParse(call).success);
    assert.ok(!WindowEvent.safeParse({ ...call, event: { type: 'progress' } }).success);
  });
});
