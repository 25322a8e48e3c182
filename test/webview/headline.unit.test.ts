import assert from 'node:assert/strict';
import { headlineOf, offerOf, proofLine, timeText, verdictOf } from '../../src/webview/model/headline.ts';
import { lastPart } from '../../src/webview/model/paths.ts';
import { ongoing, run, state } from './samples.ts';

const failed = (error: string, over = {}) => run({ ok: false, error, ...over });

describe('The head of a run', () => {
  it('names the verdict', () => {
    assert.equal(verdictOf(ongoing()), 'running');
    assert.equal(verdictOf(run()), 'passed');
    assert.equal(verdictOf(failed('gate_failed')), 'failed');
    assert.equal(verdictOf(failed('cancelled')), 'cancelled');
    assert.equal(verdictOf(failed('timed_out')), 'timed_out');
    assert.equal(
      verdictOf(ongoing({ running: false })),
      'lost',
      'a run without an answer is not taken for green',
    );
  });

  it('names who asked, and where it runs', () => {
    const { verb, asked, place, root, branch, commit } = headlineOf(
      run({ caller: 'person', branch: 'agent/add-b', commit: 'abc1234567890def' }),
    );
    assert.deepEqual([verb, asked, place], ['Done', 'Asked by you', 'add-b']);
    assert.deepEqual([root, branch, commit], ['/work/app.worktrees/add-b', 'agent/add-b', 'abc1234567']);
    assert.equal(headlineOf(run()).asked, 'Asked by an agent');
    assert.equal(headlineOf(run({ branch: null })).branch, 'detached HEAD');
    assert.equal(headlineOf(run()).branch, undefined);
  });

  it('says what it waits for while it does, and its closing sentence afterwards', () => {
    assert.equal(
      headlineOf(ongoing({ waiting: 'Another gate runs.', message: 'old' })).message,
      'Another gate runs.',
    );
    assert.equal(headlineOf(run({ waiting: 'old', message: 'All passed.' })).message, 'All passed.');
  });

  it('gives the slug of a refusal, but not of a plain failure', () => {
    assert.equal(headlineOf(failed('behind_trunk')).slug, 'behind_trunk');
    assert.equal(headlineOf(failed('gate_failed')).slug, undefined);
    assert.equal(headlineOf(failed('cancelled')).slug, undefined);
  });

  it('shows whole seconds while it runs, and the exact time afterwards', () => {
    assert.equal(timeText(ongoing(), 12_900), '12 s');
    assert.equal(timeText(ongoing(), 65_900), '1m 05s');
    assert.equal(timeText(run(), 12_940), 'in 12.9 s');
  });

  it('takes the last part of a path of any system', () => {
    assert.equal(lastPart('/work/app/'), 'app');
    assert.equal(lastPart('C:\\work\\app'), 'app');
    assert.equal(lastPart('app'), 'app');
    assert.equal(lastPart('/'), '/');
  });
});

describe('The proof line', () => {
  const commit = 'abc1234567890def';

  it('names the commit the proof is of', () => {
    assert.deepEqual(proofLine(run({ proof: { state: 'valid', commit } })), {
      valid: true,
      text: 'Proof valid for abc1234567',
    });
  });

  it('says why there is none', () => {
    const reason = 'The tree has uncommitted changes.';
    assert.deepEqual(proofLine(run({ proof: { state: 'none', reason } })), {
      valid: false,
      text: 'No proof: The tree has uncommitted changes.',
    });
    assert.equal(
      proofLine(run({ proof: { state: 'stale', commit, reason: 'HEAD moved.' } }))?.text,
      'Proof stale: HEAD moved.',
    );
    assert.equal(proofLine(failed('gate_failed'))?.text, 'No proof: the gate did not pass.');
  });

  it('does not pass a green prepare or test off as proved', () => {
    for (const verb of ['prepare', 'test']) {
      const line = proofLine(run({ verb }));
      assert.equal(line?.valid, false);
      assert.match(line?.text ?? '', /only Done/);
    }
  });

  it('is silent while the run goes on, and for a verb that is no gate', () => {
    assert.equal(proofLine(ongoing({ proof: { state: 'valid', commit } })), undefined);
    assert.equal(proofLine(run({ verb: 'start' })), undefined);
  });
});

describe('What a person may do', () => {
  it('is to cancel while a run goes on, whatever else is so', () => {
    assert.deepEqual(offerOf({ ...state(ongoing()), blocked: 'Not trusted.' }), { kind: 'cancel' });
  });

  it('is nothing where nothing can run, and the reason is given', () => {
    assert.deepEqual(offerOf({ held: '/work/app', blocked: 'Not trusted.' }), {
      kind: 'blocked',
      text: 'Not trusted.',
    });
    assert.equal(offerOf({ held: null }).kind, 'nothing_held');
  });

  it('is to run a verb on the held root, which is named when the shown run was of another', () => {
    const held = '/work/app.worktrees/add-b';
    assert.deepEqual(offerOf(state()), { kind: 'verbs', root: held, text: undefined });
    assert.deepEqual(offerOf(state(run())), { kind: 'verbs', root: held, text: undefined });
    assert.deepEqual(offerOf(state(run(), '/work/app')), {
      kind: 'verbs',
      root: '/work/app',
      text: 'The next run is of app.',
    });
  });
});
