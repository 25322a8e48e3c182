import assert from 'node:assert/strict';
import { nextStep } from '../../src/contract/next-step.ts';

const status = {
  branch: 'agent/a',
  trunk: 'main',
  ahead: 1,
  behind: 0,
  clean: true,
  proof: { state: 'none' as const },
};
const verb = (over: Partial<Parameters<typeof nextStep>[0]>) => nextStep({ ...status, ...over })?.verb;

describe('The next step', () => {
  it('is to start on the trunk, as long as nothing was changed there', () => {
    assert.equal(verb({ branch: 'main', ahead: 0 }), 'start');
    assert.equal(verb({ branch: 'main', ahead: 0, clean: false }), 'done');
  });

  it('is to update where the trunk moved on, whatever is proved', () => {
    assert.equal(verb({ behind: 2 }), 'update');
    assert.equal(verb({ behind: 2, proof: { state: 'valid' } }), 'update');
  });

  it('is to accept what is proved and no longer, else to run the gate', () => {
    assert.equal(verb({ proof: { state: 'valid' } }), 'accept');
    assert.equal(verb({ proof: { state: 'stale' } }), 'done');
    assert.equal(verb({ clean: false }), 'done');
  });

  it('is nothing in a worktree in which nothing was done, even if the trunk is proved', () => {
    assert.equal(verb({ ahead: 0 }), undefined);
    assert.equal(verb({ ahead: 0, proof: { state: 'valid' } }), undefined);
  });
});
