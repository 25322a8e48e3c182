import assert from 'node:assert/strict';
import type { AnswerOf } from '../../src/contract/answers.ts';
import { landingChoices, landingDetail } from '../../src/extension/landing-choices.ts';

const preview = (
  actions: [action: string, detail: string][],
  data: NonNullable<AnswerOf<'accept'>['data']> = {},
): AnswerOf<'accept'> => ({
  ok: true,
  verb: 'accept',
  dry_run: true,
  plan: { title: 'Land it', steps: actions.map(([action, detail]) => ({ action, detail })) },
  data: { trunk: 'main', files: ['src/a.txt'], ...data },
});

describe('The question before Accept', () => {
  it('offers what the repository allows, each by its argument', () => {
    const labels = landingChoices(preview([], { ways: ['queue', 'push', 'pr'] }));
    assert.deepEqual(
      labels.map(({ label, args }) => [label, args]),
      [
        ['Accept', {}],
        ['Queue', { queue: true }],
        ['Accept and Push', { push: true }],
        ['Open Pull Request', { pr: true }],
      ],
    );
    assert.deepEqual(
      landingChoices(preview([])).map(({ label }) => label),
      ['Accept'],
    );
  });

  it('says whether the proof stands, or on what the gate will run', () => {
    assert.match(
      landingDetail(preview([['land', 'abc Add it']])),
      /^The proof stands: .*\n\n• abc Add it\n\n1 file: src\/a\.txt\n\nThe checkout/,
    );
    assert.match(
      landingDetail(preview([['run the gate', 'there is no valid proof']])),
      /^The gate runs first: there is no valid proof\./,
    );
    const together = preview([
      ['combine', 'with what main has got: x'],
      ['run the gate', 'on the two together'],
      ['remove', '/w'],
    ]);
    assert.match(
      landingDetail(together),
      /^The gate runs first, on this together with what main has got\.(?:.|\n)*Landing removes \/w and its branch\.$/,
    );
  });
});
