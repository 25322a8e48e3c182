import assert from 'node:assert/strict';
import type { AnswerOf } from '../../../src/contract/answers.ts';
import type { Held } from '../../../src/contract/data.ts';
import { WindowModel } from '../../../src/extension/model.ts';

const held = (root: string): Held => ({
  root,
  spawn_root: root,
  mechanism: 'flag',
  missing: false,
  candidates: [],
});

const missing = (root: string): AnswerOf<'status'> => ({
  ok: false,
  verb: 'status',
  error: 'root_missing',
  message: `The held root ${root} is gone.`,
  data: { root },
});

describe('What the window knows', () => {
  it('is not changed by an answer about the root that was held before', () => {
    const model = new WindowModel();
    try {
      model.setHeld(held('/gone'));
      model.setHeld(held('/there'));
      model.setStatus(missing('/gone'));
      assert.equal(model.view.held?.missing, false);
      assert.equal(model.view.problem, undefined);
    } finally {
      model.dispose();
    }
  });

  it('is that the held root is missing, until an answer about it comes again', () => {
    const model = new WindowModel();
    try {
      model.setHeld(held('/there'));
      model.setStatus(missing('/there'));
      assert.equal(model.view.divergence.state, 'missing');
      model.setStatus({ ...missing('/there'), ok: true, data: { root: '/there', worktrees: [] } });
      assert.equal(model.view.held?.missing, false);
    } finally {
      model.dispose();
    }
  });
});
