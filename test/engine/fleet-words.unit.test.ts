import assert from 'node:assert/strict';
import fc from 'fast-check';
import { forgeRepository, parseReference, resolveReference } from '../../src/engine/fleet/ticket-ref.ts';
import { phaseIn, todosIn } from '../../src/engine/worktree/reported-words.ts';

describe('What an agent reports', () => {
  const phases: [string, ReturnType<typeof phaseIn>][] = [
    ['', undefined],
    [' \n', undefined],
    ['testing\n', { word: 'testing', blocked: false }],
    ['in review', { word: 'in review', blocked: false }],
    ['testing: the parser: half', { word: 'testing', note: 'the parser: half', blocked: false }],
    ['testing\nthe parser\nhalf\n', { word: 'testing', note: 'the parser half', blocked: false }],
    ['Blocked: needs a key', { word: 'Blocked', note: 'needs a key', blocked: true }],
    ['{"word":"testing","note":"n","blocked":true}', { word: 'testing', note: 'n', blocked: true }],
    ['{"phase":"testing","blocked":"needs a key"}', { word: 'testing', note: 'needs a key', blocked: true }],
    ['{"word":"testing","blocked":"false"}', { word: 'testing', blocked: false }],
    ['{"word":4}', undefined],
    ['{"word":"tes', undefined],
  ];
  for (const [text, phase] of phases) {
    it(`as the phase ${JSON.stringify(text)}`, () => assert.deepEqual(phaseIn(text), phase));
  }

  const lists: [string, [string, boolean][] | undefined][] = [
    ['', []],
    [
      '- [x] a\n* [X] b\n1. [ ] c\n  - [-] d\n[ ] e',
      [
        ['a', true],
        ['b', true],
        ['c', false],
        ['d', false],
        ['e', false],
      ],
    ],
    [
      '# Plan\n- a\n\n2) b\nprose',
      [
        ['a', false],
        ['b', false],
      ],
    ],
    [
      '["a", "b"]',
      [
        ['a', false],
        ['b', false],
      ],
    ],
    [
      '[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"}]',
      [
        ['a', true],
        ['b', false],
      ],
    ],
    [
      '{"todos":[{"text":"a","done":true},{"title":"b"},{}]}',
      [
        ['a', true],
        ['b', false],
      ],
    ],
    ['{"other":1}', undefined],
    ['[{"content":', undefined],
  ];
  for (const [text, todos] of lists) {
    it(`as the to-dos ${JSON.stringify(text)}`, () => {
      assert.deepEqual(
        todosIn(text)?.todos.map(({ text: said, done }) => [said, done]),
        todos,
      );
    });
  }

  it('is bounded and on one line, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 2_000 }), fc.json()), (text) => {
        const phase = phaseIn(text);
        for (const one of [phase?.word, phase?.note]) {
          assert.ok(one === undefined || (one.length <= 500 && !/[\u0000-\u001f\u007f-\u009f]/.test(one)));
        }
        const todos = todosIn(text);
        assert.ok((todos?.todos.length ?? 0) <= 200 && (todos?.done ?? 0) <= (todos?.all ?? 0));
      }),
    );
  });
});

describe('A reference to a ticket', () => {
  const url = 'https://forge.example/a/b/issues/42';
  const forms: [string, unknown][] = [
    ['42', { kind: 'number', number: 42 }],
    [' #42 ', { kind: 'number', number: 42 }],
    ['!42', { kind: 'number', number: 42 }],
    ['a/b#42', { kind: 'named', repo: 'a/b', number: 42 }],
    ['group/sub/b!42', { kind: 'named', repo: 'group/sub/b', number: 42 }],
    [url, { kind: 'url', host: 'forge.example', repo: 'a/b', number: 42, url }],
    [`${url}?q=1#note`, { kind: 'url', host: 'forge.example', repo: 'a/b', number: 42, url }],
    [
      'https://forge.example:8443/g/s/b/-/merge_requests/42/diffs',
      {
        kind: 'url',
        host: 'forge.example:8443',
        repo: 'g/s/b',
        number: 42,
        url: 'https://forge.example:8443/g/s/b/-/merge_requests/42',
      },
    ],
    ['042', undefined],
    ['#', undefined],
    ['a#42', undefined],
    ['https://forge.example/a/b', undefined],
    ['https://forge.example/a/issues/42', undefined],
    ['javascript:alert(1)', undefined],
    ['https://forge.example/a/b/issues/42x', undefined],
    [
      'https://me:secret@forge.example/a/b/issues/42',
      { kind: 'url', host: 'forge.example', repo: 'a/b', number: 42, url },
    ],
  ];
  for (const [text, reference] of forms) {
    it(`as ${text}`, () => assert.deepEqual(parseReference(text), reference));
  }

  const remotes: [string, unknown][] = [
    ['https://forge.example/a/b.git', { host: 'forge.example', repo: 'a/b' }],
    ['https://me:secret@forge.example/a/b', { host: 'forge.example', repo: 'a/b' }],
    ['git@Forge.example:a/b.git', { host: 'forge.example', repo: 'a/b' }],
    ['forge.example:a/b', { host: 'forge.example', repo: 'a/b' }],
    ['ssh://git@forge.example:2222/a/b.git/', { host: 'forge.example', repo: 'a/b' }],
    ['https://forge.example:8443/g/s/b', { host: 'forge.example:8443', repo: 'g/s/b' }],
    ['/srv/git/b.git', undefined],
    ['file:///srv/git/b.git', undefined],
    ['../b', undefined],
    ['C:\\git\\b', undefined],
    ['C:/git/b', undefined],
  ];
  for (const [text, repository] of remotes) {
    it(`against the remote ${text}`, () => assert.deepEqual(forgeRepository(text), repository));
  }

  it('is what the remotes make of it, and several where they leave it open', () => {
    const [a, b] = [
      { host: 'one.example', repo: 'a/x' },
      { host: 'two.example', repo: 'b/x' },
    ];
    const could = (text: string, ...known: { host: string; repo: string }[]) => {
      const reference = parseReference(text);
      assert.ok(reference);
      const resolved = resolveReference(reference, known);
      return 'why' in resolved ? resolved.why : resolved.could.map(({ host, repo }) => `${host}/${repo}`);
    };
    assert.deepEqual(could('42', a, { host: 'One.example', repo: 'A/X' }), ['one.example/a/x']);
    assert.deepEqual(could('42', a, b), ['one.example/a/x', 'two.example/b/x']);
    assert.deepEqual(could('b/x#42', a, b), ['two.example/b/x']);
    assert.deepEqual(could('c/x#42', a, b), ['one.example/c/x', 'two.example/c/x']);
    assert.deepEqual(could('c/x#42', a), ['one.example/c/x']);
    assert.match(String(could('42')), /only a URL/);
    assert.match(String(could('https://three.example/a/x/issues/1', a)), /forge of no remote/);
    assert.deepEqual(could('https://three.example/a/x/issues/1'), ['three.example/a/x']);
  });
});
