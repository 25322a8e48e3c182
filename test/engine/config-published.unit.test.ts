import assert from 'node:assert/strict';
import { checkConfig } from '../../src/engine/config/index.ts';
import { published } from '../support/published-config.ts';

const ref = (name: string) => `\${${name}}`;

describe('a file in an older published style', () => {
  const { config, problems, notes } = checkConfig(published, 'discern.toml');

  it('has no problem, and earns one note for each key that has another name now', () => {
    assert.deepEqual(problems, []);
    assert.deepEqual(
      notes.map((note) => note.replace(/^discern\.toml:\d+: (\S+) .*/, '$1')),
      [
        '[project].logbook',
        '[repository].proof_notes',
        '[assurance]',
        '[scopes.site].previewable',
        '[worktree].port',
        '[worktree].ignored_file_drift',
        '[worktree.resources.db].gc',
        '[standards.coverage].measure',
        '[gate].stream',
        '[coupling].in_gate',
      ],
    );
  });

  it('reads the same with CRLF lines', () => {
    assert.deepEqual(checkConfig(published.replaceAll('\n', '\r\n'), 'discern.toml').config, config);
  });

  it('runs its jobs in gate order, with its own map', () => {
    assert.deepEqual(config?.jobs, [
      { name: 'format', stage: 'fix', commands: ['prettier --write .', 'discern tidy'] },
      { name: 'build', stage: 'build', commands: ['npm run build && npm run size'] },
      { name: 'lint', stage: 'check', commands: ['eslint .'] },
      { name: 'typecheck', stage: 'check', commands: ['tsc --noEmit'] },
      {
        name: 'prose',
        stage: 'check',
        commands: ['vale --output=sarif "notes/map/"'],
        provides: 'prose lint (errors block; the rest is held by a standard)',
      },
      {
        name: 'test',
        stage: 'test',
        commands: [`npm test -- --reporter=${ref('HARBOUR_REPORTER:-junit')}`],
        timeout: 1500,
      },
      { name: 'smoke', stage: 'test', commands: ['npm run smoke'] },
    ]);
  });

  it('knows its scopes, standards, generated files and worktrees', () => {
    assert.deepEqual(
      config?.scopes.map(({ name, paths, neutral, previewable }) => [
        name,
        paths.length,
        neutral,
        previewable,
      ]),
      [
        ['map', 4, true, false],
        ['site', 1, false, true],
        ['visual', 2, false, true],
      ],
    );
    assert.deepEqual(config?.scopes[0]?.paths, [
      'notes/map/',
      'notes/skills/',
      'notes/TODO.md',
      '.claude/skills/',
    ]);
    assert.deepEqual(
      config?.standards.map(({ name, metric, per }) => [name, metric, per]),
      [
        ['coverage', 'coverage', undefined],
        ['prose', 'prose', { metric: 'prose_words' }],
        ['css_density', 'css_bytes', { extent: 'files', paths: ['src/components/**/*.css'] }],
      ],
    );
    assert.deepEqual(config?.standards[2]?.inputs, ['src/**', 'tools/measure.mjs']);
    assert.deepEqual(config?.generated[0]?.paths, ['src/generated/**', 'notes/map/reference.md']);
    assert.deepEqual(
      config?.worktree.resources.map(({ name, required, retries }) => [name, required, retries]),
      [
        ['probe', true, 0],
        ['db', false, 2],
      ],
    );
    assert.deepEqual(config?.worktree.setup, { steps: [], ensure: ['node scripts/link-private.mjs'] });
  });
});
