import assert from 'node:assert/strict';
import fc from 'fast-check';
import { diffLines, driftsOf } from '../../src/webview/model/drift.ts';
import { findingsOf, placeOf } from '../../src/webview/model/findings.ts';
import { changedScopes } from '../../src/webview/model/scopes.ts';
import { finding, job, run } from './samples.ts';

describe('The findings', () => {
  it('name their place as far as it is known', () => {
    assert.equal(placeOf(finding({ file: 'src/a.ts', line: 3, column: 7 })), 'src/a.ts:3:7');
    assert.equal(placeOf(finding({ file: 'src/a.ts', line: 3 })), 'src/a.ts:3');
    assert.equal(
      placeOf(finding({ file: 'src/a.ts', column: 7 })),
      'src/a.ts',
      'a column of no line is nowhere',
    );
    assert.equal(placeOf(finding()), undefined);
  });

  it('keep the index the extension knows them by, though errors come first', () => {
    const { listed, summary } = findingsOf(
      run({
        diagnostics: [
          finding({ severity: 'info', message: 'a' }),
          finding({ severity: 'warning', message: 'b' }),
          finding({ message: 'c' }),
          finding({ message: 'd' }),
        ],
      }),
    );
    assert.deepEqual(
      listed.map(({ message, index }) => [message, index]),
      [
        ['c', 2],
        ['d', 3],
        ['b', 1],
        ['a', 0],
      ],
    );
    assert.equal(summary, '2 errors, 1 warning, 1 note');
  });

  it('lead to their place, or to the output of the job they are of', () => {
    const jobs = [job('lint', { output_path: '/out/lint' }), job('unit', { output_path: '/out/unit' })];
    const diagnostics = [
      finding({ file: 'src/a.ts', line: 1, output_path: '/out/lint' }),
      finding({ output_path: '/out/unit' }),
      finding(),
    ];
    const { listed } = findingsOf(run({ jobs, diagnostics }));
    assert.deepEqual(
      listed.map(({ leadsTo }) => leadsTo),
      [{ kind: 'place' }, { kind: 'job', name: 'unit' }, undefined],
    );
  });

  it('are read out whole', () => {
    const [one] = findingsOf(
      run({ diagnostics: [finding({ file: 'a.ts', line: 3, column: 7, rule: 'TS1', message: 'No.' })] }),
    ).listed;
    assert.equal(one?.label, 'error, a.ts line 3 column 7: No. TS1');
  });

  it('are listed up to a limit, which no error is pushed beyond by a warning', () => {
    const severity = fc.constantFrom('error' as const, 'warning' as const, 'info' as const);
    fc.assert(
      fc.property(
        fc.array(severity, { maxLength: 300 }),
        fc.integer({ min: 1, max: 100 }),
        (severities, limit) => {
          const diagnostics = severities.map((one, index) =>
            finding({ severity: one, message: String(index) }),
          );
          const { listed, more } = findingsOf(run({ diagnostics }), limit);
          assert.equal(listed.length, Math.min(limit, diagnostics.length));
          assert.equal(listed.length + more, diagnostics.length);
          assert.equal(new Set(listed.map(({ key }) => key)).size, listed.length);
          for (const { index, message } of listed) assert.equal(diagnostics[index]?.message, message);
          const errors = severities.filter((one) => one === 'error').length;
          const shown = listed.filter((one) => one.severity === 'error').length;
          assert.equal(shown, Math.min(limit, errors));
        },
      ),
    );
  });
});

describe('A drifted file', () => {
  const diff =
    'diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n a\n--b\n+-c\n';

  it('shows its diff line by line, from the first hunk on', () => {
    assert.deepEqual(diffLines(diff), [
      { kind: 'place', text: '@@ -1,2 +1,2 @@' },
      { kind: 'same', text: ' a' },
      { kind: 'removed', text: '--b' },
      { kind: 'added', text: '+-c' },
    ]);
    assert.deepEqual(diffLines('old mode 100644\nnew mode 100755\n'), [
      { kind: 'same', text: 'old mode 100644' },
      { kind: 'same', text: 'new mode 100755' },
    ]);
    assert.deepEqual(diffLines(''), []);
  });

  it('is named by its last part, with its folder and stage beside it', () => {
    const [row] = driftsOf([{ file: 'src/deep/a.ts', stage: 'fix', diff }]).listed;
    assert.deepEqual([row?.name, row?.folder, row?.stage], ['a.ts', 'src/deep', 'fix']);
    assert.equal(driftsOf([{ file: 'a.ts', stage: 'fix', diff }]).listed[0]?.folder, '');
  });

  it('is one of a bounded list, with a bounded diff', () => {
    const long = `@@ -1 +1 @@\n${'+x\n'.repeat(700)}`;
    const drift = Array.from({ length: 120 }, (_, index) => ({
      file: `${index}.ts`,
      stage: 'fix' as const,
      diff: long,
    }));
    const { listed, more } = driftsOf(drift);
    assert.deepEqual([listed.length, more], [100, 20]);
    assert.deepEqual([listed[0]?.lines.length, listed[0]?.cut], [500, 201]);
  });
});

describe('The scopes', () => {
  it('are those that changed, with what that means', () => {
    const scope = {
      name: 'web',
      changed: true,
      files: 12,
      neutral: false,
      previewable: true,
      gate: 'npm run e2e',
    };
    assert.deepEqual(
      changedScopes([
        scope,
        { name: 'docs', changed: true, files: 1, neutral: true, previewable: false },
        { ...scope, name: 'api', changed: false },
      ]).map(({ name, text }) => `${name}: ${text}`),
      ['web: 12 files, previewable, with a gate of its own', 'docs: 1 file, neutral'],
    );
  });
});
